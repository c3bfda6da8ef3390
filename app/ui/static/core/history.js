/* The undo history of a segment: its text and its constraints change together. */

const TYPING_PAUSE_MS = 1000;
const MAX_STEPS = 500;

/**
 * Something of each document that was shown in this window.
 * @template T
 */
export class PerDocument {
  /** @type {Map<string, T>} by token */
  #kept = new Map();
  #shown = '';

  /** @param {() => T} make */
  constructor(make) {
    this.make = make;
  }

  /**
   * What was kept of a document that was left, otherwise a new one.
   * @param {string} token
   */
  show(token) {
    const known = token === this.#shown ? undefined : this.#kept.get(token);
    const shown = known ?? this.make();
    this.#shown = token;
    this.#kept.set(token, shown);
    return shown;
  }
}

/** Undo and redo over snapshots; a `text` of null means the proposal. */
export class History {
  constructor() {
    /** @type {Snapshot[]} */
    this.past = [];
    /** @type {Snapshot[]} */
    this.future = [];
    this.lastKind = null;
    this.lastAt = 0;
  }

  /**
   * Records the state before a change; letters typed in one go are one step.
   * @param {Snapshot} snapshot
   * @param {string} kind
   */
  record(snapshot, kind) {
    const now = performance.now();
    const isContinued =
      kind.startsWith('type') && kind === this.lastKind && now - this.lastAt < TYPING_PAUSE_MS && !this.future.length;
    this.lastKind = kind;
    this.lastAt = now;
    if (isContinued) return;
    this.past.push({...snapshot, at: now});
    if (this.past.length > MAX_STEPS) this.past.shift();
    this.future = [];
  }

  get isEmpty() {
    return !this.past.length && !this.future.length;
  }

  /**
   * Adds states from before the page was loaded, oldest first, before the steps that were made meanwhile.
   * @param {Snapshot[]} states
   */
  addEarlier(states) {
    const [first] = this.past;
    const last = states.at(-1);
    const isTwice =
      first && last && first.text === last.text && String(first.constraints.pins) === String(last.constraints.pins);
    const earlier = (isTwice ? states.slice(0, -1) : states).map(state => ({...state, at: 0}));
    this.past = [...earlier, ...this.past].slice(-MAX_STEPS);
  }

  /** Removes the states from before the page was loaded. */
  dropEarlier() {
    this.past = this.past.filter(state => state.at !== 0);
  }

  /** Starts another step with the next letter: the segment was left or confirmed. */
  pause() {
    this.lastKind = null;
  }

  /**
   * Records the state to which undo returns, unless there are steps already.
   * @param {Snapshot} snapshot
   */
  begin(snapshot) {
    if (this.isEmpty) this.record(snapshot, 'begin');
  }

  /**
   * The snapshot to which undo (or redo) would return, or undefined; `at` is when it was recorded.
   * @param {boolean} isUndo
   */
  newest(isUndo) {
    return (isUndo ? this.past : this.future).at(-1);
  }

  /**
   * Undoes (or redoes) one step: returns its snapshot, or null if there is none.
   * @param {Snapshot} current
   * @param {boolean} isUndo
   */
  step(current, isUndo) {
    const [from, to] = isUndo ? [this.past, this.future] : [this.future, this.past];
    if (!from.length) return null;
    to.push({...current, at: performance.now()});
    this.lastKind = null;
    return from.pop();
  }
}

/** The undo histories of the document that is shown, one for each segment; those of the others are kept. */
export class Histories {
  /** @type {Map<number, History>} */
  #histories = new Map();
  /** @type {PerDocument<Map<number, History>>} */
  #kept = new PerDocument(() => new Map());

  /** @param {number} index */
  of(index) {
    let history = this.#histories.get(index);
    if (!history) {
      history = new History();
      this.#histories.set(index, history);
    }
    return history;
  }

  /**
   * Gives a segment another history and returns the one that it had.
   * @param {number} index
   * @param {History} other
   */
  exchange(index, other) {
    const history = this.of(index);
    this.#histories.set(index, other);
    return history;
  }

  /**
   * Another document is shown, or the same one anew: then nothing can be undone.
   * @param {string} token
   */
  show(token) {
    this.#histories = this.#kept.show(token);
  }
}

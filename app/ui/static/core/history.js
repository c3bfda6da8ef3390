/* The undo history of one segment: text and constraints go back and forth together. */

const TYPING_PAUSE_MS = 1000;
const MAX_STEPS = 500;

/** Undo and redo over snapshots {text, pins, termsOff, bans, beginning, locked, start, end}; text null stands for "as proposed". */
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
   * Call before a change; letters typed in one go make one step.
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

  /** What is typed from here on is another step: the segment was left or confirmed. */
  pause() {
    this.lastKind = null;
  }

  /**
   * What undo goes back to where the person has done nothing yet.
   * @param {Snapshot} snapshot
   */
  begin(snapshot) {
    if (!this.past.length && !this.future.length) this.record(snapshot, 'begin');
  }

  /**
   * The snapshot that a step would take, or undefined; `at` is when it was kept.
   * @param {boolean} isUndo
   */
  newest(isUndo) {
    return (isUndo ? this.past : this.future).at(-1);
  }

  /**
   * The snapshot to go back (or forth) to, or null.
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

/** The undo histories of a document, one for each segment. */
export class Histories {
  /** @type {Map<number, History>} */
  #histories = new Map();

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

  clear() {
    this.#histories.clear();
  }
}

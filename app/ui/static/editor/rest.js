/* Alt+R: keeps what the person wrote and translates the rest of the sentence again. */
import {isSame} from '../core/constraints.js';
import {t} from '../core/dom.js';

const MAX_CELLS = 4e6; // of the table that compares two texts word by word

/** @param {string} text */
const wordsOf = text =>
  [...text.matchAll(/\S+/g)].map(match => ({text: match[0], start: match.index, end: match.index + match[0].length}));

/**
 * The edited stretches of `text`, as [start, end]: words that are not in `before` in that order.
 * @param {string} text
 * @param {string} before
 */
export const editedStretches = (text, before) => {
  const now = wordsOf(text);
  const old = wordsOf(before).map(word => word.text);
  const m = old.length;
  if (now.length * m > MAX_CELLS) return text === before ? [] : [[0, text.length]];
  const width = m + 1;
  const common = new Uint16Array((now.length + 1) * width); // longest common subsequence from i, j on
  for (let i = now.length - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      common[i * width + j] =
        now[i].text === old[j]
          ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const stretches = [];
  for (let i = 0, j = 0; i < now.length; ) {
    if (j < m && now[i].text === old[j]) {
      i++;
      j++;
      continue;
    }
    if (j < m && common[i * width + j + 1] >= common[(i + 1) * width + j]) {
      j++;
      continue;
    }
    stretches.push([now[i].start, now[i].end]);
    i++;
  }
  return stretches;
};

/**
 * The text to keep, as {prefix, locked}: up to the caret or what is selected, edited text, text locked before.
 * @param {{text: string, start: number, end: number}} options
 * @param {string} proposal
 * @param {string[]} locked
 */
export const keptOf = ({text, start, end}, proposal, locked) => {
  const stretches = [start === end ? [0, end] : [start, end], ...editedStretches(text, proposal)];
  let from = 0;
  for (const lock of locked) {
    const at = text.indexOf(lock, from);
    if (at < 0) continue;
    from = at + lock.length;
    stretches.push([at, from]);
  }
  /** @type {number[][]} */
  const merged = [];
  for (const [first, last] of stretches.filter(([a, b]) => text.slice(a, b).trim()).sort((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1);
    if (previous && !text.slice(previous[1], first).trim()) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  let prefix = '';
  if (merged.length && !text.slice(0, merged[0][0]).trim()) {
    const [, stop] = merged.shift() ?? [];
    prefix = text.slice(0, stop);
    if (/\s/.test(text[stop] ?? '') && !/\s$/.test(prefix)) prefix += text[stop]; // the space ends the word
  }
  return {prefix, locked: merged.map(([a, b]) => text.slice(a, b).trim())};
};

/**
 * True if a text has this beginning and contains the locked texts in their order.
 * @param {string} text
 * @param {Pick<Constraints, 'prefix' | 'locked'>} kept
 */
const holds = (text, {prefix, locked}) => {
  if (!text.startsWith(prefix.normalize())) return false;
  let from = prefix.normalize().trimEnd().length;
  return locked.every(lock => {
    const at = text.indexOf(lock.normalize(), from);
    from = at + lock.length;
    return at >= 0;
  });
};

export class Rest {
  /**
   * @param {Pick<Bench, 'say'>} page
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {ConstraintSet} parts.constraints
   * @param {(kind: string) => void} parts.record records a step of undo before a change
   * @param {() => void} parts.onCancel undoes the newest step
   */
  constructor(page, {current, text, constraints, record, onCancel}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.record = record;
    this.onCancel = onCancel;
    /** @type {{index: number, text: string, kept: Pick<Constraints, 'prefix' | 'locked'>} | null} */
    this.asked = null; // the field waits for the translation of this
  }

  ask() {
    const {text, constraints, current} = this;
    const {detail} = current;
    const {selectionStart: start, selectionEnd: end} = text.field.area;
    if (!detail || current.refusesChanges()) return;
    text.flush();
    const kept = keptOf({text: text.value, start, end}, detail.proposal?.text ?? '', constraints.now.locked);
    if (!kept.prefix && !kept.locked.length) {
      this.page.say('info', t('rest.nothing'));
      return;
    }
    const changes = {...kept, follow: ''};
    const isRepeated =
      text.value === detail.proposal?.text && isSame({...constraints.now, ...changes}, constraints.now);
    if (!isRepeated) this.record('rest');
    this.asked = {index: current.index, text: text.value, kept};
    constraints.change(changes, 'rest', false);
    text.focus();
    this.settle();
  }

  /** Stops waiting; the constraints are again as before. */
  cancel() {
    this.forget();
    this.onCancel();
  }

  /** Stops waiting. */
  forget() {
    this.asked = null;
  }

  /** Puts the answer into the field once it is there, unless the person has typed meanwhile. */
  settle() {
    const {page, text, current, asked} = this;
    const {detail} = current;
    if (!asked || !detail) return;
    const isOpen = asked.index === current.index;
    if (isOpen && (current.isPending('edit') || current.isPending('constrain') || detail.is_pending)) return;
    this.asked = null;
    if (!isOpen || text.value !== asked.text) return;
    const {proposal} = detail;
    if (!proposal?.text || proposal.is_stale || !holds(proposal.text, asked.kept)) {
      page.say('warn', t('rest.unmet'));
      return;
    }
    if (detail.target === null || proposal.text === text.value) return; // the field shows the proposal already
    text.replace(proposal.text, 'rest', {more: {rank: 0}});
  }
}

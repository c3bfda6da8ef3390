/* Alt+R: what the person wrote stands, the rest of the sentence is translated anew. */
import {isSame} from '../core/constraints.js';
import {t} from '../core/dom.js';

const MAX_CELLS = 4e6; // of the table that compares two texts word by word

/** @param {string} text */
const wordsOf = text =>
  [...text.matchAll(/\S+/g)].map(match => ({text: match[0], start: match.index, end: match.index + match[0].length}));

/**
 * The stretches of `text`, as [start, end], whose words do not stand in `before` in that order: what was edited.
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
 * What stands, as {beginning, locked}: up to the caret, or what is selected; what was edited; what was locked before.
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
  let beginning = '';
  if (merged.length && !text.slice(0, merged[0][0]).trim()) {
    const [, stop] = merged.shift() ?? [];
    beginning = text.slice(0, stop);
    if (/\s/.test(text[stop] ?? '') && !/\s$/.test(beginning)) beginning += text[stop]; // closes the word: it does not grow
  }
  return {beginning, locked: merged.map(([a, b]) => text.slice(a, b).trim())};
};

/**
 * Whether a text begins so and holds the locked texts in their order.
 * @param {string} text
 * @param {{beginning: string, locked: string[]}} options
 */
const holds = (text, {beginning, locked}) => {
  if (!text.startsWith(beginning.normalize())) return false;
  let from = beginning.normalize().trimEnd().length;
  return locked.every(lock => {
    const at = text.indexOf(lock.normalize(), from);
    from = at + lock.length;
    return at >= 0;
  });
};

export class Rest {
  /** @param {Segment} segment */
  constructor(segment) {
    this.segment = segment;
    /** @type {{index: number, text: string, kept: {beginning: string, locked: string[]}} | null} */
    this.asked = null; // {index, text, kept}: the field waits for this answer
  }

  ask() {
    const {segment} = this;
    const {field, bench, detail} = segment;
    const {selectionStart: start, selectionEnd: end} = field.area;
    if (!detail) return;
    segment.flush();
    const kept = keptOf({text: field.text, start, end}, detail.proposal?.text ?? '', segment.locked);
    if (!kept.beginning && !kept.locked.length) {
      bench.say('info', t('rest.nothing'));
      return;
    }
    const isDone = field.text === detail.proposal?.text && isSame({...segment, ...kept}, segment); // asked for twice
    if (!isDone) segment.rememberStep('rest');
    this.asked = {index: segment.index, text: field.text, kept};
    segment.constrain(kept, 'rest', false);
    segment.focusField();
    this.settle();
  }

  /** Nothing is waited for any more; what was asked of the translation is as it was before. */
  cancel() {
    this.asked = null;
    this.segment.step(true);
  }

  /** Takes the answer into the field once it is there, unless the person has typed on. */
  settle() {
    const {segment, asked} = this;
    const {field, detail, bench} = segment;
    if (!asked || !detail) return;
    const isOnItsWay = ['edit', 'constrain'].some(name => bench.connection.isPending(`${name}:${asked.index}`));
    if (asked.index === segment.index && (isOnItsWay || detail.is_pending)) return;
    this.asked = null;
    if (asked.index !== segment.index || field.text !== asked.text) return;
    const {proposal} = detail;
    const text = proposal?.text;
    if (!text || proposal?.is_stale || !holds(text, asked.kept)) {
      bench.say('warn', t('rest.unmet'));
      return;
    }
    if (detail.target === null || text === field.text) return; // the field shows the proposal already
    segment.replaceText(text, 'rest', {rank: 0});
  }
}

/* Which words of a segment's text are the machine's and which the person's: the text compared with the proposal, word by
   word. What the person wrote stays when the rest is translated again. */
import {chunksOf} from '../core/words.js';

const MAX_CELLS = 4e6; // of the table that compares two texts

/**
 * The words of `text` that `before` has in the same order, as [start in `text`, start in `before`, length].
 * @param {string} text
 * @param {string} before
 * @returns {[number, number, number][]}
 */
export const commonWords = (text, before) => {
  if (text === before) return [[0, 0, text.length]];
  const now = chunksOf(text);
  const old = chunksOf(before);
  const m = old.length;
  if (now.length * m > MAX_CELLS) return [];
  const width = m + 1;
  const common = new Uint16Array((now.length + 1) * width); // longest common subsequence from i, j on
  for (let i = now.length - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      common[i * width + j] =
        now[i].text === old[j].text
          ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  /** @type {[number, number, number][]} */
  const found = [];
  for (let i = 0, j = 0; i < now.length && j < m; ) {
    if (now[i].text === old[j].text) found.push([now[i].start, old[j++].start, now[i++].text.length]);
    else if (common[i * width + j + 1] >= common[(i + 1) * width + j]) j++;
    else i++;
  }
  return found;
};

/**
 * The edited stretches of `text`, as [start, end]: words that are not in `before` in that order.
 * @param {string} text
 * @param {string} before
 */
export const editedStretches = (text, before) => {
  if (text === before) return [];
  const common = new Set(commonWords(text, before).map(([start]) => start));
  return chunksOf(text)
    .filter(({start}) => !common.has(start))
    .map(({start, text: word}) => [start, start + word.length]);
};

/**
 * The places of a beginning and of texts that follow it in this order, as [start, end]; those that the text lacks are left out.
 * @param {string} text
 * @param {Kept} kept
 */
export const keptPlaces = (text, {prefix, locked}) => {
  const places = prefix && text.startsWith(prefix) ? [[0, prefix.length]] : [];
  let from = 0;
  for (const lock of locked) {
    const at = text.indexOf(lock, from);
    if (at < 0) continue;
    from = at + lock.length;
    places.push([at, from]);
  }
  return places;
};

/**
 * The text to keep, as {prefix, locked}: up to the caret or what is selected, edited text, and what was kept before.
 * @param {{text: string, start: number, end: number}} options
 * @param {string} proposal
 * @param {Kept} before
 */
export const keptOf = ({text, start, end}, proposal, before) => {
  const selected = start === end ? [0, end] : [start, end];
  const stretches = [selected, ...editedStretches(text, proposal), ...keptPlaces(text, before)];
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
 * The text in runs, with what is known of the machine's words in it; the person's words have no number.
 * @param {string} text
 * @param {Run[]} tokens joined, they are the proposal
 * @returns {Run[]}
 */
export const runsOf = (text, tokens) => {
  const proposal = tokens.map(token => token.t).join('');
  if (text === proposal) return tokens;
  const places = new Map();
  let at = 0;
  for (const token of tokens) {
    if (token.w !== undefined) places.set(at, token);
    at += token.t.length;
  }
  /** @type {Run[]} */
  const runs = [];
  let end = 0;
  for (const [start, was, length] of commonWords(text, proposal))
    for (let i = 0; i < length; i++) {
      const token = places.get(was + i);
      if (!token || start + i < end || i + token.t.length > length) continue;
      if (start + i > end) runs.push({t: text.slice(end, start + i)});
      runs.push({...token, pin: undefined, at: undefined});
      end = start + i + token.t.length;
    }
  return end < text.length ? [...runs, {t: text.slice(end)}] : runs;
};

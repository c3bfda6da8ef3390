/* What a search in texts looks for: words, or a regular expression. */
import {foldedLower} from './folding.js';

/**
 * `matches` is true for a text that has what is looked for, without regard to capitals; `split` cuts a text at each place
 * of it, so that every second part is one.
 * @typedef {{matches: (text: string) => boolean, split: (text: string) => string[]}} Finder
 */

/**
 * The finder of words or of a regular expression; null if nothing is looked for, or the expression is not valid.
 * @param {string} text
 * @param {boolean} isPattern
 * @returns {Finder | null}
 */
export const finderOf = (text, isPattern) => {
  if (!text.trim()) return null;
  if (!isPattern) {
    const query = foldedLower(text.trim());
    return {matches: tested => foldedLower(tested).includes(query), split: tested => splitAt(tested, query)};
  }
  try {
    const pattern = new RegExp(text, 'giu');
    return {matches: tested => tested.search(pattern) >= 0, split: tested => splitBy(tested, pattern)};
  } catch {
    return null;
  }
};

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
const splitBy = (text, pattern) => {
  const parts = [];
  let from = 0;
  for (const {0: found, index} of text.matchAll(pattern)) {
    if (!found) continue;
    parts.push(text.slice(from, index), found);
    from = index + found.length;
  }
  return [...parts, text.slice(from)];
};

/**
 * A text cut at each place of the searched words: every second part is one.
 * @param {string} text
 * @param {string} query in lower case
 */
export const splitAt = (text, query) => {
  const lower = text.toLowerCase();
  if (!query || lower.length !== text.length) return [text];
  const parts = [];
  let from = 0;
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + query.length));
    from = at + query.length;
  }
  return [...parts, text.slice(from)];
};

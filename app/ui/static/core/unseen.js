/* Characters that are invisible or that no file can contain. Invisible ones are shown by their names. Half surrogate
   pairs are replaced, control characters are removed, and the person is informed. */
import {h} from './dom.js';

/** @type {Record<string, string>} */
const NAMES = {
  '\u00ad': 'SHY',
  '\u061c': 'ALM',
  '\u200b': 'ZWSP',
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2060': 'WJ',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
  '\ufeff': 'BOM',
};
const UNSEEN = /([\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff])/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The text with the name of each invisible character drawn before it.
 * @param {string} text
 */
export const shown = text =>
  UNSEEN.test(text)
    ? text.split(UNSEEN).map(part => (NAMES[part] ? h('span.unseen', {'data-name': NAMES[part]}, part) : part))
    : text;

/**
 * Parts of a text like `shown`; every second part is marked as found.
 * @param {string[]} parts
 * @returns {Child}
 */
export const shownParts = parts => parts.map((part, i) => (i % 2 ? h('mark', shown(part)) : shown(part)));

/**
 * The names of the invisible characters in a text, each once.
 * @param {string} text
 */
export const unseenIn = text => [
  ...new Set(
    text
      .split(UNSEEN)
      .map(part => NAMES[part])
      .filter(Boolean),
  ),
];

/**
 * {text, codes}: the text that can be stored, and the characters that it lost, as "U+D83D".
 * @param {string} text
 */
export const storable = text => {
  const lost = [...text.matchAll(HALF_PAIR), ...text.matchAll(CONTROL)].map(
    match => `U+${match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return {text: text.replace(HALF_PAIR, '\ufffd').replace(CONTROL, ''), codes: [...new Set(lost)]};
};

/**
 * Like `storable`, with a space for each line break: a segment is one line.
 * @param {string} text
 */
export const oneLine = text => storable(text.replace(/\r\n|[\r\n\u2028\u2029]/g, ' '));

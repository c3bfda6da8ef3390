/* Keys that change the text of the open segment as a whole or at the caret: capitals, source, placeholders, matches. */
import {t} from '../core/dom.js';

/**
 * What is selected, or the word at the caret: small, Capitalised, ALL CAPITALS, and round again.
 * @param {Segment} segment
 */
export const changeCase = segment => {
  const {field} = segment;
  const [start, end] = field.range();
  const text = field.text;
  const changed = nextCase(text.slice(start, end), field.area.lang);
  if (changed === text.slice(start, end)) return;
  const {selectionStart: from, selectionEnd: to} = field.area;
  /** @type {[number, number]} */
  const caret = from === to ? [from, to] : [start, start + changed.length];
  segment.replaceText(text.slice(0, start) + changed + text.slice(end), 'case', {step: 'case', isTyped: true});
  field.area.setSelectionRange(...caret);
};

/**
 * The source as it stands.
 * @param {Segment} segment
 */
export const copySource = segment => insert(segment, segment.bench.rows[segment.index].source, 'source');

/**
 * A whole text into the field, as if typed; `origin` says where it came from.
 * @param {Segment} segment
 * @param {string} text
 * @param {string} origin
 */
export const insert = (segment, text, origin) => {
  if (segment.field.text !== text || segment.detail?.target == null) {
    segment.replaceText(text, origin, {step: origin, caret: text.length, isTyped: true});
  }
  segment.focusField();
};

/**
 * The next placeholder of the source that the text lacks, at the caret.
 * @param {Segment} segment
 */
export const insertPlaceholder = segment => {
  const {bench, detail, field} = segment;
  const next = nextPlaceholder(detail?.placeholders ?? [], field.text);
  if (!next) {
    bench.say('info', t(detail?.placeholders.length ? 'placeholder.all' : 'placeholder.none'));
    return;
  }
  const {selectionStart: start, selectionEnd: end} = field.area;
  const text = field.text;
  segment.replaceText(text.slice(0, start) + next + text.slice(end), 'typed', {
    step: 'placeholder',
    caret: start + next.length,
    isTyped: true,
  });
  segment.focusField();
};

/**
 * The first of the source's placeholders that stands in the text less often than asked for, or undefined.
 * @param {string[]} placeholders
 * @param {string} text
 */
export const nextPlaceholder = (placeholders, text) => {
  const asked = new Map();
  return placeholders.find(placeholder => {
    asked.set(placeholder, (asked.get(placeholder) ?? 0) + 1);
    return text.split(placeholder).length - 1 < asked.get(placeholder);
  });
};

/**
 * The text in the case that comes next: small letters, a capital at each word, all capitals.
 * @param {string} text
 * @param {string} lang
 */
export const nextCase = (text, lang) => {
  const small = text.toLocaleLowerCase(lang);
  const large = text.toLocaleUpperCase(lang);
  const capitals = small.replace(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, letter => letter.toLocaleUpperCase(lang));
  if (text === small) return capitals;
  return text === capitals && capitals !== large ? large : small;
};

/* Keys that change the text of the open segment as a whole or at the caret: letter case, source, placeholders. */
import {t} from '../core/dom.js';

/**
 * Changes the case of the selection, or of the word at the caret: small, Capitalised, ALL CAPITALS, small again.
 * @param {TargetText} target
 */
export const changeCase = target => {
  const {field, value: text} = target;
  const [start, end] = field.range();
  const changed = nextCase(text.slice(start, end), field.area.lang);
  if (changed === text.slice(start, end)) return;
  const {selectionStart: from, selectionEnd: to} = field.area;
  /** @type {[number, number]} */
  const caret = from === to ? [from, to] : [start, start + changed.length];
  target.replace(text.slice(0, start) + changed + text.slice(end), 'case', {step: 'case', isTyped: true});
  field.area.setSelectionRange(...caret);
};

/**
 * Inserts the next placeholder of the source that the text lacks, at the caret; then the next term.
 * @param {Pick<Bench, 'say'>} page
 * @param {TargetText} target
 */
export const insertPlaceholder = (page, target) => {
  const {detail} = target.current;
  const placeholders = detail?.placeholders ?? [];
  const term = detail?.terms.find(({status, term_status: kind}) => status === 'unmet' && kind !== 'forbidden');
  const next = nextPlaceholder(placeholders, target.value) ?? term?.target;
  if (next) insertText(target, next);
  else page.say('info', t(placeholders.length ? 'placeholder.all' : 'placeholder.none'));
};

/**
 * Inserts a tag, placeholder or term at the caret, or in place of the selection; one step of undo.
 * @param {TargetText} target
 * @param {string} next
 */
export const insertText = (target, next) => {
  const {field, value: text} = target;
  const {selectionStart: start, selectionEnd: end} = field.area;
  target.replace(text.slice(0, start) + next + text.slice(end), 'typed', {
    step: 'placeholder',
    caret: start + next.length,
    isTyped: true,
  });
  target.focus();
};

/**
 * The first of the source's placeholders that occurs less often in the text than in the source, or undefined.
 * @param {string[]} placeholders
 * @param {string} text
 */
export const nextPlaceholder = (placeholders, text) => {
  const required = new Map();
  return placeholders.find(placeholder => {
    required.set(placeholder, (required.get(placeholder) ?? 0) + 1);
    return text.split(placeholder).length - 1 < required.get(placeholder);
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

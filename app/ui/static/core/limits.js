/* How long a translation may be: the limit that the file states for the open segment. */
import {t, tn} from './texts.js';

const TAG = /\{\/?(\d+)\}/g;

/**
 * The length of a text, as its limit counts it: in code points; a numbered tag stands for as many as the limit says.
 * @param {string} text
 * @param {Limits} limits
 */
export const countCharacters = (text, {normalization, tags}) => {
  const lengths = new Map(tags);
  const counted = text.replace(TAG, (tag, number) =>
    lengths.has(number) ? 'x'.repeat(lengths.get(number) ?? 0) : tag,
  );
  return [...(normalization ? counted.normalize(normalization) : counted)].length;
};

/**
 * The length of a text beside its limit, as a person reads it: "37 / 40 characters"; '' without a limit.
 * @param {string} text
 * @param {Limits | null | undefined} limits
 * @returns {{text: string, isOver: boolean}}
 */
export const limitNote = (text, limits) => {
  const max = limits?.max_characters;
  if (!limits || !max) return {text: '', isOver: false};
  const n = countCharacters(text, limits);
  const shown = t('field.limit', {n, max});
  return n > max ? {text: `${shown} \u00b7 ${tn('field.over', n - max)}`, isOver: true} : {text: shown, isOver: false};
};

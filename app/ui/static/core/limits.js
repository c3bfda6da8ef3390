/* Limits of length: the limit that the file states for the open segment, or the time of its subtitles. */
import {t, tn} from './texts.js';

const TAG = /\{\/?(\d+)\}/g;

/**
 * The length of a text in code points; each numbered tag is counted with the length that the limit defines for it.
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
 * @returns {{text: string, isOver: boolean, said?: string}} `said`: why the text is too long
 */
export const limitNote = (text, limits) => {
  const max = limits?.max_characters;
  if (limits && !max) return speedNote(text, limits);
  if (!limits || !max) return {text: '', isOver: false};
  const n = countCharacters(text, limits);
  const shown = tn('field.limit', max, {n, max});
  return n > max
    ? {
        text: `${shown} \u00b7 ${tn('field.over', n - max)}`,
        isOver: true,
        said: t('check.limits.characters', {texts: String(max)}),
      }
    : {text: shown, isOver: false};
};

const HIDDEN = /<[^<>]*>/g; // formatting of subtitles

/**
 * The reading speed of a text in all its subtitles: "14 characters/s"; '' if their times are unknown.
 * @param {string} text
 * @param {Limits} limits
 * @returns {{text: string, isOver: boolean, said?: string}} `said`: why the text is too long
 */
const speedNote = (text, limits) => {
  const seconds = limits.cues.reduce((sum, [milliseconds]) => sum + milliseconds, 0) / 1000;
  if (!seconds) return {text: '', isOver: false};
  const n = Math.ceil(countCharacters(text.replace(HIDDEN, ''), limits) / seconds);
  return {
    text: t('field.speed', {n}),
    isOver: n > limits.max_speed,
    said: t('check.limits.speed', {texts: String(limits.max_speed)}),
  };
};

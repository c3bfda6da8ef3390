/* Words for the model's figures, the same in all places; docs/translators.md explains the bounds and how far to trust
   them. A figure is shown only where a person points at the word. */
import {number, t} from './dom.js';

/** Prices up to each bound have its word; above the last, the words are forced. */
const PRICES = /** @type {const} */ ([
  [-0.05, 'better'],
  [0.05, 'well'],
  [0.15, 'fits'],
  [0.4, 'poorly'],
]);
/** Scores from each bound on have its word; below the last, the model is unsure. */
const SCORES = /** @type {const} */ ([
  [-0.4, 'sure'],
  [-0.6, 'fairly'],
]);

/**
 * How well required words, or another translation, fit the sentence; for a ban, what it costs.
 * @param {number} price how much the score is lower with them
 * @param {boolean} [isBan]
 */
export const fitWord = (price, isBan = false) => {
  const [, name] = PRICES.find(([bound]) => price <= bound) ?? [0, 'forced'];
  return t(isBan && name !== 'forced' ? `fit.ban.${name}` : `fit.${name}`);
};

/**
 * How sure the model is of a translation.
 * @param {number} score
 */
export const sureWord = score => t(`sure.${SCORES.find(([bound]) => score >= bound)?.[1] ?? 'unsure'}`);

/**
 * The score as a figure, with what it means.
 * @param {number} score
 */
export const scoreTitle = score => t('sure.title', {score: number(score)});

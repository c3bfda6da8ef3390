/* The constraints of a segment as plain values: {pins: [text], termsOff: [key], bans: [{text, case}], beginning: text,
   locked: [text]}. If a pin and a ban contradict each other, the newer one stays. The beginning and locked texts stay
   until a change contradicts them. */
import {occursIn} from './boundaries.js';

/**
 * Whether the banned words occur in a text as whole words.
 * @param {string} text
 * @param {Ban} ban
 */
export const containsBanned = (text, {text: banned, case: kind}) =>
  kind === 'permissive' ? occursIn(text.toLowerCase(), banned.toLowerCase()) : occursIn(text, banned);

/**
 * Whether a text contains all pins and no ban.
 * @param {string} text
 * @param {{pins: string[], bans: Ban[]}} options
 */
export const isMetBy = (text, {pins, bans}) =>
  pins.every(pinned => containsBanned(text, {text: pinned, case: 'exact'})) &&
  !bans.some(item => containsBanned(text, item));

/**
 * Adds a pin in place of `replaced`; `lifted` are the banned texts that contradicted it and were removed.
 * @param {{pins: string[], bans: Ban[]}} options
 * @param {string} text
 * @param {string[]} [replaced]
 */
export const pin = ({pins, bans}, text, replaced = []) => {
  const left = [...pins];
  for (const old of replaced) {
    const at = left.indexOf(old);
    if (at >= 0) left.splice(at, 1);
  }
  const clashing = bans.filter(item => containsBanned(text, item));
  return {
    pins: [...left, text],
    bans: bans.filter(item => !clashing.includes(item)),
    lifted: clashing.map(item => item.text),
  };
};

/**
 * Removes the newest pin with that text, and the beginning and locked texts that contain it.
 * @param {{pins: string[], beginning: string, locked: string[]}} options
 * @param {string} text
 */
export const unpin = ({pins, beginning, locked}, text) => ({
  pins: pins.filter((_, i) => i !== pins.lastIndexOf(text)),
  ...without({beginning, locked}, {text, case: 'exact'}),
});

/**
 * Adds a ban; `lifted` are the pins that contradicted it and were removed.
 * @param {{pins: string[], bans: Ban[], beginning: string, locked: string[]}} options
 * @param {string} text
 * @param {BanCase} [kind]
 */
export const ban = ({pins, bans, beginning, locked}, text, kind = 'exact') => {
  /** @type {Ban} */
  const item = {text, case: kind};
  const lifted = [...new Set(pins.filter(pinned => containsBanned(pinned, item)))];
  return {
    pins: pins.filter(pinned => !lifted.includes(pinned)),
    bans: [...bans.filter(other => other.text !== text), item],
    ...without({beginning, locked}, item),
    lifted,
  };
};

/**
 * @param {{beginning: string, locked: string[]}} options
 * @param {Ban} item
 */
const without = ({beginning, locked}, item) => ({
  beginning: containsBanned(beginning, item) ? '' : beginning,
  locked: locked.filter(text => !containsBanned(text, item)),
});

/** @type {(keyof Constraints)[]} */
const PARTS = ['pins', 'termsOff', 'bans', 'beginning', 'locked', 'previous'];
/**
 * A copy of an object's constraints.
 * @param {Constraints} constraints
 */
export const partsOf = ({pins, termsOff, bans, beginning, locked, previous}) => ({
  pins: [...pins],
  termsOff: [...termsOff],
  bans: [...bans],
  beginning,
  locked: [...locked],
  previous,
});
/**
 * Whether two sets of constraints are equal.
 * @param {Constraints} a
 * @param {Constraints} b
 */
export const isSame = (a, b) => PARTS.every(part => JSON.stringify(a[part]) === JSON.stringify(b[part]));

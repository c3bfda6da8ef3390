/* What a segment's translation must and must not contain, as plain values: {pins: [text], termsOff: [key],
   bans: [{text, case}], beginning: text, locked: [text]}. A pin and a ban that contradict each other never stand together:
   the newer stays. What the translation begins with, and what is locked in it, stays until a change contradicts it. */
import {occursIn} from './boundaries.js';

/**
 * Whether the banned words occur in a text as whole words.
 * @param {string} text
 * @param {Ban} ban
 */
export const standsIn = (text, {text: banned, case: kind}) =>
  kind === 'permissive' ? occursIn(text.toLowerCase(), banned.toLowerCase()) : occursIn(text, banned);

/**
 * Whether a text has all that is pinned and nothing that is banned.
 * @param {string} text
 * @param {{pins: string[], bans: Ban[]}} options
 */
export const isMetBy = (text, {pins, bans}) =>
  pins.every(pinned => standsIn(text, {text: pinned, case: 'exact'})) && !bans.some(item => standsIn(text, item));

/**
 * With one more pin in place of `replaced`; `lifted` names the bans that had to give way.
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
  const clashing = bans.filter(item => standsIn(text, item));
  return {
    pins: [...left, text],
    bans: bans.filter(item => !clashing.includes(item)),
    lifted: clashing.map(item => item.text),
  };
};

/**
 * Without the newest pin of that text; what is kept and holds it is free again.
 * @param {{pins: string[], beginning: string, locked: string[]}} options
 * @param {string} text
 */
export const unpin = ({pins, beginning, locked}, text) => ({
  pins: pins.filter((_, i) => i !== pins.lastIndexOf(text)),
  ...without({beginning, locked}, {text, case: 'exact'}),
});

/**
 * With one more word banned; `lifted` names the pins that had to give way.
 * @param {{pins: string[], bans: Ban[], beginning: string, locked: string[]}} options
 * @param {string} text
 * @param {BanCase} [kind]
 */
export const ban = ({pins, bans, beginning, locked}, text, kind = 'exact') => {
  /** @type {Ban} */
  const item = {text, case: kind};
  const lifted = [...new Set(pins.filter(pinned => standsIn(pinned, item)))];
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
  beginning: standsIn(beginning, item) ? '' : beginning,
  locked: locked.filter(text => !standsIn(text, item)),
});

/** @type {(keyof Constraints)[]} */
const PARTS = ['pins', 'termsOff', 'bans', 'beginning', 'locked'];
/**
 * A copy of the constraints that an object holds.
 * @param {Constraints} holder
 */
export const partsOf = ({pins, termsOff, bans, beginning, locked}) => ({
  pins: [...pins],
  termsOff: [...termsOff],
  bans: [...bans],
  beginning,
  locked: [...locked],
});
/**
 * Whether two sets ask for the same.
 * @param {Constraints} a
 * @param {Constraints} b
 */
export const isSame = (a, b) => PARTS.every(part => JSON.stringify(a[part]) === JSON.stringify(b[part]));

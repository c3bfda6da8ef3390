/* The constraints of a segment as plain values: {pins: [text], termsOff: [key], bans: [{text, case}], beginning: text,
   locked: [text]}. If a pin and a ban contradict each other, the newer one stays. The beginning and locked texts stay
   until a change contradicts them. */
import {occursIn, placesOf} from './boundaries.js';
import {folded} from './folding.js';

/**
 * True if the banned words occur in a text as whole words.
 * @param {string} text
 * @param {Ban} ban
 */
export const containsBanned = (text, {text: banned, case: kind}) =>
  kind === 'permissive'
    ? occursIn(folded(text.toLowerCase()), folded(banned.toLowerCase()))
    : occursIn(folded(text), folded(banned));

/**
 * True if a text contains all pins and no ban.
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

/**
 * The words of a proposal with these pins marked, before the server has answered: words that are marked already stay, a
 * mark whose pin was removed goes, and a pin without a mark gets the first place where its words are not marked yet.
 * @param {Run[]} tokens
 * @param {string[]} pins
 * @returns {Run[]}
 */
export const markPins = (tokens, pins) => {
  const marked = tokens.map(token =>
    token.pin !== undefined && !pins.includes(token.pin) ? {...token, pin: undefined, at: undefined} : {...token},
  );
  const text = marked.map(token => token.t).join('');
  /** @type {Map<number | string | undefined, string>} */
  const marks = new Map();
  for (const {pin: pinned, at} of marked) if (pinned !== undefined) marks.set(at, pinned);
  const placed = [...marks.values()];
  pins.forEach((pinned, number) => {
    const known = placed.indexOf(pinned);
    if (known >= 0) {
      placed.splice(known, 1);
      return;
    }
    for (const [start, end] of placesOf(text, pinned)) {
      let at = 0;
      const covered = marked.filter(token => {
        const from = at;
        at += token.t.length;
        return from < end && at > start;
      });
      if (covered.some(token => token.pin !== undefined)) continue;
      for (const token of covered) Object.assign(token, {pin: pinned, at: `new ${number}`});
      return;
    }
  });
  return marked;
};

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
 * True if two sets of constraints are equal.
 * @param {Constraints} a
 * @param {Constraints} b
 */
export const isSame = (a, b) => PARTS.every(part => JSON.stringify(a[part]) === JSON.stringify(b[part]));

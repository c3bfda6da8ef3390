/* The constraints of a segment as one value that is never changed in place, in the form of the protocol. If a pin and a ban
   contradict each other, the newer one stays. The fixed beginning and locked texts stay until a change contradicts them. */
import {occursIn, placesOf} from './boundaries.js';
import {folded} from './folding.js';

/** @type {Readonly<Constraints>} */
export const NO_CONSTRAINTS = {pins: [], terms_off: [], bans: [], prefix: '', locked: [], follow: '', pin_sources: []};

/** @type {(keyof Constraints)[]} */
const PARTS = ['pins', 'terms_off', 'bans', 'prefix', 'locked', 'follow', 'pin_sources'];

/**
 * True if two sets of constraints are equal.
 * @param {Constraints} a
 * @param {Constraints} b
 */
export const isSame = (a, b) => PARTS.every(part => JSON.stringify(a[part]) === JSON.stringify(b[part]));

/**
 * True if no text is required, banned or fixed.
 * @param {Constraints} constraints
 */
export const isEmpty = ({pins, bans, prefix, locked}) => !(pins.length || bans.length || prefix || locked.length);

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
 * @param {Pick<Constraints, 'pins' | 'bans'>} constraints
 */
export const isMetBy = (text, {pins, bans}) =>
  pins.every(pinned => containsBanned(text, {text: pinned, case: 'exact'})) &&
  !bans.some(item => containsBanned(text, item));

/**
 * Adds a pin in place of `replaced`; `lifted` are the banned texts that contradicted it and were removed.
 * @param {Constraints} constraints
 * @param {string} text
 * @param {string[]} [replaced]
 */
export const withPin = (constraints, text, replaced = []) => {
  const pins = [...constraints.pins];
  for (const old of replaced) {
    const at = pins.indexOf(old);
    if (at >= 0) pins.splice(at, 1);
  }
  const clashing = constraints.bans.filter(item => containsBanned(text, item));
  return {
    constraints: {
      ...constraints,
      pins: [...pins, text],
      bans: constraints.bans.filter(item => !clashing.includes(item)),
    },
    lifted: clashing.map(item => item.text),
  };
};

/**
 * Removes the newest pin with that text, and the fixed texts that contain it.
 * @param {Constraints} constraints
 * @param {string} text
 * @returns {Constraints}
 */
export const withoutPin = (constraints, text) => ({
  ...withoutFixed(constraints, {text, case: 'exact'}),
  pins: constraints.pins.filter((_, i) => i !== constraints.pins.lastIndexOf(text)),
});

/**
 * Adds a ban; `lifted` are the pins that contradicted it and were removed.
 * @param {Constraints} constraints
 * @param {string} text
 * @param {BanCase} [kind]
 */
export const withBan = (constraints, text, kind = 'exact') => {
  /** @type {Ban} */
  const item = {text, case: kind};
  const lifted = [...new Set(constraints.pins.filter(pinned => containsBanned(pinned, item)))];
  return {
    constraints: {
      ...withoutFixed(constraints, item),
      pins: constraints.pins.filter(pinned => !lifted.includes(pinned)),
      bans: [...constraints.bans.filter(other => other.text !== text), item],
    },
    lifted,
  };
};

/**
 * Frees the fixed texts that contain these words.
 * @param {Constraints} constraints
 * @param {Ban} item
 * @returns {Constraints}
 */
const withoutFixed = (constraints, item) => ({
  ...constraints,
  prefix: containsBanned(constraints.prefix, item) ? '' : constraints.prefix,
  locked: constraints.locked.filter(text => !containsBanned(text, item)),
});

/**
 * The places of pins in a text, as [start, end, pin]: the place of the words that the person pinned, else where the server
 * put them, else the first place of their words that no other pin has.
 * @param {string} text
 * @param {Run[]} runs joined, they are the text
 * @param {string[]} pins
 * @param {ChosenPlace[]} [chosen] the places that the person chose
 * @returns {[number, number, string][]}
 */
export const pinPlaces = (text, runs, pins, chosen = []) => {
  const left = [...pins];
  const take = (/** @type {string} */ pin) => left.includes(pin) && left.splice(left.indexOf(pin), 1).length > 0;
  /** @type {[number, number, string][]} */
  const places = [];
  const isFree = (/** @type {number[]} */ [start, end]) => !places.some(([a, b]) => a < end && start < b);
  for (const {pin, occurrence} of chosen) {
    const place = [...placesOf(text, pin)][occurrence];
    if (place && isFree(place) && take(pin)) places.push([place[0], place[1], pin]);
  }
  /** @type {Map<number | string | undefined, [number, number, string]>} */
  const known = new Map();
  let from = 0;
  for (const {t, pin, at} of runs) {
    const place = known.get(at);
    if (pin !== undefined && pins.includes(pin)) known.set(at, [place?.[0] ?? from, from + t.length, pin]);
    from += t.length;
  }
  for (const [start, end, pin] of known.values()) if (isFree([start, end]) && take(pin)) places.push([start, end, pin]);
  for (const pin of left) {
    const free = [...placesOf(text, pin)].find(isFree);
    if (free) places.push([free[0], free[1], pin]);
  }
  return places.sort((a, b) => a[0] - b[0]);
};

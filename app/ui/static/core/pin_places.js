/* The places of pins in a proposal, on its words: {t, w?, pin?, at?}, which joined are the text. A phrase typed over words
   and a moved pin result in the text to keep, in which each pin has its place. */

/** @param {Run[]} tokens */
export const textOf = tokens => tokens.map(token => token.t).join('');

let number = 0; // of the newest mark; the marks of two pins of the same text differ

/**
 * Words of a pin that the server has not answered yet.
 * @param {string} pin
 * @param {Run[]} tokens
 * @returns {Run[]}
 */
const marked = (pin, tokens) => {
  const at = `here ${++number}`;
  return tokens.map(token => ({...token, pin, at}));
};

/**
 * @param {Run | undefined} a
 * @param {Run | undefined} b
 */
const isSamePin = (a, b) => a?.pin !== undefined && a.pin === b?.pin && a.at === b.at;

/**
 * The tokens from one word to another, and of all pins that they touch: [first, last], or null.
 * @param {Run[]} tokens
 * @param {number} from
 * @param {number} to
 * @returns {[number, number] | null}
 */
const wholePins = (tokens, from, to) => {
  let first = tokens.findIndex(token => token.w === Math.min(from, to));
  let last = tokens.findLastIndex(token => token.w === Math.max(from, to));
  if (first < 0 || last < 0) return null;
  while (isSamePin(tokens[first], tokens[first - 1])) first--;
  while (isSamePin(tokens[last], tokens[last + 1])) last++;
  return [first, last];
};

/**
 * The texts of the pins in some tokens, one for each place.
 * @param {Run[]} tokens
 */
const pinsIn = tokens => [
  ...new Map(tokens.flatMap(({at, pin}) => (pin === undefined ? [] : [/** @type {const} */ ([at, pin])]))).values(),
];

/**
 * Word numbers in the order of the tokens; the parts of one word have the same number.
 * @param {Run[]} tokens
 */
const numbered = tokens => {
  /** @type {number | undefined} */
  let before;
  let next = -1;
  return tokens.map(token => {
    if (token.w === undefined) {
      before = undefined;
      return token;
    }
    if (token.w !== before) next++;
    before = token.w;
    return {...token, w: next};
  });
};

/**
 * The proposal with the words from one to another pinned as one phrase, with the pins that they touch:
 * {tokens, phrase, replaced}, or null without such words. `replaced`: the pins that are part of the phrase.
 * @param {Run[]} tokens
 * @param {number} from
 * @param {number} to
 */
export const pinned = (tokens, from, to) => {
  const range = wholePins(tokens, from, to);
  if (!range) return null;
  const [first, last] = range;
  const covered = tokens.slice(first, last + 1);
  const phrase = textOf(covered);
  return {
    tokens: [...tokens.slice(0, first), ...marked(phrase, covered), ...tokens.slice(last + 1)],
    phrase,
    replaced: pinsIn(covered),
  };
};

/**
 * The proposal with `typed` in place of the words from one to another, pinned: {tokens, phrase, replaced, word}, or null
 * without such words. The rest of a pin that they touch becomes part of the phrase. `word`: the first word typed.
 * @param {Run[]} tokens
 * @param {number} from
 * @param {number} to
 * @param {string} typed
 */
export const typedOver = (tokens, from, to, typed) => {
  const range = wholePins(tokens, from, to);
  if (!range) return null;
  const [first, last] = range;
  const start = tokens.findIndex(token => token.w === Math.min(from, to));
  const end = tokens.findLastIndex(token => token.w === Math.max(from, to));
  /** @type {Run[]} */
  const words = typed.split(/(\s+)/).flatMap((t, i) => (t ? [i % 2 ? {t} : {t, w: -1 - i}] : []));
  const covered = [...tokens.slice(first, start), ...words, ...tokens.slice(end + 1, last + 1)];
  const phrase = textOf(covered);
  const after = [...tokens.slice(0, first), ...marked(phrase, covered), ...tokens.slice(last + 1)];
  return {
    tokens: numbered(after),
    phrase,
    replaced: pinsIn(tokens.slice(first, last + 1)),
    word: Math.min(from, to),
  };
};

/**
 * The words and pins of a proposal, in order: what a pin can be moved past.
 * @param {Run[]} tokens
 */
export const unitsOf = tokens => {
  /** @type {{first: number, last: number, words: number[], isPin: boolean}[]} */
  const units = [];
  tokens.forEach((token, i) => {
    const unit = units.at(-1);
    const before = tokens[i - 1];
    const isContinued = isSamePin(token, before) || (token.w !== undefined && token.w === before?.w && !before?.pin);
    if (unit && isContinued) unit.last = i;
    else if (token.pin !== undefined || token.w !== undefined)
      units.push({first: i, last: i, words: [], isPin: token.pin !== undefined});
    if (token.w !== undefined && units.at(-1)?.words.at(-1) !== token.w) units.at(-1)?.words.push(token.w);
  });
  return units;
};

/**
 * The proposal with a pin moved before or behind another word or pin (numbers as of `unitsOf`): {tokens, word}, where
 * `word` is the first word of the pin; null if that changes nothing.
 * @param {Run[]} tokens
 * @param {number} moved
 * @param {number} to
 * @param {boolean} isAfter
 */
export const movedPin = (tokens, moved, to, isAfter) => {
  const units = unitsOf(tokens);
  const [from, target] = [units[moved], units[to]];
  if (!from?.isPin || !target || from === target) return null;
  const pin = tokens.slice(from.first, from.last + 1);
  const rest = tokens.map(token => ({...token}));
  const before = rest[from.first - 1];
  const behind = rest[from.last + 1];
  const opens = !before || /\s$/u.test(before.t);
  const closes = behind !== undefined && behind.w === undefined && /^\s/u.test(behind.t);
  if (opens && closes) behind.t = behind.t.replace(/^\s/u, '');
  else if (before && opens) before.t = before.t.replace(/\s$/u, '');
  // In a script without spaces words touch each other, before and after the move.
  /** @type {Run[]} */
  const space = closes || (before && opens) ? [{t: ' '}] : [];
  const place = isAfter ? target.last + 1 : target.first;
  const inserted = isAfter ? [...space, ...pin] : [...pin, ...space];
  const left = (/** @type {number} */ start, /** @type {number} */ end) =>
    rest.slice(start, end).filter((_, i) => start + i < from.first || start + i > from.last);
  const after = [...left(0, place), ...inserted, ...left(place, rest.length)].filter(token => token.t || token.ban);
  if (textOf(after) === textOf(tokens)) return null;
  const result = numbered(after);
  return {tokens: result, word: result.find(token => token.at === pin[0].at && token.w !== undefined)?.w ?? 0};
};

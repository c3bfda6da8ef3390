/* The beginning and end of words: the same rules as in the engine (engine/text/boundaries.py), tested against the same
   table of cases (tests/shared). All of it counts code points. */

const WORD_CHAR = /^[\p{L}\p{M}\p{N}]$/u;
const MARK = /^\p{M}$/u;
const DIGIT = /^\p{Nd}$/u;
const NUMBER_JOINERS = '.,';
// Thai, Lao, Tibetan, Burmese, Khmer, Tai scripts and their extensions; bopomofo, kana, Han and its extensions.
const UNSPACED =
  /^[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u1950-\u19df\u3005-\u3007\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaadf\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]$/u;

/**
 * A letter, mark or number; the underscore and hyphens are not.
 * @param {string} char
 */
export const isWordChar = char => WORD_CHAR.test(char);

/**
 * A letter or mark of a script without spaces between words, such as Han, kana and Thai.
 * @param {string} char
 */
export const isUnspaced = char => UNSPACED.test(char) && isWordChar(char) && !DIGIT.test(char);

/** @param {string} text */
export const hasUnspaced = text => [...text].some(isUnspaced);

/** @param {string | undefined} char */
const joinsWords = char => char !== undefined && isWordChar(char) && !isUnspaced(char);

/**
 * True if a character inside the phrase and the characters outside belong to one word or number.
 * @param {string} edge the phrase's first or last character
 * @param {string | undefined} next the character beside it, outside
 * @param {string | undefined} beyond the character behind that
 */
const isJoined = (edge, next, beyond) =>
  joinsWords(edge) &&
  next !== undefined &&
  (joinsWords(next) || (NUMBER_JOINERS.includes(next) && DIGIT.test(edge) && DIGIT.test(beyond ?? '')));

/**
 * The occurrences of a phrase in a text as whole words: [start, end] in UTF-16 offsets.
 * @param {string} text
 * @param {string} phrase
 */
export function* placesOf(text, phrase) {
  if (!phrase) return;
  const chars = [...text];
  const searched = [...phrase];
  for (let at = 0; at + searched.length <= chars.length; at++) {
    if (!searched.every((char, i) => chars[at + i] === char)) continue;
    const end = at + searched.length;
    const isWhole =
      !MARK.test(chars[end] ?? '') &&
      !isJoined(searched[0], chars[at - 1], chars[at - 2]) &&
      !isJoined(searched[searched.length - 1], chars[end], chars[end + 1]);
    if (!isWhole) continue;
    const start = chars.slice(0, at).join('').length;
    yield [start, start + phrase.length];
  }
}

/**
 * True if a phrase occurs in a text as whole words.
 * @param {string} text
 * @param {string} phrase
 */
export const occursIn = (text, phrase) => !placesOf(text, phrase).next().done;

/* Where words begin and end in text that is being typed: at spaces, and where a script writes none, as the browser's own
   dictionaries say. What can be pressed in the proposal and the source is the server's to decide. */

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const parts = text => [...new Intl.Segmenter(undefined, {granularity: 'word'}).segment(text)];

/** The first word of a text with the space before it and the marks behind it. */
export const firstWord = text => {
  const chunk = /^\s*\S+/.exec(text)?.[0] ?? text;
  if (!UNSPACED.test(chunk)) return chunk;
  const words = parts(chunk), first = words.find(part => part.isWordLike);
  return first ? chunk.slice(0, first.index + first.segment.length) : chunk;
};

/** [start, end] of the word that a place stands in, or right behind, with the marks at it. */
export const wordAround = (text, place) => {
  const start = place - /\S*$/.exec(text.slice(0, place))[0].length, end = place + /^\S*/.exec(text.slice(place))[0].length;
  const chunk = text.slice(start, end);
  if (!UNSPACED.test(chunk)) return [start, end];
  const at = place - start, words = parts(chunk).filter(part => part.isWordLike);
  const word = words.find(part => part.index <= at && at < part.index + part.segment.length) ?? words.find(part => part.index + part.segment.length === at);
  return word ? [start + word.index, start + word.index + word.segment.length] : [start, end];
};

const IN_WORD = /[\p{L}\p{M}\p{N}]/u;
/** [start, end] of a stretch, grown to the ends of the words that it cuts; a script without spaces is cut as it is. */
export const wholeWords = (text, start, end) => {
  const isCut = at => at > 0 && IN_WORD.test(text[at - 1]) && IN_WORD.test(text[at] ?? '') && !UNSPACED.test(text[at]);
  while (isCut(start)) start--;
  while (isCut(end)) end++;
  return [start, end];
};

/** Where a text can be cut in two: before each word. UTF-16 offsets. */
export const wordStarts = text => (UNSPACED.test(text)
  ? parts(text).filter(part => part.index && part.isWordLike).map(part => part.index)
  : [...text.matchAll(/(?<=\s)\S/gu)].map(match => match.index));

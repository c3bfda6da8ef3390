/* Words begin and end at spaces; in scripts without spaces, where the browser's dictionary says. The server has no
   dictionary: it numbers single characters of such scripts. */

import {hasUnspaced, isUnspaced, isWordChar} from './boundaries.js';

const DICTIONARY = new Intl.Segmenter(undefined, {granularity: 'word'});
/** @param {string} text */
const parts = text => [...DICTIONARY.segment(text)];

/**
 * The first word of a text, with the space before it and the punctuation behind it.
 * @param {string} text
 */
export const firstWord = text => {
  const chunk = /^\s*\S+/.exec(text)?.[0] ?? text;
  if (!hasUnspaced(chunk)) return chunk;
  const words = parts(chunk);
  const first = words.find(part => part.isWordLike);
  return first ? chunk.slice(0, first.index + first.segment.length) : chunk;
};

/**
 * The words of a text with their punctuation; in a script without spaces, those of the dictionary and the marks between.
 * @param {string} text
 */
export const chunksOf = text =>
  [...text.matchAll(/\S+/g)].flatMap(({0: chunk, index}) =>
    hasUnspaced(chunk)
      ? parts(chunk).map(part => ({text: part.segment, start: index + part.index}))
      : [{text: chunk, start: index}],
  );

/**
 * [start, end] of the word at or right before a place, with its punctuation.
 * @param {string} text
 * @param {number} place
 * @returns {[number, number]}
 */
export const wordAround = (text, place) => {
  const [start, end] = betweenTags(
    text,
    place,
    place - (/\S*$/.exec(text.slice(0, place))?.[0] ?? '').length,
    place + (/^\S*/.exec(text.slice(place))?.[0] ?? '').length,
  );
  const chunk = text.slice(start, end);
  if (!hasUnspaced(chunk)) return [start, end];
  const at = place - start;
  const words = parts(chunk).filter(part => part.isWordLike);
  const word =
    words.find(part => part.index <= at && at < part.index + part.segment.length) ??
    words.find(part => part.index + part.segment.length === at);
  return word ? [start + word.index, start + word.index + word.segment.length] : [start, end];
};

/**
 * [start, end] of the part of a range without tags that is at a place, else of the next one, else of the last.
 * @param {string} text
 * @param {number} place
 * @param {number} start
 * @param {number} end
 * @returns {[number, number]}
 */
const betweenTags = (text, place, start, end) => {
  /** @type {[number, number][]} */
  const parts = [];
  let from = start;
  for (const {0: tag, index} of text.slice(start, end).matchAll(/\{\/?\d+\}/g)) {
    parts.push([from, start + index]);
    from = start + index + tag.length;
  }
  const words = [...parts, /** @type {[number, number]} */ ([from, end])].filter(([a, b]) => a < b);
  return words.find(([, stop]) => place <= stop) ?? words.at(-1) ?? [start, end];
};

/**
 * [start, end] of the word at or right before a place, without its punctuation.
 * @param {string} text
 * @param {number} place
 * @returns {[number, number]}
 */
export const wordAt = (text, place) => {
  const [start, end] = wordAround(text, place);
  const word = withoutMarks(text.slice(start, end));
  const from = start + text.slice(start, end).indexOf(word);
  return [from, from + word.length];
};

/**
 * [start, end] of a range, extended to whole words; in a script without spaces it stays as it is.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 */
export const wholeWords = (text, start, end) => {
  /** @param {number} at */
  const isCut = at => at > 0 && isWordChar(text[at - 1]) && isWordChar(text[at] ?? '') && !isUnspaced(text[at]);
  while (isCut(start)) start--;
  while (isCut(end)) end++;
  return [start, end];
};

/**
 * The places where a text can be split: before each word but the first. UTF-16 offsets.
 * @param {string} text
 */
export const wordStarts = text =>
  hasUnspaced(text)
    ? parts(text)
        .filter(part => part.index && part.isWordLike)
        .map(part => part.index)
    : [...text.matchAll(/(?<=\s)\S/gu)].map(match => match.index);

/**
 * A segment's details with words of the dictionary instead of the server's characters, for scripts without spaces: in
 * the source, in the proposal, and in everything that refers to their words.
 * @param {Detail} detail
 * @returns {Detail}
 */
export const inWords = detail => {
  const source = joined(detail.source);
  const {proposal} = detail;
  if (!proposal) return {...detail, source: source.runs};
  const target = joined(proposal.tokens);
  return {
    ...detail,
    source: source.runs,
    proposal: {
      ...proposal,
      tokens: target.runs,
      confidence: target.numbers.map(numbers => Math.min(...numbers.map(number => proposal.confidence[number] ?? 1))),
      alignment: proposal.alignment.flatMap(([from, to]) =>
        source
          .wordsOf(from)
          .flatMap(word => target.wordsOf(to).map(other => /** @type {[number, number]} */ ([word, other]))),
      ),
    },
    learned_from: detail.learned_from.map(one => {
      const shares = new Map(one.words);
      return {
        ...one,
        words: target.numbers.flatMap((numbers, word) => {
          const known = numbers.flatMap(number => shares.get(number) ?? []);
          return known.length ? [/** @type {[number, number]} */ ([word, Math.max(...known)])] : [];
        }),
      };
    }),
  };
};

/**
 * Joins the server's words of scripts without spaces to words of the dictionary, but not across the edge of a
 * constraint or a term. Returns {runs, numbers, wordsOf}: the runs with new word numbers; for each new word, the
 * numbers of the server's words in it; and the new words that contain a server's word.
 * @param {Run[]} runs
 */
const joined = runs => {
  const text = runs.map(run => run.t).join('');
  const begins = hasUnspaced(text) ? beginnings(text) : null;
  /** @type {(Run & {isUnspaced: boolean, end: number})[]} */
  const result = [];
  /** @type {number[][]} */
  const numbers = [];
  let place = 0;
  for (const run of runs) {
    const isInUnspaced = run.w !== undefined && begins !== null && hasUnspaced(run.t);
    for (const piece of isInUnspaced && begins ? cutAt(run.t, place, begins) : [run.t]) {
      const before = result.at(-1);
      const isSame = before?.w !== undefined && before.end === place;
      const isJoined =
        isInUnspaced &&
        isSame &&
        before.isUnspaced &&
        !begins?.has(place) &&
        !before.terms &&
        KINDS.every(kind => before[kind] === run[kind]);
      if (isJoined) Object.assign(before, {t: before.t + piece, end: place + piece.length, terms: run.terms});
      else {
        const isContinued = isSame && !isInUnspaced && run.w !== undefined && numbers.at(-1)?.includes(run.w);
        if (run.w !== undefined && !isContinued) numbers.push([]);
        result.push({
          ...run,
          t: piece,
          w: run.w === undefined ? undefined : numbers.length - 1,
          isUnspaced: isInUnspaced,
          end: place + piece.length,
        });
      }
      if (run.w !== undefined && !numbers.at(-1)?.includes(run.w)) numbers.at(-1)?.push(run.w);
      place += piece.length;
    }
  }
  /** @type {Map<number, number[]>} */
  const words = new Map();
  numbers.forEach((of, word) => of.forEach(number => words.set(number, [...(words.get(number) ?? []), word])));
  return {
    runs: result.map(({isUnspaced, end, ...run}) => run),
    numbers,
    /** @param {number} number */
    wordsOf: number => words.get(number) ?? [],
  };
};
/** @type {(keyof Run)[]} */
const KINDS = ['pin', 'at', 'is_term', 'kept', 'tag', 'term', 'listed']; // runs of one word have the same values of these

/**
 * The starts of words and of the text between them. A run of katakana is one word: dictionaries do not know most names.
 * @param {string} text
 */
const beginnings = text =>
  new Set(
    parts(text)
      .map(part => part.index)
      .filter(i => !KATAKANA.test(text.slice(i - 1, i)) || !KATAKANA.test(text[i])),
  );
const KATAKANA = /[\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]/;

/**
 * A run that begins at `place`, cut where words begin.
 * @param {string} text
 * @param {number} place
 * @param {Set<number>} begins
 */
const cutAt = (text, place, begins) => {
  const edges = [...Array(text.length).keys()].filter(i => !i || begins.has(place + i));
  return edges.map((start, i) => text.slice(start, edges[i + 1]));
};

// As in app/text/words.py: full-width marks on both sides, others on their own side.
const EITHER = '。，、．！？：；・･～「」『』（）《》〈〉【】〔〕［］';
const MARKS = new RegExp(`^[„“”‚‘’»«›‹"'([¿¡${EITHER}]+|[“”‘’«»‹›"')\\].,;:!?…${EITHER}]+$`, 'gu');
/**
 * A word without the punctuation around it.
 * @param {string} word
 */
export const withoutMarks = word => word.replace(MARKS, '');

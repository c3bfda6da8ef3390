/* The changes made in the edit field since its text was sent last, in order: offset, characters removed, new text,
   origin. Offsets count code points, as on the server; letters typed in one go are one change. The server checks the
   changes against the texts. */

const PASTED = ['insertFromPaste', 'insertFromPasteAsQuotation', 'insertFromDrop', 'insertFromYank'];
const TYPED =
  /^(insertText|insertCompositionText|insertFromComposition|insertLineBreak|insertParagraph|insertTranspose|delete.*)$/;
const SEVERAL_WORDS = /\S\s+\S/;

/**
 * "typed", "paste", "spelling", or "other", such as dictation.
 * @param {{inputType?: string, data?: string | null}} event
 * @returns {TextChange[3]}
 */
export const originOf = ({inputType = '', data = null}) => {
  if (PASTED.includes(inputType)) return 'paste';
  if (inputType === 'insertReplacementText') return 'spelling';
  return TYPED.test(inputType) && !(inputType === 'insertText' && SEVERAL_WORDS.test(data ?? '')) ? 'typed' : 'other';
};

/**
 * The length in code points.
 * @param {string} text
 */
export const countOf = text => [...text].length;
/**
 * @param {string} text
 * @param {number} at
 */
const halves = (text, at) => at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
/**
 * @param {string} before
 * @param {string} after
 * @param {number} start
 * @param {number} end
 */
const replaces = (before, after, start, end) => {
  const tail = before.length - end;
  return (
    start <= after.length - tail &&
    before.slice(0, start) === after.slice(0, start) &&
    before.slice(end) === after.slice(after.length - tail)
  );
};

/**
 * [offset, characters removed, new text] in code points: the selection was replaced, else the change ends at the caret.
 * @param {string} before
 * @param {string} after
 * @param {number} caret
 * @param {[number, number]} [options]
 * @returns {[number, number, string]}
 */
export const changeBetween = (before, after, caret, [from, to] = [0, 0]) => {
  let start = from;
  let tail = before.length - to;
  if (from === to || !replaces(before, after, from, to)) {
    const shorter = Math.min(before.length, after.length);
    tail = after.length - caret;
    if (tail > shorter || !before.endsWith(after.slice(caret))) tail = 0;
    for (start = 0; start < shorter - tail && before[start] === after[start]; ) start++;
    while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  }
  while (halves(before, start) || halves(after, start)) start--;
  while (halves(before, before.length - tail) || halves(after, after.length - tail)) tail--;
  return [
    countOf(before.slice(0, start)),
    countOf(before.slice(start, before.length - tail)),
    after.slice(start, after.length - tail),
  ];
};

/**
 * The changes with another one added. Letters typed or deleted at the end of the last change become part of it.
 * @param {TextChange[]} changes
 * @param {TextChange} next
 * @returns {TextChange[]}
 */
const withNext = (changes, next) => {
  const last = changes.at(-1);
  const [offset, numGone, came, origin] = next;
  if (last?.[3] !== 'typed' || origin !== 'typed') return [...changes, next];
  const [at, gone, text] = last;
  const rest = changes.slice(0, -1);
  if (!numGone && text && offset === at + countOf(text)) return [...rest, [at, gone, text + came, origin]];
  if (!came && !text && (offset === at || offset === at - numGone))
    return [...rest, [offset, gone + numGone, '', origin]];
  return [...changes, next];
};

/**
 * Two edit commands as one; null if they differ in kind, so that both are sent.
 * @param {CommandArgs} earlier
 * @param {CommandArgs} later
 */
export const joinedEdits = (earlier, later) =>
  earlier.reported && later.reported
    ? {
        ...later,
        reported: {
          before: earlier.reported.before,
          changes: later.reported.changes.reduce(withNext, earlier.reported.changes),
        },
      }
    : null;

export class Changes {
  before = '';
  text = '';
  /** @type {TextChange[]} */
  list = [];

  /**
   * Starts from this text, without changes.
   * @param {string} text
   */
  begin(text) {
    this.before = text;
    this.text = text;
    this.list = [];
  }

  /**
   * Adds the change from the last text to this one.
   * @param {string} text
   * @param {TextChange[3]} origin
   * @param {number} caret
   * @param {[number, number]} [selection]
   */
  note(text, origin, caret, selection) {
    if (text === this.text) return;
    this.list = withNext(this.list, [...changeBetween(this.text, text, caret, selection), origin]);
    this.text = text;
  }

  /**
   * Returns {before, changes} since the last call, with a word that is still being composed, and starts again.
   * @param {string} text
   */
  take(text) {
    this.note(text, 'typed', text.length);
    const reported = {before: this.before, changes: this.list};
    this.begin(text);
    return reported;
  }

  /**
   * Puts changes back that were taken but not stored.
   * @param {EditReport} options
   */
  putBack({before, changes}) {
    this.before = before;
    this.list = this.list.reduce(withNext, changes);
  }
}

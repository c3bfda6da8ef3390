/* The folding of texts for comparison: the same rule as in app/text/folding.py, tested against the same table of cases
   (tests/shared). */

const PLAIN = /^[ -~]*$/;
// Characters that are not seen, except a zero-width non-joiner between Arabic letters.
const HIDDEN = /(?!\u200c)\p{Default_Ignorable_Code_Point}|(?<![\u0600-\u08ff])\u200c|\u200c(?![\u0600-\u08ff])/gu;
/** @type {[RegExp, string | ((found: string) => string)][]} */
const FORMS = [
  [/ß/g, 'ſs'],
  [/ẞ/g, 'SS'],
  [/[\u2010\u2011]/g, '-'],
  [/[\u2018\u2019\u201a\u201b\u02bc]/g, "'"],
  [/[\u201c-\u201f]/g, '"'],
  [/[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/g, found => found.normalize('NFKC')],
];
const SPACES = /[\s\u001c-\u001f\u0085]+/g;

/**
 * The text without hidden characters, with single spaces, and with one form of each hyphen, apostrophe and quote.
 * @param {string} text
 */
export const folded = text => {
  let result = text;
  if (!PLAIN.test(text)) {
    result = text.replace(HIDDEN, '');
    for (const [found, form] of FORMS) result = result.replace(found, /** @type {string} */ (form));
    result = result.normalize('NFC');
  }
  return result.replace(SPACES, ' ');
};

/**
 * The folded text in lower case, in which ß equals ss.
 * @param {string} text
 */
export const foldedLower = text => folded(text).toLowerCase().replaceAll('ſ', 's');

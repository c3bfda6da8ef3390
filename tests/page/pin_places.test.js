import assert from 'node:assert/strict';
import {test} from 'node:test';
import {movedPin, pinned, textOf, typedOver, unitsOf} from '../../app/ui/static/core/pin_places.js';

/**
 * "Die [alte Uhr] geht." as tokens: words, the text between them, and pins in brackets.
 * @param {string} text
 * @returns {Run[]}
 */
const tokensOf = text => {
  let w = 0;
  return text.split(/(\[[^\]]*\])/).flatMap((part, at) =>
    (part.replace(/[[\]]/g, '').match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) ?? []).map(t => ({
      t,
      ...(/^[\p{L}\p{N}]/u.test(t) ? {w: w++} : {}),
      ...(part.startsWith('[') ? {pin: part.slice(1, -1), at} : {}),
    })),
  );
};

/**
 * Tokens as text, with pins in brackets.
 * @param {Run[] | undefined} tokens
 */
const shown = tokens => {
  const parts = (tokens ?? []).map((token, i, all) => {
    const isSame = (/** @type {Run | undefined} */ other) => other?.pin === token.pin && other?.at === token.at;
    if (token.pin === undefined) return token.t;
    return `${isSame(all[i - 1]) ? '' : '['}${token.t}${isSame(all[i + 1]) ? '' : ']'}`;
  });
  return parts.join('');
};

/** @param {Run[] | undefined} tokens */
const numbersOf = tokens => (tokens ?? []).flatMap(({w}) => (w === undefined ? [] : [w]));

for (const {text, from, to, expected, replaced, why} of [
  {text: 'Die alte Uhr.', from: 1, to: 1, expected: 'Die [alte] Uhr.', replaced: [], why: 'a word'},
  {text: 'Die alte Uhr.', from: 2, to: 0, expected: '[Die alte Uhr].', replaced: [], why: 'words marked from the end'},
  {text: '[Die] alte Uhr.', from: 0, to: 2, expected: '[Die alte Uhr].', replaced: ['Die'], why: 'a pin and words'},
  {
    text: 'Die [alte Uhr] [geht].',
    from: 2,
    to: 3,
    expected: 'Die [alte Uhr geht].',
    replaced: ['alte Uhr', 'geht'],
    why: 'parts of two pins',
  },
]) {
  test(`${why} become one pin`, () => {
    const after = pinned(tokensOf(text), from, to);
    assert.equal(shown(after?.tokens), expected);
    assert.deepEqual(after?.replaced, replaced);
  });
}

for (const {text, from, to, typed, expected, phrase, replaced, why} of [
  {text: 'Die alte Uhr.', from: 1, to: 1, typed: 'neue', expected: 'Die [neue] Uhr.', phrase: 'neue', replaced: []},
  {
    text: 'Die alte Uhr geht.',
    from: 2,
    to: 1,
    typed: 'sehr alte Wanduhr',
    expected: 'Die [sehr alte Wanduhr] geht.',
    phrase: 'sehr alte Wanduhr',
    replaced: [],
    why: 'several words',
  },
  {
    text: 'auf [allen alten Knoten].',
    from: 2,
    to: 2,
    typed: 'neuen',
    expected: 'auf [allen neuen Knoten].',
    phrase: 'allen neuen Knoten',
    replaced: ['allen alten Knoten'],
    why: 'a word of a pin, of which the rest stays required',
  },
  {
    text: 'Die [alte] Uhr.',
    from: 0,
    to: 1,
    typed: 'Eine',
    expected: '[Eine] Uhr.',
    phrase: 'Eine',
    replaced: ['alte'],
    why: 'a word and a pin',
  },
]) {
  test(`a phrase typed over ${why ?? 'a word'} is pinned in its place`, () => {
    const after = typedOver(tokensOf(text), from, to, typed);
    assert.equal(shown(after?.tokens), expected);
    assert.equal(after?.phrase, phrase);
    assert.deepEqual(after?.replaced, replaced);
    assert.deepEqual(numbersOf(after?.tokens), [...numbersOf(after?.tokens).keys()], 'the words are numbered');
  });
}

test('nothing is typed over or pinned where there is no word', () => {
  assert.equal(typedOver([{t: '...'}], 0, 0, 'Uhr'), null);
  assert.equal(pinned([], 0, 0), null);
});

for (const {text, unit, to, isAfter, expected, why} of [
  {text: 'Die [alte] Uhr geht.', unit: 1, to: 2, isAfter: true, expected: 'Die Uhr [alte] geht.', why: 'past a word'},
  {text: 'Die Uhr [geht].', unit: 2, to: 0, isAfter: false, expected: '[geht] Die Uhr.', why: 'to the beginning'},
  {text: '[Die] Uhr geht.', unit: 0, to: 2, isAfter: true, expected: 'Uhr geht [Die].', why: 'before the full stop'},
  {
    text: 'Wenn sie [heute] geht, dann gut.',
    unit: 2,
    to: 4,
    isAfter: false,
    expected: 'Wenn sie geht, [heute] dann gut.',
    why: 'behind a comma',
  },
  {
    text: 'Wenn sie [heute], geht es.',
    unit: 2,
    to: 0,
    isAfter: true,
    expected: 'Wenn [heute] sie, geht es.',
    why: 'away from a comma',
  },
  {
    text: 'Die [alte Uhr] [geht] gut.',
    unit: 1,
    to: 2,
    isAfter: true,
    expected: 'Die [geht] [alte Uhr] gut.',
    why: 'past another pin',
  },
]) {
  test(`a pin is moved ${why}`, () => {
    const tokens = tokensOf(text);
    const after = movedPin(tokens, unit, to, isAfter);
    assert.equal(shown(after?.tokens), expected);
    assert.deepEqual(numbersOf(after?.tokens), [...numbersOf(after?.tokens).keys()], 'the words are numbered');
    assert.equal(after?.tokens.find(({w}) => w === after.word)?.pin, tokens[unitsOf(tokens)[unit].first].pin);
  });
}

test('a pin in a script without spaces is moved without adding any', () => {
  /** @type {Run[]} */
  const tokens = [{t: '今', w: 0}, {t: '日', w: 1, pin: '日', at: 1}, {t: '人', w: 2}, {t: '。'}];
  assert.equal(shown(movedPin(tokens, 1, 2, true)?.tokens), '今人[日]。');
});

test('a move to the same place, past the end, or of a word that is not pinned changes nothing', () => {
  const tokens = tokensOf('Die [alte] Uhr.');
  assert.equal(movedPin(tokens, 1, 0, true), null);
  assert.equal(movedPin(tokens, 1, 2, false), null);
  assert.equal(movedPin(tokens, 1, 3, true), null);
  assert.equal(movedPin(tokens, 1, -1, false), null);
  assert.equal(movedPin(tokens, 0, 2, true), null);
  assert.equal(shown(tokens), 'Die [alte] Uhr.', 'the words given are not changed');
});

test('a pin can be moved past words and pins', () => {
  const units = unitsOf(tokensOf('Die [alte Uhr] geht.'));
  assert.deepEqual(
    units.map(({words, isPin}) => [words, isPin]),
    [
      [[0], false],
      [[1, 2], true],
      [[3], false],
    ],
  );
  assert.equal(textOf(tokensOf('Die [alte Uhr] geht.')), 'Die alte Uhr geht.');
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {editedStretches, keptOf, runsOf} from '../../app/ui/static/editor/own_words.js';

for (const {text, before, expected, why} of [
  {text: 'a b c', before: 'a b c', expected: [], why: 'nothing changed'},
  {text: 'a x c', before: 'a b c', expected: ['x'], why: 'one word was replaced'},
  {text: 'a b c d', before: 'a c d', expected: ['b'], why: 'a word was inserted'},
  {text: 'a c', before: 'a b c', expected: [], why: 'a word was removed'},
  {text: 'c a', before: 'a c', expected: ['a'], why: 'two words changed places, of which one counts'},
  {text: 'new text', before: '', expected: ['new', 'text'], why: 'there was no proposal'},
]) {
  test(`the edited words are found: ${why}`, () => {
    assert.deepEqual(
      editedStretches(text, before).map(([start, end]) => text.slice(start, end)),
      expected,
    );
  });
}

test('all words of a text too long to compare count as edited', () => {
  const long = Array.from({length: 2100}, (_, i) => `w${i}`).join(' ');
  assert.equal(editedStretches(`x ${long}`, long).length, 2101);
  assert.deepEqual(editedStretches(long, long), []);
});

const PROPOSAL = 'Das Haus ist alt .';
for (const {text, start, end = start, locked = [], prefix = '', expected, why} of [
  {text: PROPOSAL, start: 8, expected: {prefix: 'Das Haus ', locked: []}, why: 'the text up to the caret'},
  {text: PROPOSAL, start: 6, expected: {prefix: 'Das Ha', locked: []}, why: 'half a word at the caret'},
  {text: PROPOSAL, start: 0, expected: {prefix: '', locked: []}, why: 'nothing with the caret at the start'},
  {text: PROPOSAL, start: 9, end: 12, expected: {prefix: '', locked: ['ist']}, why: 'the selection'},
  {
    text: 'Das Haus ist neu .',
    start: 3,
    expected: {prefix: 'Das ', locked: ['neu']},
    why: 'the beginning and a word edited behind it',
  },
  {
    text: PROPOSAL,
    start: 3,
    locked: ['alt', 'missing'],
    expected: {prefix: 'Das ', locked: ['alt']},
    why: 'text locked before, if it is still there',
  },
  {
    text: 'Das Haus steht .',
    start: 0,
    prefix: 'Das Haus ',
    expected: {prefix: 'Das Haus steht ', locked: []},
    why: 'the beginning that was kept before',
  },
  {
    text: 'Das Gebäude ist alt .',
    start: 3,
    expected: {prefix: 'Das Gebäude ', locked: []},
    why: 'neighbours as one',
  },
]) {
  test(`translating the rest keeps ${why}`, () => {
    assert.deepEqual(keptOf({text, start, end}, PROPOSAL, {prefix, locked}), expected);
  });
}

/** @param {string} text @param {Run[]} tokens */
const known = (text, tokens) => runsOf(text, tokens).map(({t, w}) => (w === undefined ? t : `[${w} ${t}]`));

test("in a text of the person's own, the machine's words keep their numbers", () => {
  /** @type {Run[]} */
  const tokens = [
    {t: 'Das', w: 0},
    {t: ' '},
    {t: 'Haus', w: 1, pin: 'Haus', at: 0},
    {t: ', '},
    {t: 'alt', w: 2},
    {t: '.'},
  ];
  assert.equal(runsOf('Das Haus, alt.', tokens), tokens, 'the proposal itself');
  assert.deepEqual(known('Das neue Haus, alt.', tokens), ['[0 Das]', ' neue ', '[1 Haus]', ', ', '[2 alt]', '.']);
  assert.deepEqual(
    known('Das Haus ist alt.', tokens),
    ['[0 Das]', ' Haus ist ', '[2 alt]', '.'],
    'a word with another mark',
  );
  assert.equal(runsOf('Haus, das', tokens)[0].pin, undefined, 'the places of pins are found anew');
  assert.deepEqual(known('', tokens), []);
  assert.deepEqual(known('Das', []), ['Das']);
});

test('in a script without spaces a change leaves the other words of the dictionary as they are', () => {
  /** @type {Run[]} */
  const tokens = [
    {t: '私', w: 0},
    {t: 'は', w: 1},
    {t: '東京', w: 2},
    {t: 'に', w: 3},
    {t: '行く', w: 4},
  ];
  assert.deepEqual(known('私は大阪に行く', tokens), ['[0 私]', '[1 は]', '大阪', '[3 に]', '[4 行く]']);
  assert.deepEqual(
    editedStretches('私は大阪に行く', '私は東京に行く').map(([start, end]) => '私は大阪に行く'.slice(start, end)),
    ['大阪'],
  );
});

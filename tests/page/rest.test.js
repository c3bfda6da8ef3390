import assert from 'node:assert/strict';
import {test} from 'node:test';
import {editedStretches, keptOf} from '../../app/ui/static/editor/rest.js';

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

test('a text too long to compare counts as edited as a whole', () => {
  const long = Array.from({length: 2100}, (_, i) => `w${i}`).join(' ');
  assert.deepEqual(editedStretches(`x ${long}`, long), [[0, long.length + 2]]);
  assert.deepEqual(editedStretches(long, long), []);
});

const PROPOSAL = 'Das Haus ist alt .';
for (const {text, start, end = start, locked = [], expected, why} of [
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
    text: 'Das Gebäude ist alt .',
    start: 3,
    expected: {prefix: 'Das Gebäude ', locked: []},
    why: 'neighbours as one',
  },
]) {
  test(`translating the rest keeps ${why}`, () => {
    assert.deepEqual(keptOf({text, start, end}, PROPOSAL, locked), expected);
  });
}

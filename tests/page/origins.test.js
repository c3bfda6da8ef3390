import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {loadTexts} from '../../app/ui/static/core/texts.js';
import {originsOf, originTexts} from '../../app/ui/static/editor/origins.js';
import {languages} from './fake_browser.js';

/** @type {LearnedView[]} */
const LEARNED = [
  {segment: 12, index: 11, source: 'Two.', target: 'Zwei.', words: [[2, 0.25]]},
  {
    segment: null,
    index: null,
    source: 'One.',
    target: 'Eins.',
    words: [
      [0, 0.505],
      [2, 0.7],
    ],
  },
];

beforeEach(async () => {
  languages.splice(0, languages.length, 'en');
  await loadTexts();
});

test('the segments of a word are in the order of their shares', () => {
  assert.deepEqual(
    originsOf(LEARNED, 2).map(({one, share}) => [one.segment, share]),
    [
      [null, 0.7],
      [12, 0.25],
    ],
  );
  assert.deepEqual(originsOf(LEARNED, 1), []);
});

test('each word has a text that names its segments, and a word of the model has none', () => {
  assert.deepEqual(originTexts(LEARNED), [
    '51% from another document: One. \u2192 Eins.',
    '',
    '70% from another document: One. \u2192 Eins.\n25% from segment 12: Two. \u2192 Zwei.',
  ]);
  assert.deepEqual(originTexts([]), []);
});

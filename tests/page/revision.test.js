import assert from 'node:assert/strict';
import {test} from 'node:test';
import {caretAfter, changedSpans, takenFrom, textOf} from '../../app/ui/static/editor/revision.js';

const RUNS = [
  {t: 'Die alten', was: 'Der alte'},
  {t: ' Server '},
  {t: 'starten', was: 'startet'},
  {t: ' jetzt', was: ''},
  {t: '.'},
];
const TEXT = 'Der alte Server startet.';

test('an offer is taken as a whole or one change at a time', () => {
  assert.equal(textOf(RUNS), TEXT);
  assert.equal(textOf(takenFrom(RUNS, null)), 'Die alten Server starten jetzt.');
  assert.equal(textOf(takenFrom(RUNS, 1)), 'Der alte Server starten.');
  const left = takenFrom(takenFrom(RUNS, 1), 0);
  assert.equal(textOf(left), 'Die alten Server starten.');
  assert.equal(
    textOf(takenFrom(left, 0)),
    'Die alten Server starten jetzt.',
    'the change that is left is now the first',
  );
});

test('the changed words are marked where they are in the text', () => {
  assert.deepEqual(changedSpans(RUNS), [
    [0, 8],
    [16, 23],
    [23, 23],
  ]);
});

test('the caret stays behind the same letters', () => {
  const after = (/** @type {number} */ caret) => caretAfter(RUNS, null, caret);
  assert.equal(after(0), 0, 'before all');
  assert.equal(after(8), 9, 'behind a change that became longer');
  assert.equal(after(10), 11, 'in text that stays');
  assert.equal(after(18), 24, 'inside a change: behind it');
  assert.equal(after(24), 31, 'at the end');
  assert.equal(caretAfter(RUNS, 1, 18), 23, 'inside the one change that is taken');
  assert.equal(caretAfter(RUNS, 0, 18), 19, 'inside a change that is not taken');
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {shortened} from '../../app/ui/static/editor/hypotheses.js';

const LONG = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen';

test('a long hypothesis shows the words beside its differences', () => {
  for (const [runs, expected] of [
    // at the start, in the middle and at the end of the sentence
    [
      [
        ['s', `${LONG} `],
        ['d', 'new'],
        ['s', ` ${LONG} `],
        ['p', 'pin'],
        ['s', ` ${LONG}.`],
      ],
      [
        ['s', '\u2026 thirteen fourteen fifteen '],
        ['d', 'new'],
        ['s', ' one two three \u2026 thirteen fourteen fifteen '],
        ['p', 'pin'],
        ['s', ' one two three \u2026'],
      ],
    ],
    // a difference stays whole, however long
    [
      [
        ['s', `${LONG} `],
        ['d', LONG],
      ],
      [
        ['s', '\u2026 thirteen fourteen fifteen '],
        ['d', LONG],
      ],
    ],
  ])
    assert.deepEqual(shortened(/** @type {[string, string][]} */ (runs)), expected);
});

test('hypotheses that fit into a line, have no difference or no spaces stay whole', () => {
  for (const runs of [
    [
      ['s', 'The router saves the file when the light turns green, and the '],
      ['d', 'lamp'],
      ['s', ' is on.'],
    ],
    [['s', `${LONG} ${LONG}`]],
    [
      ['s', '路'.repeat(120)],
      ['d', '灯'],
    ],
  ])
    assert.deepEqual(shortened(/** @type {[string, string][]} */ (runs)), runs);
});

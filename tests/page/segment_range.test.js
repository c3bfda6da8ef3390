import assert from 'node:assert/strict';
import {test} from 'node:test';
import {segmentsOf} from '../../app/ui/static/dialogs/segment_range.js';

const order = [0, 5, 1, 2]; // segment 5 came of a split

test('a part has the numbers of the list, or is the segments that the filter shows', () => {
  for (const [choice, expected] of /** @type {const} */ ([
    [{first: 1, last: 4, onlyShown: false}, [0, 5, 1, 2]],
    [{first: 2, last: 3, onlyShown: false}, [5, 1]],
    [{first: 3, last: 2, onlyShown: false}, []],
    [{first: 1, last: 4, onlyShown: true}, [5, 2]],
    [{first: 1, last: 1, onlyShown: true}, []],
  ]))
    assert.deepEqual(segmentsOf({order, shown: new Set([2, 5])}, choice), expected);
});

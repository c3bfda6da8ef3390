import assert from 'node:assert/strict';
import {test} from 'node:test';
import './fake_browser.js';
import {countCharacters, limitNote} from '../../app/ui/static/core/limits.js';

/** @param {Partial<Limits>} limits @returns {Limits} */
const limit = limits => ({max_characters: 9, normalization: '', tags: [], cues: [], max_speed: 17, ...limits});

test('code points are counted, as on the server', () => {
  /** @type {[Partial<Limits>, string, number][]} */
  const cases = [
    [{}, 'Größe', 5],
    [{}, '👍🏽', 2],
    [{}, 'o\u0308', 2],
    [{normalization: 'NFC'}, 'o\u0308', 1],
    [{normalization: 'NFD'}, 'ö', 2],
    [{tags: [['1', 0]]}, '{1}Auf{/1}{2}', 6],
    [{tags: [['1', 1]]}, 'a{1}b', 3],
  ];
  for (const [limits, text, expected] of cases) assert.equal(countCharacters(text, limit(limits)), expected, text);
});

test('a text is over its limit with the first character too many', () => {
  assert.equal(limitNote('123456789', limit({})).isOver, false);
  assert.equal(limitNote('1234567890', limit({})).isOver, true);
  assert.deepEqual(limitNote('1234567890', null), {text: '', isOver: false});
  assert.deepEqual(limitNote('1234567890', limit({max_characters: 0})), {text: '', isOver: false});
});

test('a limit of one character is shown with the singular', () => {
  assert.equal(limitNote('1', limit({max_characters: 1})).text, 'field.limit.one');
  assert.equal(limitNote('1', limit({max_characters: 2})).text, 'field.limit.many');
});

test('the speed of a subtitle is that of all that a reader sees, rounded up', () => {
  /** @type {Limits['cues']} */
  const cues = [
    [600, 9, 1, true],
    [400, 9, 1, true],
  ];
  const space = limit({max_characters: 0, cues});
  assert.match(limitNote('<i>12345678901234567</i>', space).text, /\b17\b|field.speed/);
  assert.equal(limitNote('<i>12345678901234567</i>', space).isOver, false);
  assert.equal(limitNote('123456789012345678', space).isOver, true);
  assert.equal(limitNote('1', limit({max_characters: 0, cues: [[0, 9, 1, true]]})).text, '');
});

/* Rules that the page and the server both apply, against the tables of cases in tests/shared. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {isUnspaced, isWordChar} from '../../app/ui/static/core/boundaries.js';
import {changeBetween} from '../../app/ui/static/core/changes.js';
import {containsBanned, NO_CONSTRAINTS, withBan, withPin} from '../../app/ui/static/core/constraints.js';
import {folded} from '../../app/ui/static/core/folding.js';
import {MAX_KEY_CHARACTERS} from '../../app/ui/static/core/key_counter.js';
import {oneLine} from '../../app/ui/static/core/unseen.js';
import {withoutMarks, wordAround} from '../../app/ui/static/core/words.js';
import {MAX_CHARACTERS} from '../../app/ui/static/editor/comment.js';
import {MAX_MIB} from '../../app/ui/static/panels/files.js';
import {IDLE_MS} from '../../app/ui/static/panels/presence.js';

/**
 * @param {string} table
 * @returns {any[]}
 */
const cases = table => JSON.parse(readFileSync(new URL(`../shared/${table}.json`, import.meta.url), 'utf8')).cases;

for (const {text, phrase, case: kind, expected, why} of cases('word_boundaries')) {
  test(`a phrase is found as whole words: ${why}`, () => {
    assert.equal(containsBanned(text, {text: phrase, case: kind}), expected);
  });
}

for (const {text, expected, why} of cases('folding')) {
  test(`a text is folded for comparison: ${why}`, () => assert.equal(folded(text), expected));
}

for (const {pins, bans, action, expected, lifted, why} of cases('pin_and_ban')) {
  test(`the newer of a contradicting pin and ban is kept: ${why}`, () => {
    const before = {...NO_CONSTRAINTS, pins, bans};
    const after = action.pin ? withPin(before, action.pin) : withBan(before, action.ban.text, action.ban.case);
    assert.deepEqual(after, {constraints: {...NO_CONSTRAINTS, ...expected}, lifted});
  });
}

for (const {text, expected, lost, why} of cases('cleaning')) {
  test(`a text is cleaned to one line: ${why}`, () => {
    assert.deepEqual(oneLine(text), {text: expected, codes: lost});
  });
}

for (const {char, is_word_char, is_unspaced, why} of cases('characters')) {
  test(`a character has its class: ${why}`, () => {
    assert.equal(isWordChar(char), is_word_char);
    assert.equal(isUnspaced(char), is_unspaced);
  });
}

for (const {before, after, caret, selection, expected, why} of cases('text_changes')) {
  test(`a change of the text is told by place: ${why}`, () => {
    assert.deepEqual(changeBetween(before, after, caret, selection), expected);
  });
}

for (const {text, words, why} of cases('word_edges')) {
  test(`punctuation around a word is left out: ${why}`, () => {
    const found = [...text.matchAll(/\S+/g)].map(match => withoutMarks(text.slice(...wordAround(text, match.index))));
    assert.deepEqual(found, words);
  });
}

test('the limits of the page are those of the server', () => {
  assert.deepEqual(Object.fromEntries(cases('limits').map(({name, value}) => [name, value])), {
    idle_limit_ms: IDLE_MS,
    comment_characters: MAX_CHARACTERS,
    key_name_characters: MAX_KEY_CHARACTERS,
    document_mib: MAX_MIB.document,
    glossary_mib: MAX_MIB.glossary,
    memory_mib: MAX_MIB.memory,
  });
});

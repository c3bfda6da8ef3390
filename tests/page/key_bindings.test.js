import assert from 'node:assert/strict';
import {before, beforeEach, test} from 'node:test';
import {
  actionOf,
  bind,
  bindFromFile,
  bindingsFile,
  bindNothing,
  DEFAULTS,
  isChosen,
  keysFor,
  keysOf,
  loadBindings,
  shortcut,
  spelt,
} from '../../app/ui/static/core/key_bindings.js';
import {loadTexts} from '../../app/ui/static/core/texts.js';
import {localStorage} from './fake_browser.js';

/**
 * A keydown event with these modifiers.
 * @param {string} key
 * @param {string} code
 * @param {string[]} [modifiers]
 * @param {object} [more]
 */
const event = (key, code, modifiers = [], more = {}) =>
  /** @type {KeyboardEvent} */ (
    /** @type {unknown} */ ({
      key,
      code,
      keyCode: 0,
      isComposing: false,
      ctrlKey: modifiers.includes('Control'),
      altKey: modifiers.includes('Alt'),
      shiftKey: modifiers.includes('Shift'),
      metaKey: modifiers.includes('Meta'),
      getModifierState: (/** @type {string} */ name) => modifiers.includes(name),
      ...more,
    })
  );

before(loadTexts);
beforeEach(() => bindNothing());

for (const {pressed, expected, why} of [
  {pressed: event('p', 'KeyP', ['Alt']), expected: 'Alt+P', why: 'a letter'},
  {pressed: event('Z', 'KeyZ', ['Control', 'Shift']), expected: 'Ctrl+Shift+Z', why: 'modifiers in one order'},
  {pressed: event('z', 'KeyY', ['Control']), expected: 'Ctrl+Z', why: 'the letter on the key, not its place'},
  {pressed: event('π', 'KeyP', ['Alt']), expected: 'Alt+P', why: 'what Option writes on a Mac'},
  {pressed: event('z', 'KeyZ', ['Meta']), expected: 'Ctrl+Z', why: 'Command as Ctrl'},
  {pressed: event('Enter', 'NumpadEnter', ['Control']), expected: 'Ctrl+Enter', why: 'both Enter keys'},
  {pressed: event('!', 'Digit1', ['Alt', 'Shift']), expected: 'Alt+Shift+1', why: 'a digit with Shift'},
  {pressed: event('Control', 'ControlLeft', ['Control']), expected: null, why: 'a modifier alone'},
  {pressed: event('@', 'KeyQ', ['AltGraph']), expected: null, why: 'AltGr'},
  {pressed: event('p', 'KeyP', [], {isComposing: true}), expected: null, why: 'an input method'},
  {pressed: event('p', 'KeyP', [], {keyCode: 229}), expected: null, why: 'an input method in older browsers'},
]) {
  test(`keys are written the same way: ${why}`, () => {
    assert.equal(keysOf(pressed), expected);
  });
}

test('no two actions have the same default keys', () => {
  const all = Object.values(DEFAULTS).flat();
  assert.equal(new Set(all).size, all.length);
});

test('all keys of an action start it until others are chosen', () => {
  assert.equal(actionOf('Ctrl+Y'), 'redo');
  assert.equal(bind('redo', 'Alt+Q'), '');
  assert.equal(actionOf('Alt+Q'), 'redo');
  assert.equal(actionOf('Ctrl+Y'), undefined);
  assert.deepEqual(shortcut('redo'), {'aria-keyshortcuts': 'Alt+Q', 'data-shortcut-of': 'redo'});
});

for (const {keys, why} of [
  {keys: 'Ctrl+T', why: 'the browser needs them'},
  {keys: 'Ctrl+C', why: 'they edit text'},
  {keys: 'Ctrl+Alt+P', why: 'AltGr writes letters with them'},
  {keys: 'P', why: 'they write a letter'},
  {keys: 'Alt+R', why: 'another action has them'},
]) {
  test(`keys are refused if ${why}`, () => {
    assert.notEqual(bind('pin', keys), '');
    assert.deepEqual(keysFor('pin'), DEFAULTS.pin);
    assert.equal(isChosen('pin'), false);
  });
}

test('the default keys return if they are free', () => {
  bind('pin', 'Alt+Q');
  bind('scope', 'Alt+P');
  assert.notEqual(bind('pin', null), '');
  assert.equal(bind('scope', null), '');
  assert.equal(bind('pin', null), '');
  assert.equal(actionOf('Alt+P'), 'pin');
});

test('chosen keys are kept in the browser', () => {
  bind('pin', 'Alt+Q');
  const kept = localStorage.getItem('pinpoint:keys') ?? '';
  bindNothing();
  localStorage.setItem('pinpoint:keys', kept);
  loadBindings();
  assert.deepEqual(keysFor('pin'), ['Alt+Q']);
});

for (const {kept, why} of [
  {kept: '{"pin":', why: 'cannot be read'},
  {kept: 'null', why: 'is empty'},
  {kept: '{"pin": "Ctrl+T"}', why: 'names keys of the browser'},
  {kept: '{"pin": 7, "constructor": "Alt+Q"}', why: 'has no keys and no action'},
]) {
  test(`the default keys are used if what the browser kept ${why}`, () => {
    localStorage.setItem('pinpoint:keys', kept);
    loadBindings();
    assert.deepEqual(keysFor('pin'), DEFAULTS.pin);
    assert.equal(actionOf('Alt+Q'), undefined);
  });
}

test('a file of keys gives another browser the same keys', () => {
  bind('pin', 'Alt+Q');
  const file = bindingsFile();
  bindNothing();
  assert.deepEqual(bindFromFile(file), []);
  assert.deepEqual(keysFor('pin'), ['Alt+Q']);
  assert.equal(isChosen('rest'), false);
});

test('a file of keys names the actions that could not have theirs', () => {
  const keys = {pin: 'Ctrl+T', rest: 'Alt+Q', teleport: 'Alt+X'};
  assert.deepEqual(bindFromFile(JSON.stringify({format: 'pinpoint-keys-1', keys})), ['pin', 'teleport']);
  assert.deepEqual(keysFor('rest'), ['Alt+Q']);
});

for (const text of [
  'no json',
  '[]',
  '{"format": "other", "keys": {}}',
  '{"format": "pinpoint-keys-1", "keys": null}',
]) {
  test(`a file of something else changes no keys: ${text}`, () => {
    bind('pin', 'Alt+Q');
    assert.equal(bindFromFile(text), null);
    assert.deepEqual(keysFor('pin'), ['Alt+Q']);
  });
}

test('keys are written with arrows and names', () => {
  assert.equal(spelt('Ctrl+Shift+ArrowUp'), 'Ctrl+Shift+↑');
});

import assert from 'node:assert/strict';
import {before, test} from 'node:test';
import './fake_browser.js';
import {isMetBy, isSame, markPins, partsOf, unpin} from '../../app/ui/static/core/constraints.js';
import {loadTexts} from '../../app/ui/static/core/texts.js';
import {ConstraintSet} from '../../app/ui/static/editor/constraint_set.js';

before(loadTexts);

/** @type {Constraints} */
const NONE = {pins: [], termsOff: [], bans: [], beginning: '', locked: [], previous: ''};

for (const {text, expected, why} of [
  {text: 'Ein altes Haus', expected: true, why: 'has the pin and lacks the ban'},
  {text: 'Ein altes Gebäude', expected: false, why: 'lacks the pin'},
  {text: 'Ein Haushalt', expected: false, why: 'has the pin only as a part of a word'},
  {text: 'Das Haus, ein ALTBAU', expected: false, why: 'has the ban in other letters'},
]) {
  test(`a text that ${why} ${expected ? 'meets' : 'does not meet'} the constraints`, () => {
    assert.equal(isMetBy(text, {pins: ['Haus'], bans: [{text: 'Altbau', case: 'permissive'}]}), expected);
  });
}

test('removing a pin removes one of several and frees kept text that contains it', () => {
  const set = {pins: ['Haus', 'alt', 'Haus'], beginning: 'Das Haus ', locked: ['Haus und Hof', 'Garten']};
  assert.deepEqual(unpin(set, 'Haus'), {pins: ['Haus', 'alt'], beginning: '', locked: ['Garten']});
});

test('a copy of constraints is equal and independent', () => {
  const set = {...NONE, pins: ['a']};
  const copy = partsOf(set);
  assert.equal(isSame(copy, set), true);
  copy.pins.push('b');
  assert.deepEqual(set.pins, ['a']);
  assert.equal(isSame(copy, set), false);
});

const constraintSet = (seen = {text: 'Ein Gebäude', isOwn: false}) => {
  /** @type {[string, CommandArgs, string][]} */
  const sent = [];
  /** @type {string[]} */
  const events = [];
  const page = {
    connection: {
      send: (/** @type {string} */ name, /** @type {CommandArgs} */ args, /** @type {string} */ slot) =>
        sent.push([name, args, slot]),
    },
    session: {token: 'token'},
    say: (/** @type {string} */ _, /** @type {string} */ text) => events.push(text),
  };
  const set = new ConstraintSet(
    /** @type {any} */ (page),
    /** @type {any} */ ({index: 5, refusesChanges: () => false}),
    {
      record: kind => events.push(`record ${kind}: ${set.pins}`),
      onChange: origin => events.push(`changed by ${origin}: ${set.pins}`),
      textSeen: () => seen,
    },
  );
  return {set, sent, events};
};

test('the constraints of a segment that may only be read stay as they are', () => {
  const {set, sent, events} = constraintSet();
  Object.assign(set.current, {refusesChanges: () => true});
  set.pin('Netz');
  set.ban('Haus');
  assert.deepEqual([set.pins, set.bans, sent, events], [[], [], [], []]);
});

test('a pin is recorded for undo, shown and sent with the whole set', () => {
  const {set, sent, events} = constraintSet();
  set.pin(' Haus ');
  assert.deepEqual(events, ['record constrain: ', 'changed by person: Haus']);
  assert.deepEqual(sent, [
    [
      'constrain',
      {
        segment: 5,
        pins: ['Haus'],
        terms_off: [],
        bans: [],
        beginning: '',
        locked: [],
        previous: 'Ein Gebäude',
        origin: 'person',
      },
      'constrain:5',
    ],
  ]);
});

test('a change to the same set sends nothing', () => {
  const {set, sent, events} = constraintSet();
  set.change({pins: []});
  set.unpin('Haus');
  set.pin('  ');
  assert.deepEqual([sent, events], [[], []]);
});

test('a pin lifts a ban that contradicts it and reports it', () => {
  const {set, sent, events} = constraintSet();
  set.ban('Haus');
  set.pin('Haus');
  assert.deepEqual(set.bans, []);
  assert.equal(sent.length, 2);
  assert.equal(events.filter(event => event.includes('Haus') && !/^(record|changed)/.test(event)).length, 1);
});

test('undo changes the set without a step of its own', () => {
  const {set, events} = constraintSet();
  set.change({pins: ['a']}, 'undo', false);
  assert.deepEqual(events, ['changed by undo: a']);
});

test('a term is switched off and on again', () => {
  const {set} = constraintSet();
  set.setTerm('key', true);
  assert.deepEqual(set.termsOff, ['key']);
  set.setTerm('key', false);
  assert.deepEqual(set.termsOff, []);
});

test('the proposal stays near the text seen before the first constraint, until the person chooses or types', () => {
  const seen = {text: 'Ein altes Gebäude.', isOwn: false};
  const {set, sent} = constraintSet(seen);
  const previous = () => sent.at(-1)?.[1].previous;
  set.pin('Haus');
  assert.equal(previous(), 'Ein altes Gebäude.');
  seen.text = 'Ein altes Haus.';
  set.ban('altes');
  assert.equal(previous(), 'Ein altes Gebäude.', 'the answer to the first pin is not followed');
  set.toggleFree();
  assert.equal(previous(), '');
  set.pin('schön');
  assert.equal(previous(), '', 'a free translation stays free');
  set.toggleFree();
  assert.equal(previous(), 'Ein altes Haus.');
  Object.assign(seen, {text: 'Ein schönes Haus.', isOwn: true});
  set.unpin('schön');
  assert.equal(previous(), 'Ein schönes Haus.', "the person's own text is followed");
  set.unpin('Haus');
  set.unban('altes');
  assert.equal(previous(), '', 'without constraints the translation is free');
  set.toggleFree();
  assert.equal(set.previous, '', 'and there is nothing to switch');
});

test('a pin gives its place: the text to keep has the phrase in it', () => {
  const seen = {text: 'Ein altes Gebäude steht dort.', isOwn: false};
  const {set, sent} = constraintSet(seen);
  const previous = () => sent.at(-1)?.[1].previous;
  set.pin('Haus', [], 'Ein altes Haus steht dort.');
  assert.equal(previous(), 'Ein altes Haus steht dort.');
  seen.text = 'Ein altes Haus steht drüben am See.';
  set.pin('altes');
  assert.equal(previous(), 'Ein altes Haus steht dort.', 'a pin that has a place in it');
  set.pin('drüben');
  assert.equal(previous(), seen.text, 'a pin that has a place only in the proposal');
  set.place('Ein altes Haus am See steht drüben.');
  assert.equal(previous(), 'Ein altes Haus am See steht drüben.', 'the pins are moved');
  assert.deepEqual(sent.at(-1)?.[1].pins, ['Haus', 'altes', 'drüben']);
  set.toggleFree();
  set.pin('Hof', ['Haus'], 'Ein alter Hof.');
  assert.equal(previous(), 'Ein alter Hof.', 'a place counts in a free translation, too');
});

/** @param {string[]} pins @param {Run[]} [tokens] */
const marked = (pins, tokens = [{t: 'die', w: 0}, {t: ' '}, {t: 'alte', w: 1}, {t: ' '}, {t: 'die', w: 2}, {t: '.'}]) =>
  markPins(tokens, pins)
    .map(token => (token.pin === undefined ? token.t : `[${token.t}]`))
    .join('');

test('pins are marked in the last proposal until the server has answered', () => {
  assert.equal(marked([]), 'die alte die.');
  assert.equal(marked(['alte die']), 'die [alte][ ][die].');
  assert.equal(marked(['die', 'die']), '[die] alte [die].', 'each of two equal pins has a place of its own');
  assert.equal(marked(['alt', 'neu']), 'die alte die.', 'a part of a word and an absent word have none');
  /** @type {Run[]} */
  const clicked = [{t: 'die', w: 0}, {t: ' '}, {t: 'die', w: 1, pin: 'die', at: 'new'}];
  assert.equal(marked(['die'], clicked), 'die [die]', 'the word that was clicked stays the one');
  assert.equal(marked([], clicked), 'die die', 'a removed pin loses its mark');
  assert.equal(clicked[2].pin, 'die', 'the words given are not changed');
});

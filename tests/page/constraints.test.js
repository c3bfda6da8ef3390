import assert from 'node:assert/strict';
import {before, test} from 'node:test';
import './fake_browser.js';
import {
  isEmpty,
  isMetBy,
  isSame,
  NO_CONSTRAINTS,
  pinPlaces,
  withBan,
  withoutPin,
  withPin,
} from '../../app/ui/static/core/constraints.js';
import {loadTexts} from '../../app/ui/static/core/texts.js';
import {ConstraintSet} from '../../app/ui/static/editor/constraint_set.js';

before(loadTexts);

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
  const before = {
    ...NO_CONSTRAINTS,
    pins: ['Haus', 'alt', 'Haus'],
    prefix: 'Das Haus ',
    locked: ['Haus und Hof', 'Garten'],
  };
  const after = {...NO_CONSTRAINTS, pins: ['Haus', 'alt'], locked: ['Garten']};
  assert.deepEqual(withoutPin(before, 'Haus'), after);
});

test('a change makes new constraints and leaves those before as they were', () => {
  const before = {...NO_CONSTRAINTS, pins: ['a'], terms_off: ['key']};
  const copy = structuredClone(before);
  const {constraints: pinned} = withPin(before, 'b', ['a']);
  const {constraints: banned} = withBan(before, 'a');
  assert.deepEqual([before, isSame(before, copy)], [copy, true]);
  assert.deepEqual([pinned.pins, banned.pins, banned.bans], [['b'], [], [{text: 'a', case: 'exact'}]]);
  assert.deepEqual([isSame(pinned, before), pinned.terms_off], [false, ['key']]);
});

test('constraints without required, banned or fixed text are empty', () => {
  assert.equal(isEmpty({...NO_CONSTRAINTS, terms_off: ['key'], follow: 'Ein Haus'}), true);
  assert.equal(isEmpty({...NO_CONSTRAINTS, prefix: 'Ein '}), false);
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
      record: kind => events.push(`record ${kind}: ${set.now.pins}`),
      onChange: origin => events.push(`changed by ${origin}: ${set.now.pins}`),
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
  assert.deepEqual([set.now.pins, set.now.bans, sent, events], [[], [], [], []]);
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
        constraints: {...NO_CONSTRAINTS, pins: ['Haus'], follow: 'Ein Gebäude'},
        origin: 'person',
      },
      'constrain:5',
    ],
  ]);
});

test('source words stay with their pin, also without the pins around it, and go with it', () => {
  const {set} = constraintSet();
  set.pin('Haus', [], {text: 'house', start: 4, end: 9});
  set.pin('alt');
  set.pin('Netz', ['alt'], {text: 'net', start: 0, end: 3});
  const sources = [
    {text: 'Haus', start: 4, end: 9},
    {text: 'Netz', start: 0, end: 3},
  ];
  assert.deepEqual(set.now.pin_sources, sources);
  set.unpin('Netz');
  assert.deepEqual(set.now.pin_sources, sources.slice(0, 1));
  set.ban('Haus');
  set.pin('Haus');
  assert.deepEqual(set.now.pin_sources, []);
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
  assert.deepEqual(set.now.bans, []);
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
  assert.deepEqual(set.now.terms_off, ['key']);
  set.setTerm('key', false);
  assert.deepEqual(set.now.terms_off, []);
});

test('the proposal stays near the text seen before the first constraint, until the person chooses or types', () => {
  const seen = {text: 'Ein altes Gebäude.', isOwn: false};
  const {set, sent} = constraintSet(seen);
  const follow = () => sent.at(-1)?.[1].constraints.follow;
  set.pin('Haus');
  assert.equal(follow(), 'Ein altes Gebäude.');
  seen.text = 'Ein altes Haus.';
  set.ban('altes');
  assert.equal(follow(), 'Ein altes Gebäude.', 'the answer to the first pin is not followed');
  set.toggleFree();
  assert.equal(follow(), '');
  set.pin('schön');
  assert.equal(follow(), '', 'a free translation stays free');
  set.toggleFree();
  assert.equal(follow(), 'Ein altes Haus.');
  Object.assign(seen, {text: 'Ein schönes Haus.', isOwn: true});
  set.unpin('schön');
  assert.equal(follow(), 'Ein schönes Haus.', "the person's own text is followed");
  set.unpin('Haus');
  set.unban('altes');
  assert.equal(follow(), '', 'without constraints the translation is free');
  set.toggleFree();
  assert.equal(set.now.follow, '', 'and there is nothing to switch');
});

test('a pin that only the proposal has makes it the text to keep', () => {
  const seen = {text: 'Ein altes Haus steht dort.', isOwn: false};
  const {set, sent} = constraintSet(seen);
  const follow = () => sent.at(-1)?.[1].constraints.follow;
  set.pin('Haus');
  seen.text = 'Ein altes Haus steht drüben am See.';
  set.pin('altes');
  assert.equal(follow(), 'Ein altes Haus steht dort.', 'a pin that has a place in it');
  set.pin('drüben');
  assert.equal(follow(), seen.text, 'a pin that has a place only in the proposal');
});

test("the person's own words stay under new constraints, without those that are banned", () => {
  const seen = {text: 'Ein neues Haus steht dort.', isOwn: true};
  const {set, sent} = constraintSet(seen);
  Object.assign(set.current, {detail: {proposal: {text: 'Ein altes Haus steht hier.'}}});
  const kept = () => {
    const {prefix, locked} = sent.at(-1)?.[1].constraints ?? {};
    return [prefix, locked];
  };
  set.pin('Haus');
  assert.deepEqual(kept(), ['', ['neues', 'dort.']]);
  set.ban('dort');
  assert.deepEqual(kept(), ['', ['neues']]);
  set.change({locked: []});
  assert.deepEqual(kept(), ['', []], 'the person frees them');
  set.pin('steht');
  assert.deepEqual(kept(), ['', ['neues']]);
  Object.assign(set.current, {detail: {proposal: {text: 'Da steht ein neues Haus dort.'}}});
  seen.text = 'Ein neues Haus ja steht dort.';
  set.pin('Haus');
  assert.deepEqual(kept(), ['', ['neues', 'ja']], 'what the machine would change is not theirs');
  set.change({locked: []});
  seen.text = 'Mein Haus';
  set.pin('Mein');
  assert.deepEqual(kept(), ['Mein ', []]);
});

/** @param {string[]} pins @param {Run[]} [runs] @param {ChosenPlace[]} [chosen] */
const places = (
  pins,
  runs = [{t: 'die', w: 0}, {t: ' '}, {t: 'alte', w: 1}, {t: ' '}, {t: 'die', w: 2}, {t: '.'}],
  chosen = [],
) => pinPlaces(runs.map(run => run.t).join(''), runs, pins, chosen);

test('a pin is marked at once: where the server put it, else at the first free place of its words', () => {
  assert.deepEqual(places([]), []);
  assert.deepEqual(places(['alte die']), [[4, 12, 'alte die']]);
  assert.deepEqual(
    places(['die', 'die']),
    [
      [0, 3, 'die'],
      [9, 12, 'die'],
    ],
    'each of two equal pins has a place of its own',
  );
  assert.deepEqual(places(['alt', 'neu']), [], 'a part of a word and an absent word have none');
  /** @type {Run[]} */
  const answered = [{t: 'die', w: 0}, {t: ' '}, {t: 'die', w: 1, pin: 'die', at: 0}];
  assert.deepEqual(places(['die'], answered), [[4, 7, 'die']], 'the place that the server gave');
  assert.deepEqual(places([], answered), [], 'a removed pin loses its mark');
  const second = [{pin: 'die', occurrence: 1}];
  assert.deepEqual(places(['die'], undefined, second), [[9, 12, 'die']], 'the word that the person pinned');
  assert.deepEqual(places(['die', 'die'], undefined, second).length, 2, 'another pin has the other word');
  assert.deepEqual(places(['die'], [{t: 'die'}], second), [[0, 3, 'die']], 'that word is gone');
});

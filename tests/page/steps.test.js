/* Steps of many segments, with a workbench that records what it is asked for and answers when the test says so. */
import assert from 'node:assert/strict';
import {before, test} from 'node:test';
import './fake_browser.js';
import {Histories} from '../../app/ui/static/core/history.js';
import {listed, Steps} from '../../app/ui/static/core/steps.js';
import {loadTexts, t} from '../../app/ui/static/core/texts.js';

before(loadTexts);

/** @param {Record<string, any>} [results] the results of commands by name, or promises of them; null refuses one */
const workbench = (results = {}) => {
  /** @type {{name: string, args: CommandArgs}[]} */
  const sent = [];
  /** @type {string[]} */
  const notes = [];
  /** @type {number[]} */
  const opened = [];
  const bench = {
    sent,
    notes,
    opened,
    connection: {
      /**
       * @param {string} name
       * @param {CommandArgs} args
       */
      send: async (name, args) => {
        sent.push({name, args});
        const result = await results[name];
        return result === null ? {ok: false} : {ok: true, result};
      },
    },
    session: {token: 'a'},
    joined: {isOn: false},
    rows: [{state: 'confirmed'}, {state: 'edited'}],
    numbers: new Map([
      [0, 1],
      [1, 2],
    ]),
    numberOf: (/** @type {number} */ index) => index + 1,
    openSegment: (/** @type {number} */ index) => opened.push(index),
    list: {nextUnconfirmed: () => 1},
    segment: {
      histories: new Histories(),
      earlier: {forget: () => {}},
      view: {paintState: () => {}},
      focusField: () => {},
    },
  };
  const all = {...bench, notes: {say: (/** @type {string} */ _, /** @type {string} */ text) => notes.push(text)}};
  return {...bench, steps: new Steps(/** @type {any} */ (all)), bench: /** @type {any} */ (all)};
};

/** Until all answers that are there have been handled. */
const settled = () => new Promise(done => setImmediate(done));

/** @param {boolean} ok */
const answered = async ok => /** @type {any} */ ({ok});

test('a step is undone in the document in which it was made', async () => {
  const {steps, sent} = workbench({step: {num_segments: 2, num_left: 0}});
  steps.show('a');
  steps.batches([{session: 1, step: 4}], 'Replaced');
  steps.show('b');
  steps.step(true);
  assert.deepEqual(sent, []);
  steps.show('a');
  steps.step(true);
  await settled();
  assert.deepEqual(
    sent.map(({args}) => args),
    [{step: 4, is_undo: true, session: 1}],
  );
});

test('an answer that comes when another document is shown opens no segment there and changes no history', async () => {
  const {steps, sent, opened, notes, bench} = workbench({split: {step: 3, open: 1}});
  steps.confirmation(true, 0, {text: 'Haus', sent: answered(true)});
  await settled();
  steps.step(true);
  bench.session.token = 'b';
  await settled();
  assert.equal(sent[0].name, 'reopen');
  const history = bench.segment.histories.of(0);
  bench.session.token = 'a';
  const divided = steps.divide('split', 0, {offset: 4});
  bench.session.token = 'b';
  await divided;
  assert.deepEqual([opened, notes], [[], []]);
  assert.equal(bench.segment.histories.of(0), history);
});

test('a change of several documents is undone in each; one that refuses does not keep the others', async () => {
  const {steps, sent, notes, bench} = workbench();
  const {send} = bench.connection;
  bench.connection.send = async (/** @type {string} */ name, /** @type {CommandArgs} */ args) => {
    await send(name, args);
    return args.session === 2 ? {ok: false} : {ok: true, result: {num_segments: 3, num_left: 1}};
  };
  steps.batches(
    [1, 2, 3].map(session => ({session, step: session + 10})),
    'Replaced',
  );
  steps.step(true);
  await settled();
  assert.deepEqual(
    sent.map(({args}) => [args.session, args.step]),
    [
      [1, 11],
      [2, 12],
      [3, 13],
    ],
  );
  assert.equal(notes.at(-1), `${t('steps.undone.many', {n: 6})} ${t('steps.left.many', {n: 2})}`);
});

test('undo takes the newest step and redo makes it again', async () => {
  const {steps} = workbench();
  /** @type {string[]} */
  const runs = [];
  for (const name of ['first', 'second'])
    steps.done('', async isUndo => {
      runs.push(`${isUndo ? 'undo' : 'redo'} ${name}`);
      return name;
    });
  steps.step(true);
  steps.step(true);
  steps.step(false);
  await settled();
  assert.deepEqual(runs, ['undo second', 'undo first', 'redo first']);
});

test('a new step ends redo', async () => {
  const {steps} = workbench();
  steps.done('', async () => 'undone');
  steps.step(true);
  await settled();
  assert.ok(steps.newest(false));
  steps.done('', async () => 'undone');
  assert.equal(steps.newest(false), undefined);
});

for (const {name, origin, isEnded} of [
  {name: 'edit', origin: 'typed', isEnded: true},
  {name: 'constrain', origin: 'person', isEnded: true},
  {name: 'edit', origin: 'undo', isEnded: false},
  {name: 'open', origin: undefined, isEnded: false},
]) {
  test(`redo ${isEnded ? 'ends' : 'stays'} after ${name} (${origin})`, async () => {
    const {steps} = workbench();
    steps.done('', async () => 'undone');
    steps.step(true);
    await settled();
    steps.onCommand({name, args: {origin}});
    assert.equal(steps.newest(false) === undefined, isEnded);
  });
}

test('a step that the server refuses to undo is dropped', async () => {
  const {steps, notes} = workbench({step: null});
  steps.batch(7, 'Filled in.');
  steps.step(true);
  await settled();
  assert.deepEqual([steps.newest(true), steps.newest(false)], [undefined, undefined]);
  assert.deepEqual(notes, ['Filled in.']);
});

test('undo of many segments reports how many it left unchanged', async () => {
  const {steps, notes, sent} = workbench({step: {num_segments: 3, num_left: 1}});
  steps.batch(7, 'Filled in.');
  steps.step(true);
  await settled();
  assert.deepEqual(sent, [{name: 'step', args: {step: 7, is_undo: true}}]);
  assert.equal(notes.at(-1), `${t('steps.undone.many', {n: 3})} ${t('steps.left.one', {n: 1})}`);
});

test('a step whose command failed is dropped', async () => {
  const {steps} = workbench();
  steps.confirmation(true, 0, {text: 'Eins', sent: answered(false)});
  await settled();
  assert.equal(steps.newest(true), undefined);
});

test('a confirmation can be undone before the server answers', () => {
  const {steps} = workbench();
  steps.confirmation(true, 1, {text: 'Zwei', sent: new Promise(() => {})}); // the row is not confirmed yet
  assert.ok(steps.newest(true));
});

test('a confirmation that was taken back elsewhere is no step any more', async () => {
  const {steps} = workbench();
  steps.confirmation(true, 1, {text: 'Zwei', sent: answered(true)});
  await settled();
  assert.equal(steps.newest(true), undefined);
});

for (const {before: text, command, why} of [
  {before: 'Eins', command: {name: 'reopen', args: {segment: 0, origin: 'undo'}}, why: 'reopens a segment with text'},
  {
    before: null,
    command: {name: 'edit', args: {segment: 0, text: null, origin: 'undo'}},
    why: 'shows the proposal again that was confirmed unchanged',
  },
]) {
  test(`undo of a confirmation ${why}`, async () => {
    const {steps, sent, opened} = workbench();
    steps.confirmation(true, 0, {text: 'Eins', before: text, sent: answered(true)});
    await settled();
    steps.step(true);
    await settled();
    assert.deepEqual(sent, [command]);
    assert.deepEqual(opened, [0]);
  });
}

test('a split segment has another undo history, and its old one again after undo', async () => {
  const {steps, bench} = workbench({split: {step: 4, open: 1}, division_step: {open: 0}});
  const {histories} = bench.segment;
  const whole = histories.of(0);
  await steps.divide('split', 0, {offset: 5});
  assert.notEqual(histories.of(0), whole);
  steps.step(true);
  await settled();
  assert.equal(histories.of(0), whole);
});

test('a pin that became a term of a glossary is removed from it by undo', async () => {
  const {steps, sent} = workbench({
    add_term: {glossary_id: 2, number: 9, glossary: 'Tools', num_retranslated: 1},
    term_remove: {num_retranslated: 1},
  });
  await steps.term(true, {segment: 0, source: 'saw', target: 'Säge', scope: 'glossary'});
  steps.step(true);
  await settled();
  assert.deepEqual(sent.at(-1), {name: 'term_remove', args: {glossary: 2, number: 9}});
});

/** A promise, and the function that fulfils it. */
const deferred = () => {
  let resolve = /** @type {(value: any) => void} */ (() => {});
  const promise = new Promise(done => {
    resolve = done;
  });
  return {promise, resolve};
};

test('undo before the answer takes back the split itself', async () => {
  const split = deferred();
  const {steps, bench, sent, notes} = workbench({split: split.promise, division_step: {open: 0}});
  const whole = bench.segment.histories.of(0);
  steps.done('', async () => 'an earlier step');
  steps.divide('split', 0, {offset: 5});
  steps.step(true);
  split.resolve({step: 4, open: 1});
  await settled();
  assert.deepEqual(sent.at(-1), {name: 'division_step', args: {step: 4, is_undo: true}});
  assert.deepEqual(notes, [t('division.undone')]);
  assert.equal(bench.segment.histories.of(0), whole);
});

test('undo before the answer takes back the term itself', async () => {
  const added = deferred();
  const {steps, sent, notes} = workbench({add_term: added.promise, term_remove: {num_retranslated: 0}});
  steps.term(true, {segment: 0, source: 'saw', target: 'Säge', scope: 'glossary'});
  steps.step(true);
  added.resolve({glossary_id: 2, number: 9, glossary: 'Tools', num_retranslated: 1});
  await settled();
  assert.deepEqual(sent.at(-1), {name: 'term_remove', args: {glossary: 2, number: 9}});
  assert.equal(notes.length, 1);
});

for (const name of ['split', 'add_term']) {
  test(`undo does nothing if the server refuses ${name}`, async () => {
    const {steps, sent, notes} = workbench({[name]: null});
    if (name === 'split') steps.divide('split', 0);
    else steps.term(true, {segment: 0, source: 'saw', target: 'Säge', scope: 'document'});
    steps.step(true);
    await settled();
    assert.equal(sent.length, 1);
    assert.deepEqual([steps.newest(true), steps.newest(false), notes.length], [undefined, undefined, 0]);
  });
}

test('a refused command leaves redo as it was', async () => {
  const {steps} = workbench({merge: null});
  steps.done('', async () => 'undone');
  steps.step(true);
  await settled();
  const redo = steps.newest(false);
  assert.ok(redo);
  await steps.divide('merge', 0);
  assert.equal(steps.newest(false), redo);
});

test('a long list of segments is shortened', () => {
  const {bench} = workbench();
  assert.equal(listed([0, 1], bench), '1, 2');
  assert.equal(listed([0, 1, 2, 3, 4, 5, 6, 7, 8], bench), '1, 2, 3, 4, 5, 6, 7, 8, …');
});

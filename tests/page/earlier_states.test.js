/* States from before a reload, which arrive while the person already works. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import './fake_browser.js';
import {NO_CONSTRAINTS} from '../../app/ui/static/core/constraints.js';
import {Histories} from '../../app/ui/static/core/history.js';
import {EarlierStates} from '../../app/ui/static/editor/earlier_states.js';

const WORKED_ON = /** @type {any} */ ({index: 3, state: 'edited', constraints: NO_CONSTRAINTS, is_from_memory: false});

/** @param {string} text */
const stateOf = text => ({text, constraints: NO_CONSTRAINTS, is_confirmed: false});

/** @param {string} text */
const snapshotOf = text => /** @type {any} */ ({text, constraints: NO_CONSTRAINTS, start: 0, end: 0});

const recall = () => {
  /** @type {((reply: any) => void)[]} */
  const questions = [];
  const session = {token: 'token', version: 4, open: 3, detailStamp: 2, newsStamp: -1, listStamp: null};
  const server = {command: () => new Promise(answer => questions.push(answer))};
  const histories = new Histories();
  const earlier = new EarlierStates({server, session}, histories, () => {});
  const answer = async (/** @type {string[]} */ texts) => {
    questions.at(-1)?.({ok: true, result: {states: texts.map(stateOf)}});
    await new Promise(done => setImmediate(done));
  };
  return {earlier, histories, questions, session, answer};
};

/** @param {Histories} histories */
const pastOf = histories => histories.of(3).past.map(({text}) => text);

test('typing before the earlier states arrive does not hide them', async () => {
  const {earlier, histories, answer} = recall();
  earlier.recall(WORKED_ON);
  histories.of(3).record(snapshotOf('new'), 'type');
  await answer(['old', 'older text']);
  assert.deepEqual(pastOf(histories), ['old', 'older text', 'new']);
});

test('the state in which typing began is not offered twice', async () => {
  const {earlier, histories, answer} = recall();
  earlier.recall(WORKED_ON);
  histories.of(3).record(snapshotOf('last'), 'type');
  await answer(['old', 'last']);
  assert.deepEqual(pastOf(histories), ['old', 'last']);
});

test('a segment that was typed in before its details arrived is asked for, once', async () => {
  const {earlier, histories, questions, answer} = recall();
  histories.of(3).record(snapshotOf('new'), 'type');
  earlier.recall(WORKED_ON);
  earlier.recall(WORKED_ON);
  assert.equal(questions.length, 1);
  await answer(['old']);
  assert.deepEqual(pastOf(histories), ['old', 'new']);
});

test('states that arrive after another document was opened are not added', async () => {
  const {earlier, histories, session, answer} = recall();
  earlier.recall(WORKED_ON);
  session.token = 'another';
  await answer(['old']);
  assert.deepEqual(pastOf(histories), []);
});

test('a segment without work is not asked for, also after it was edited in this page', () => {
  const {earlier, questions} = recall();
  earlier.recall({...WORKED_ON, state: 'proposed'});
  earlier.recall(WORKED_ON);
  assert.equal(questions.length, 0);
});

test('the states are awaited until the answer, also if the server cannot be reached', async () => {
  const {earlier, histories, session, answer} = recall();
  earlier.recall(WORKED_ON);
  assert.ok(earlier.isAwaited(3));
  await answer(['old']);
  assert.ok(!earlier.isAwaited(3));
  const server = {command: () => Promise.reject(new Error('offline'))};
  const offline = new EarlierStates({server, session}, histories, () => {});
  offline.recall(WORKED_ON);
  assert.ok(offline.isAwaited(3));
  await answer([]);
  assert.ok(!offline.isAwaited(3));
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {NO_CONSTRAINTS} from '../../app/ui/static/core/constraints.js';
import {Histories, History} from '../../app/ui/static/core/history.js';

/** @param {string} text */
const snapshot = text => ({
  text,
  constraints: NO_CONSTRAINTS,
  isConfirmed: false,
  start: 0,
  end: 0,
});

test('letters typed in one go are undone in one step', () => {
  const history = new History();
  history.record(snapshot(''), 'type-insert');
  history.record(snapshot('a'), 'type-insert');
  assert.equal(history.step(snapshot('ab'), true)?.text, '');
  assert.equal(history.step(snapshot(''), true), null);
});

test('deleting after typing is a step of its own', () => {
  const history = new History();
  history.record(snapshot(''), 'type-insert');
  history.record(snapshot('ab'), 'type-delete');
  assert.equal(history.step(snapshot('a'), true)?.text, 'ab');
  assert.equal(history.step(snapshot('ab'), true)?.text, '');
});

test('redo returns to the text before undo', () => {
  const history = new History();
  history.record(snapshot('one'), 'paste');
  assert.equal(history.step(snapshot('two'), true)?.text, 'one');
  assert.equal(history.step(snapshot('one'), false)?.text, 'two');
});

test('a change after undo ends redo', () => {
  const history = new History();
  history.record(snapshot('one'), 'paste');
  history.step(snapshot('two'), true);
  history.record(snapshot('one'), 'paste');
  assert.equal(history.newest(false), undefined);
});

test('typing after a pause is a new step', () => {
  const history = new History();
  history.record(snapshot(''), 'type-insert');
  history.pause();
  history.record(snapshot('a'), 'type-insert');
  assert.equal(history.step(snapshot('ab'), true)?.text, 'a');
});

test('at most 500 steps are kept', () => {
  const history = new History();
  for (let i = 0; i < 600; i++) history.record(snapshot(String(i)), 'paste');
  let steps = 0;
  while (history.step(snapshot(''), true)) steps++;
  assert.equal(steps, 500);
});

test('each segment has a history of its own until it gets another', () => {
  const histories = new Histories();
  const first = histories.of(0);
  assert.equal(histories.of(0), first);
  assert.notEqual(histories.of(1), first);
  const other = new History();
  assert.equal(histories.exchange(0, other), first);
  assert.equal(histories.of(0), other);
});

test('the histories of a document that was left are there again, and those of one that is shown anew are not', () => {
  const histories = new Histories();
  histories.show('a');
  const first = histories.of(0);
  histories.show('b');
  assert.notEqual(histories.of(0), first);
  histories.show('a');
  assert.equal(histories.of(0), first);
  histories.show('a');
  assert.notEqual(histories.of(0), first);
});

test('states from before the page was loaded are undone after the steps of the page, and can be removed', () => {
  const history = new History();
  history.record(snapshot('two'), 'paste');
  history.addEarlier([snapshot('zero'), snapshot('one'), snapshot('two')]); // "two" is the state before the first step
  assert.deepEqual(
    history.past.map(({text}) => text),
    ['zero', 'one', 'two'],
  );
  history.dropEarlier();
  assert.equal(history.step(snapshot('three'), true)?.text, 'two');
  assert.equal(history.step(snapshot('two'), true), null);
});

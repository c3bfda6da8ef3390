import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {NO_CONSTRAINTS} from '../../app/ui/static/core/constraints.js';
import {drafts, readStored, unsentConstraints, writeStored} from '../../app/ui/static/core/storage.js';
import {localStorage, withoutStorage} from './fake_browser.js';

beforeEach(() => localStorage.clear());

test('a stored value is read again', () => {
  assert.equal(writeStored('local', 'key', 'value'), true);
  assert.equal(readStored('local', 'key'), 'value');
  assert.equal(readStored('local', 'other'), null);
});

test('nothing is kept and nothing fails without storage', () => {
  withoutStorage(() => {
    assert.equal(writeStored('local', 'key', 'value'), false);
    assert.equal(readStored('local', 'key'), null);
    drafts.keep('token', 0, 'text', null);
    drafts.drop('token', 0);
    assert.deepEqual(drafts.list('token'), []);
  });
});

test('a draft keeps the base of the first one', () => {
  drafts.keep('token', 3, 'a', 'stored');
  drafts.keep('token', 3, 'ab', 'newer');
  assert.deepEqual(drafts.list('token'), [{index: 3, text: 'ab', base: 'stored'}]);
});

test('a session has drafts of its own', () => {
  drafts.keep('one', 0, 'a', null);
  drafts.keep('two', 0, 'b', null);
  assert.deepEqual(
    drafts.list('two').map(draft => draft.text),
    ['b'],
  );
});

test('a stored text removes its draft, but not a newer one', () => {
  drafts.keep('token', 0, 'ab', null);
  drafts.drop('token', 0, 'a');
  assert.equal(drafts.list('token').length, 1);
  drafts.drop('token', 0, 'ab');
  assert.deepEqual(drafts.list('token'), []);
});

test('a draft that cannot be read is left out', () => {
  localStorage.setItem('pinpoint:draft:token:0', '{"text":');
  localStorage.setItem('pinpoint:draft:token:1', '{"text": 5}');
  localStorage.setItem('pinpoint:draft:token:x', '{"text": "a"}');
  drafts.keep('token', 2, 'b', null);
  assert.deepEqual(drafts.list('token'), [{index: 2, text: 'b', base: null}]);
});

test('constraints that were not stored are found again after a reload, the newest of each segment', () => {
  const [older, newer] = [['a'], ['a', 'b']].map(pins => ({
    segment: 2,
    constraints: {...NO_CONSTRAINTS, pins},
    origin: 'person',
  }));
  unsentConstraints.keep('token', older);
  unsentConstraints.keep('token', newer);
  unsentConstraints.keep('other', {...newer, segment: 0});
  assert.deepEqual(unsentConstraints.list('token'), [newer]);
  unsentConstraints.drop('token', older);
  assert.deepEqual(unsentConstraints.list('token'), [newer], 'the reply to the older one removes nothing');
  unsentConstraints.drop('token', newer);
  assert.deepEqual(unsentConstraints.list('token'), []);
});

test('constraints that an earlier version of the page kept are sent as one value', () => {
  const bans = [{text: 'Haus', case: 'exact'}];
  const kept = {segment: 2, pins: ['a'], terms_off: ['key'], bans, beginning: 'Ein ', locked: ['b'], previous: 'Ein b'};
  unsentConstraints.keep('token', {...kept, origin: 'person'});
  const constraints = {
    pins: ['a'],
    terms_off: ['key'],
    bans,
    prefix: 'Ein ',
    locked: ['b'],
    follow: 'Ein b',
    pin_sources: [],
  };
  assert.deepEqual(unsentConstraints.list('token'), [{segment: 2, constraints, origin: 'person'}]);
});

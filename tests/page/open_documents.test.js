import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {drafts} from '../../app/ui/static/core/storage.js';
import {localStorage, withoutStorage} from './fake_browser.js';

const {hasUnsent, lastShown, OpenDocuments} = await import('../../app/ui/static/core/open_documents.js');

Object.defineProperty(globalThis, 'sessionStorage', {value: localStorage, configurable: true});
beforeEach(() => localStorage.clear());

/** @param {string} token */
const made = token => ({token, session: 1, name: `${token}.txt`, numConfirmed: 0, numSegments: 4, numEdited: 0});
/** @param {InstanceType<typeof OpenDocuments>} documents */
const tokens = documents => documents.list.map(one => one.token).join('');
/**
 * The tabs of a window in which these documents were opened, one after the other.
 * @param {string} opened
 * @param {string} [person]
 */
const opened = (opened, person = '') => {
  const documents = new OpenDocuments();
  for (const token of opened) documents.show(made(token), person);
  return documents;
};
const place = {
  segment: 2,
  start: 1,
  end: 3,
  list: {filter: 'open', search: 'a', isPattern: false, sorting: 'target', top: 80},
};

test('a document that is opened gets a tab behind the one that was shown, and only one', () => {
  const documents = opened('abc');
  documents.show(made('a'), '');
  documents.show(made('d'), '');
  documents.show(made('b'), '');
  assert.equal(tokens(documents), 'adbc');
});

test('a document takes the place of the one that it replaces', () => {
  const documents = opened('abc');
  documents.show(made('b'), '');
  documents.show(made('x'), '', 'b');
  assert.equal(tokens(documents), 'axc');
  documents.show(made('x'), '', 'x');
  assert.equal(tokens(documents), 'axc', 'it replaces itself');
});

test('the tabs of a person are found again after a restart, those of others are not', () => {
  opened('ab', 'Ana');
  opened('c', 'Ben');
  assert.equal(tokens(opened('a', 'Ana')), 'ab');
  assert.deepEqual(lastShown(), {Ana: 'a', Ben: 'c'});
});

test('tabs that another window has opened or closed are not lost or opened again', () => {
  const [first, second] = [opened('ab'), opened('ab')];
  second.show(made('c'), '');
  first.close('a');
  assert.equal(tokens(first), 'bc');
  second.read();
  assert.equal(tokens(second), 'bc');
});

test('the document of this window keeps its tab if another window closes it', () => {
  const [first, second] = [opened('ab'), opened('ab')];
  second.show(made('a'), '');
  second.close('b');
  first.read();
  assert.equal(tokens(first), 'ab');
});

test('the document that is shown after closing is the next one, or the one before the last', () => {
  const documents = opened('abc');
  documents.show(made('b'), '');
  assert.equal(documents.afterClosing().token, 'c');
  documents.show(made('c'), '');
  assert.equal(documents.afterClosing().token, 'b');
});

test('a place is kept for its window, and for others while the person has not worked elsewhere since', () => {
  const documents = opened('ab');
  documents.keepPlace(place);
  assert.deepEqual(documents.placeOf('b', 0), place);
  localStorage.removeItem('pinpoint:places');
  const later = opened('ab');
  assert.equal(later.placeOf('b', 0), null);
  assert.deepEqual(later.placeOf('b', 2), place);
});

test('figures come from the server, and documents that are gone lose their tab', () => {
  const documents = opened('abc');
  const row = /** @type {DocumentRow} */ ({
    session: 7,
    name: 'new.txt',
    num_confirmed: 3,
    num_segments: 6,
    num_locked: 1,
  });
  documents.adopt(['a', 'b'], [null, row]);
  assert.equal(tokens(documents), 'bc');
  assert.deepEqual(documents.list[0], {
    ...made('b'),
    session: 7,
    name: 'new.txt',
    numConfirmed: 3,
    numSegments: 5,
    place: null,
  });
  const figures = {name: 'c.txt', numConfirmed: 1, numSegments: 4, numEdited: 0};
  assert.equal(documents.count(figures), true);
  assert.equal(documents.count(figures), false, 'nothing has changed');
});

test('no more tabs are kept than the server lists; the first ones are left out', () => {
  const documents = new OpenDocuments();
  for (let i = 0; i < 120; i++) documents.show(made(`t${i}`), '');
  assert.equal(documents.list.length, 100);
  assert.equal(documents.list.at(-1)?.token, 't119');
});

test('what cannot be read is left out, and nothing fails without storage', () => {
  const bad = [5, null, {token: 'a'}, {...made('b'), place: {segment: 'x'}}, made('b')];
  localStorage.setItem('pinpoint:documents', JSON.stringify({'': {shown: 4, tabs: bad}, Ana: 3}));
  assert.deepEqual(lastShown(), {});
  assert.equal(tokens(opened('c')), 'bc');
  for (const kept of ['[1]', '{', 'null', '{"": {"tabs": 3}}']) {
    localStorage.setItem('pinpoint:documents', kept);
    assert.equal(tokens(opened('c')), 'c');
  }
  withoutStorage(() => {
    const documents = opened('ab');
    documents.keepPlace(place);
    assert.equal(tokens(documents), 'ab', 'the window knows its own tabs');
  });
});

test('documents that were opened together come behind the one that is shown, named with folders only if needed', () => {
  const documents = opened('ab');
  documents.show(made('a'), '');
  const folders = {b: 'b.txt', c: 'en/x.txt', d: 'fr/x.txt', e: 'fr/y.txt'};
  documents.add(Object.entries(folders).map(([token, name]) => ({...made(token), name, place: null})));
  assert.equal(tokens(documents), 'acdeb');
  assert.equal(documents.shown, 'a');
  assert.deepEqual(
    documents.list.map(one => documents.label(one)),
    ['a.txt', 'en/x.txt', 'fr/x.txt', 'y.txt', 'b.txt'],
  );
  documents.show({...made('c'), name: 'x.txt'}, '');
  assert.equal(documents.count({name: 'x.txt', numConfirmed: 0, numSegments: 4, numEdited: 0}), false);
  assert.equal(documents.label(documents.list[1]), 'en/x.txt', 'the folder is still known');
});

test('a document with a text that was not stored is marked', () => {
  drafts.keep('a', 0, 'Text', null);
  assert.equal(hasUnsent('a'), true);
  assert.equal(hasUnsent('b'), false);
});

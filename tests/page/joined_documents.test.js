import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {localStorage} from './fake_browser.js';

const {JoinedDocuments} = await import('../../app/ui/static/core/joined_documents.js');

beforeEach(() => localStorage.clear());

/** @param {number} index @param {string} target */
const row = (index, target = '') => /** @type {any} */ ({index, source: `s${index}`, target});

/** A server with documents of these rows; `asked` are the questions about rows. */
class FakeServer {
  /** @param {Record<number, any[]>} rows by session, in the order of the document */
  constructor(rows) {
    this.rows = rows;
    /** @type {Record<number, number>} */
    this.stamps = {};
    this.isOffline = false;
    this.portion = 2;
    this.numSegments = 0; // of each document; 0: as many as there are
    /** @type {string[]} */
    this.asked = [];
    /** @type {Record<number, any[] | null>} */
    this.changed = {};
  }

  /** @param {string} name @param {any} args */
  async ask(name, {session, first = 0, after}) {
    if (this.isOffline) return null;
    if (name === 'joined_documents')
      return {
        documents: Object.keys(this.rows).map(key => ({
          session: Number(key),
          name: `${key}.txt`,
          num_confirmed: 0,
          num_segments: this.numSegments || this.rows[Number(key)].length,
          num_locked: 0,
          last_ms: this.stamps[Number(key)] ?? 1,
        })),
      };
    this.asked.push(after === undefined ? `${session} from ${first}` : `${session} after ${after}`);
    const stamp = this.stamps[session] ?? 1;
    if (after !== undefined) {
      const rows = this.changed[session];
      return {stamp, rows: rows ?? [], is_last: rows !== null};
    }
    const rows = this.rows[session].slice(first, first + this.portion);
    return {stamp, rows, is_last: rows.length < this.portion};
  }
}

/** @param {number} session @param {number} [stamp] */
const state = (session, stamp = 1) =>
  /** @type {any} */ ({
    document: {session, name: `${session}.txt`, project: {id: 7}},
    counts: {confirmed: 1, all: 2, locked: 0},
    news: {list_stamp: stamp},
  });

/** @param {FakeServer} server @param {number} own */
const joined = async (server, own) => {
  /** @type {number[]} */
  const drawn = [];
  const documents = new JoinedDocuments((name, args) => server.ask(name, args), {
    onList: () => {},
    onRows: one => drawn.push(one.session),
  });
  documents.turn(true);
  documents.update(state(own));
  await settle();
  return {documents, drawn};
};
const settle = () => new Promise(done => setTimeout(done, 20));
/** @param {{list: JoinedDocument[]}} documents */
const sessions = documents => documents.list.map(one => one.session).join('');
/** @param {InstanceType<typeof JoinedDocuments>} documents @param {number} session */
const of = (documents, session) => /** @type {JoinedDocument} */ (documents.all.find(one => one.session === session));

test('rows come in portions, for the documents next to the open one first, and not for the open one', async () => {
  const server = new FakeServer({1: [row(0)], 2: [row(0)], 3: [row(1), row(0), row(2)], 4: [row(0)]});
  const {documents, drawn} = await joined(server, 2);
  assert.equal(sessions(documents), '1234');
  assert.deepEqual(server.asked, ['3 from 0', '3 from 2', '4 from 0', '1 from 0']);
  assert.deepEqual(drawn, [3, 4, 1]);
  assert.deepEqual(of(documents, 3).order, [1, 0, 2]);
  assert.equal(of(documents, 3).numbers.get(0), 2);
  assert.equal(of(documents, 2).rows, null);
});

test('later, only rows that have changed are asked for, and all rows once segments were split', async () => {
  const server = new FakeServer({1: [row(0)], 2: [row(0), row(1), row(2)]});
  const {documents, drawn} = await joined(server, 1);
  server.asked = [];
  await documents.refresh();
  await settle();
  assert.deepEqual(server.asked, [], 'nothing has changed');
  server.stamps[2] = 5;
  server.changed[2] = [row(1, 'neu')];
  await documents.refresh();
  await settle();
  assert.deepEqual(server.asked, ['2 after 1']);
  assert.deepEqual(
    of(documents, 2).rows?.map(one => one.target),
    ['', 'neu', ''],
  );
  server.stamps[2] = 6;
  server.changed[2] = null;
  server.rows[2] = [row(0), row(3), row(1), row(2)];
  await documents.refresh();
  await settle();
  assert.deepEqual(server.asked.slice(1), ['2 after 5', '2 from 0', '2 from 2', '2 from 4']);
  assert.deepEqual(of(documents, 2).order, [0, 3, 1, 2]);
  assert.deepEqual(drawn, [2, 2, 2]);
});

test('texts that others type, which change no figure, are asked for after a while', async t => {
  const server = new FakeServer({1: [row(0)], 2: [row(0)]});
  const {documents} = await joined(server, 1);
  server.stamps[2] = 2;
  server.changed[2] = [row(0, 'getippt')];
  documents.update(state(1));
  await settle();
  assert.equal(of(documents, 2).rows?.[0].target, '', 'not with each reply');
  const now = performance.now();
  t.mock.method(performance, 'now', () => now + 21_000);
  documents.update(state(1));
  await settle();
  assert.equal(of(documents, 2).rows?.[0].target, 'getippt');
});

test('a document that is left has the rows of the page at once, then those of the server', async () => {
  const server = new FakeServer({1: [row(0)], 2: [row(0)]});
  const {documents} = await joined(server, 1);
  documents.leave([row(0, 'getippt')], [0]);
  documents.update(state(2));
  assert.equal(of(documents, 1).rows?.[0].target, 'getippt');
  server.rows[1] = [row(0, 'gespeichert')];
  await settle();
  assert.equal(of(documents, 1).rows?.[0].target, 'gespeichert');
});

test('the next documents are those below, then from the top; those left out are passed over', async () => {
  const server = new FakeServer({1: [row(0)], 2: [row(0)], 3: [row(0)], 4: [row(0)]});
  const {documents} = await joined(server, 2);
  /** @param {number} step */
  const around = step =>
    documents
      .around(step)
      .map(one => one.session)
      .join('');
  assert.deepEqual([around(1), around(-1)], ['341', '143']);
  assert.equal(documents.isBehind(of(documents, 3)), true);
  assert.equal(documents.isBehind(of(documents, 1)), false);
  documents.toggle(3);
  documents.toggle(2); // the open one stays
  assert.deepEqual([around(1), sessions(documents)], ['41', '124']);
  const again = await joined(server, 4);
  assert.equal(sessions(again.documents), '14', 'the browser remembers what was left out');
  again.documents.toggle(3);
  assert.equal(sessions(again.documents), '134');
});

test('of a very large project, the documents next to the open one are loaded, and others when they are asked for', async () => {
  const server = new FakeServer({1: [row(0)], 2: [row(0)], 3: [row(0)], 4: [row(0)]});
  server.numSegments = 50_000;
  const {documents, drawn} = await joined(server, 2);
  assert.deepEqual(drawn, [3, 4]);
  assert.deepEqual(
    documents.all.filter(one => one.isBeyond).map(one => one.session),
    [1],
  );
  assert.equal(await documents.load(of(documents, 1)), true);
  assert.deepEqual(drawn, [3, 4, 1]);
});

test('what could not be loaded is asked for again with the next list', async () => {
  const server = new FakeServer({1: [row(0)], 2: [row(0)]});
  server.isOffline = true;
  const {documents} = await joined(server, 1);
  assert.equal(sessions(documents), '1');
  server.isOffline = false;
  await documents.refresh();
  await settle();
  assert.equal(of(documents, 2).rows?.length, 1);
  server.stamps[2] = 2;
  server.changed[2] = [row(0, 'neu')];
  const [document] = documents.others;
  document.isOld = true;
  server.isOffline = true;
  assert.equal(await documents.load(document), false);
  server.isOffline = false;
  assert.equal(await documents.load(document), true);
  assert.equal(document.rows?.[0].target, 'neu');
});

test('another project has other documents, and a damaged memory of the browser turns the list off', async () => {
  const server = new FakeServer({1: [row(0)], 2: [row(0)]});
  const {documents} = await joined(server, 1);
  const other = state(9);
  other.document.project.id = 8;
  documents.update(other);
  assert.equal(sessions(documents), '9');
  for (const kept of ['{', 'null', '[]', '{"isOn":"yes","leftOut":7}']) {
    localStorage.setItem('pinpoint:joined', kept);
    assert.equal(new JoinedDocuments(async () => null, {onList() {}, onRows() {}}).isOn, false, kept);
  }
});

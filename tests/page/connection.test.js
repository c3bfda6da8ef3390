/* Commands on their way to a server that answers when the test says so. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import './fake_browser.js';
import {joinedEdits} from '../../app/ui/static/core/changes.js';
import {Connection, greet, inLanguage} from '../../app/ui/static/core/connection.js';

const connect = () => {
  /** @type {{message: any, answer: (reply: any) => void, fail: () => void}[]} */
  const received = [];
  /** @type {{message: any, answer: (reply: any) => void}[]} */
  const questions = [];
  /** @type {any[]} */
  const replies = [];
  let numReturns = 0;
  const server = {
    command: (/** @type {object} */ message) =>
      new Promise((answer, reject) => received.push({message, answer, fail: () => reject(new Error('offline'))})),
    changes: (/** @type {object} */ message) => new Promise(answer => questions.push({message, answer})),
  };
  const session = {token: 'token', version: 4, open: 0, detailStamp: 2, newsStamp: 7, listStamp: null};
  const connection = new Connection(server, session, {
    onReply: (reply, command) => replies.push([reply, command?.name]),
    onSend: () => {},
    onState: () => {},
    onReturn: () => {
      numReturns++;
    },
  });
  return {connection, received, questions, replies, session, numReturns: () => numReturns};
};

test('a new window names what the browser showed last', async () => {
  /** @type {object[]} */
  const asked = [];
  const server = {
    hello: async (/** @type {object} */ message) => {
      asked.push(message);
      return OK;
    },
  };
  assert.equal(await greet(server, null, {Ana: 'a'}), OK);
  await greet(server, 'token');
  assert.deepEqual(asked, [
    {token: null, last_shown: {Ana: 'a'}},
    {token: 'token', last_shown: {}},
  ]);
});

test('a page without https, where browsers have no crypto.randomUUID, has a name of its own', t => {
  t.mock.method(crypto, 'randomUUID', () => assert.fail('not there'));
  assert.notEqual(connect().connection.client, connect().connection.client);
});

const turn = () => new Promise(done => setImmediate(done));
const OK = {ok: true};

test('a command contains what the page knows', () => {
  const {connection, received} = connect();
  connection.send('edit', {segment: 3, text: 'a'});
  const {client, ...message} = received[0].message;
  assert.match(client, /^[0-9a-f]{32}$/);
  assert.deepEqual(message, {
    token: 'token',
    sequence: 1,
    name: 'edit',
    since: 4,
    open: 0,
    detail_since: 2,
    segment: 3,
    text: 'a',
  });
});

test('commands leave one at a time and in order', async () => {
  const {connection, received} = connect();
  const first = connection.send('open', {segment: 1});
  connection.send('edit', {segment: 1});
  assert.equal(received.length, 1);
  received[0].answer(OK);
  assert.deepEqual(await first, OK);
  await turn();
  assert.deepEqual(
    received.map(({message}) => message.name),
    ['open', 'edit'],
  );
});

test('a newer command replaces one of the same slot that waits, and both get the reply', async () => {
  const {connection, received} = connect();
  connection.send('open', {});
  const older = connection.send('constrain', {pins: ['a']}, 'constrain:1');
  const newer = connection.send('constrain', {pins: ['a', 'b']}, 'constrain:1');
  received[0].answer(OK);
  await turn();
  assert.deepEqual(received[1].message.pins, ['a', 'b']);
  received[1].answer({ok: true, version: 5});
  assert.deepEqual(await older, await newer);
  await turn();
  assert.equal(received.length, 2);
});

test('a command that was sent is not replaced', async () => {
  const {connection, received} = connect();
  connection.send('constrain', {pins: ['a']}, 'constrain:1');
  connection.send('constrain', {pins: ['b']}, 'constrain:1');
  received[0].answer(OK);
  await turn();
  assert.deepEqual(received[1].message.pins, ['b']);
});

test('edits that cannot be joined are both sent', async () => {
  const {connection, received} = connect();
  connection.send('open', {});
  connection.send('edit', {text: 'a', origin: 'hypothesis'}, 'edit:1', joinedEdits);
  connection.send('edit', {text: 'b', origin: 'typed'}, 'edit:1', joinedEdits);
  for (const i of [0, 1, 2]) {
    received[i].answer(OK);
    await turn();
  }
  assert.deepEqual(
    received.slice(1).map(({message}) => message.text),
    ['a', 'b'],
  );
});

test('a command stays with the document that was shown when it was sent', async () => {
  const {connection, received, session} = connect();
  connection.send('open', {});
  connection.send('edit', {text: 'a'}, 'edit:1');
  session.token = 'another';
  assert.equal(connection.isPending('edit:1'), false, 'of the document that is shown');
  connection.send('edit', {text: 'b'}, 'edit:1');
  for (const i of [0, 1, 2]) {
    received[i].answer(OK);
    await turn();
  }
  assert.deepEqual(
    received.map(({message}) => [message.token, message.text]),
    [
      ['token', undefined],
      ['token', 'a'],
      ['another', 'b'],
    ],
  );
});

test('a slot is pending until the reply', async () => {
  const {connection, received} = connect();
  const done = connection.send('edit', {}, 'edit:1');
  assert.equal(connection.isPending('edit:1'), true);
  assert.equal(connection.isPending('edit:2'), false);
  received[0].answer(OK);
  await done;
  assert.equal(connection.isPending('edit:1'), false);
  await connection.settled();
});

test('a command that was not delivered is sent again', async () => {
  const {connection, received, replies, numReturns} = connect();
  const done = connection.send('edit', {text: 'a'});
  received[0].fail();
  await turn();
  assert.equal(connection.isOnline, false);
  while (received.length < 2) await new Promise(wait => setTimeout(wait, 20));
  assert.equal(received[1].message.sequence, received[0].message.sequence);
  received[1].answer(OK);
  await done;
  assert.equal(connection.isOnline, true);
  assert.equal(numReturns(), 1);
  assert.deepEqual(replies, [[OK, 'edit']]);
});

/**
 * Hides or shows the window.
 * @param {boolean} hidden
 */
const hide = hidden => {
  Object.assign(document, {hidden});
  document.dispatchEvent(new Event('visibilitychange'));
};

test('the page asks for news again after each reply, and for another session at once', async () => {
  const {connection, questions, replies, session} = connect();
  connection.watch();
  const {client} = connection;
  const first = {
    token: 'token',
    client,
    since: 4,
    open: 0,
    detail_since: 2,
    news_stamp: 7,
    list_stamp: null,
    waits: true,
  };
  assert.deepEqual(questions[0].message, first);
  questions[0].answer(OK);
  await turn();
  assert.equal(questions.length, 2);
  session.token = 'another';
  connection.askAgain();
  await turn();
  assert.deepEqual(questions[2].message, {...first, token: 'another'});
  questions[1].answer({ok: true, version: 9}); // of the session before: not shown
  await turn();
  assert.deepEqual(replies, [[OK, undefined]]);
  connection.close();
});

test('a hidden window holds no connection, and asks at once when it is shown', async t => {
  t.after(() => Object.assign(document, {hidden: false}));
  const {connection, questions} = connect();
  connection.watch();
  hide(true);
  await turn();
  assert.deepEqual(
    questions.map(({message}) => message.waits),
    [true, false],
  );
  questions[1].answer(OK);
  await turn();
  assert.equal(questions.length, 2);
  hide(false);
  await turn();
  assert.equal(questions.at(-1)?.message.waits, true);
  connection.close();
});

test('the first message is repeated until the server answers', async () => {
  let n = 0;
  const server = {
    hello: async () => {
      n++;
      if (n === 1) throw new Error('not started');
      return OK;
    },
  };
  assert.deepEqual(await greet(server, null), OK);
  assert.equal(n, 2);
});

test('every message names the language of the page', async () => {
  const server = {hello: async (/** @type {object} */ message) => message};
  assert.deepEqual(await inLanguage(server, 'de').hello({token: null}), {token: null, language: 'de'});
});

import assert from 'node:assert/strict';
import {before, beforeEach, test} from 'node:test';
import './fake_browser.js';
import {loadTexts} from '../../app/ui/static/core/texts.js';

const FINDING = {check: 'numbers', kind: 'missing', texts: ['5'], is_error: true};

before(async () => {
  await loadTexts();
  const node = () => ({
    setAttribute: () => {},
    addEventListener: () => {},
    append: () => {},
    replaceChildren: () => {},
    contains: () => false,
    dataset: {},
  });
  /** @type {any} */ (document).createElement = node;
  Object.defineProperty(globalThis, 'Node', {value: class {}, configurable: true});
  Object.defineProperty(document, 'activeElement', {value: null, configurable: true});
});

/** @type {any} */
let page;
/** @type {import('../../app/ui/static/editor/checks.js').Checks} */
let checks;
/** @type {string[]} */
let told;
/** @param {string} key */
const tell = key => told.push(key);
const settled = () => new Promise(done => setImmediate(done));

beforeEach(async () => {
  const {Checks} = await import('../../app/ui/static/editor/checks.js');
  told = [];
  page = {
    notes: [],
    checksOff: [],
    say: (/** @type {any[]} */ ...note) => page.notes.push(note),
    numberOf: (/** @type {number} */ index) => index + 1,
    connection: {
      isOnline: true,
      send: () => new Promise(done => Object.assign(page, {answer: done})),
    },
  };
  const parts = {current: {isPending: () => false}, text: {value: 'Ein Haus'}, onConfirm: () => {}};
  checks = new Checks(page, /** @type {any} */ (parts));
});

test('a text without findings is confirmed when the answer comes, however late', async context => {
  context.mock.timers.enable({apis: ['setTimeout']});
  const agreed = checks.agrees(0, 'Ein Haus', tell);
  await settled();
  assert.deepEqual(told, []);
  context.mock.timers.tick(60_000);
  await settled();
  assert.deepEqual(told, ['confirm.checking']);
  page.answer({ok: true, result: {findings: []}});
  assert.equal(await agreed, true);
  assert.deepEqual(told, ['confirm.checking', '']);
});

test('findings that come late are shown, and the text is not confirmed', async context => {
  context.mock.timers.enable({apis: ['setTimeout']});
  const agreed = checks.agrees(0, 'Ein Haus', tell);
  context.mock.timers.tick(60_000);
  await settled();
  page.answer({ok: true, result: {findings: [FINDING]}});
  assert.equal(await agreed, false);
  assert.equal(checks.element.hidden, false);
});

test('a second press does without a check that takes long, and without one that takes no time it does not', async context => {
  context.mock.timers.enable({apis: ['setTimeout']});
  const agreed = checks.agrees(0, 'Ein Haus', tell);
  assert.equal(checks.skip(), false);
  context.mock.timers.tick(60_000);
  await settled();
  assert.equal(checks.skip(), true);
  assert.equal(await agreed, true);
});

test('without a connection, the person is told at once that the text is not checked', async context => {
  context.mock.timers.enable({apis: ['setTimeout']});
  page.connection.isOnline = false;
  const agreed = checks.agrees(0, 'Ein Haus', tell);
  context.mock.timers.tick(1);
  await settled();
  assert.deepEqual(told, ['confirm.checking']);
  assert.equal(checks.skip(), true);
  assert.equal(await agreed, true);
});

test('a text whose check failed is confirmed by the next press, another text is not', async () => {
  const agreed = checks.agrees(0, 'Ein Haus', tell);
  page.answer({ok: false});
  assert.equal(await agreed, false);
  assert.deepEqual(told, ['confirm.unchecked']);
  assert.equal(await checks.agrees(0, 'Ein Haus', tell), true);
  const another = checks.agrees(0, 'Ein Hof', tell);
  page.answer({ok: true, result: {findings: [FINDING]}});
  assert.equal(await another, false);
});

for (const [why, reply, isConfirmed] of /** @type {[string, any, boolean][]} */ ([
  ['finds nothing', {ok: true, result: {findings: []}}, true],
  ['finds something', {ok: true, result: {findings: [FINDING]}}, false],
  ['fails', {ok: false}, false],
])) {
  test(`a segment that was left while its check ${why} is ${isConfirmed ? '' : 'not '}confirmed`, async () => {
    const agreed = checks.agrees(0, 'Ein Haus', tell);
    checks.reset();
    page.answer(reply);
    assert.equal(await agreed, isConfirmed);
    assert.equal(page.notes.length, isConfirmed ? 0 : 1, 'the person is told');
  });
}

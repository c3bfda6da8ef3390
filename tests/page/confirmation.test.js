import assert from 'node:assert/strict';
import {before, beforeEach, test} from 'node:test';
import './fake_browser.js';
import {loadTexts, t} from '../../app/ui/static/core/texts.js';

/** @typedef {{textContent: string, className?: string, setAttribute: () => void, append: () => void}} FakeElement */

before(async () => {
  await loadTexts();
  /** @type {any} */ (document).createElement = () => ({textContent: '', setAttribute: () => {}, append: () => {}});
});

/** @type {any} */
let page;
/** @type {any} */
let confirmation;

beforeEach(async () => {
  const {Confirmation} = await import('../../app/ui/static/editor/confirmation.js');
  page = {
    sent: [],
    opened: [],
    told: [],
    shown: [],
    isJoined: false,
    isLast: false,
    nextDocument: null,
    isConfirmed: false,
    isPending: true,
    field: 'Ein Haus',
    ownText: null,
    session: {token: 'token'},
    agrees: async () => true,
    current: {index: 0, detail: {is_pending: false}, awaitsProposal: () => page.isPending, refusesChanges: () => false},
  };
  const bench = {
    say: () => {},
    focusEditor: () => {},
    session: page.session,
    numberOf: (/** @type {number} */ index) => index + 1,
    list: {
      nextUnconfirmed: (/** @type {number} */ index) => (page.isLast ? null : index + 1),
      nextToReview: () => null,
    },
    joined: {
      get isOn() {
        return page.isJoined;
      },
      goOn: (/** @type {number} */ from, /** @type {boolean} */ toReview) => page.shown.push([from, toReview]),
    },
    notes: {say: (/** @type {string} */ _, /** @type {string} */ text) => page.told.push(text)},
    goOn: (/** @type {number} */ session, /** @type {boolean} */ toReview) => page.shown.push([session, toReview]),
    steps: {confirmation: () => {}, batch: () => {}, review: () => {}},
    connection: {
      send: async (/** @type {string} */ name, /** @type {any} */ args) => {
        if (name === 'next_document') return {ok: true, result: {document: page.nextDocument}};
        page.sent.push([args.segment, args.text]);
        return {ok: false};
      },
    },
    openSegment: (/** @type {number} */ index) => {
      page.current.index = index;
      page.field = `Text ${index}`;
      confirmation.forget();
    },
  };
  const text = {
    get value() {
      return page.field;
    },
    snapshot: () => ({text: page.ownText}),
    flush: () => {},
    keepDraft: () => {},
  };
  confirmation = new Confirmation(/** @type {any} */ (bench), {
    current: page.current,
    text: /** @type {any} */ (text),
    constraints: /** @type {any} */ ({now: {pins: ['Haus'], bans: []}}),
    checks: /** @type {any} */ ({isFine: () => false, agrees: () => page.agrees(), skip: () => page.skips}),
    snapshot: () => /** @type {any} */ ({text: null, isConfirmed: page.isConfirmed}),
    onConfirmed: () => {},
  });
});

const settled = () => new Promise(done => setTimeout(done, 0));

test('a confirmation waits for the new proposal and is sent when the text is the same', async () => {
  await confirmation.press();
  assert.deepEqual(page.sent, []);
  assert.equal(confirmation.status.textContent, t('confirm.waiting'));
  page.isPending = false;
  confirmation.settle();
  await settled();
  assert.deepEqual(page.sent, [[0, 'Ein Haus']]);
});

for (const [why, arriving] of [
  ['another text arrives', 'Das Haus'],
  ['the pin is not in the text', 'Ein Gebäude'],
]) {
  test(`a confirmation that waits is given up where ${why}`, async () => {
    if (!arriving.includes('Haus')) page.field = arriving;
    await confirmation.press();
    Object.assign(page, {isPending: false, field: arriving});
    confirmation.settle();
    await settled();
    assert.deepEqual(page.sent, []);
    assert.equal(confirmation.status.textContent, t('confirm.changed'));
    await confirmation.press();
    assert.deepEqual(page.sent, [[0, arriving]], 'the next press confirms the text that is seen now');
  });
}

test('a second press confirms the text as it is', async () => {
  await confirmation.press();
  await confirmation.press();
  assert.deepEqual(page.sent, [[0, 'Ein Haus']]);
});

test('the own text of the person does not wait for a proposal', async () => {
  page.ownText = page.field;
  await confirmation.press();
  assert.deepEqual(page.sent, [[0, 'Ein Haus']]);
});

test('a press during a check is not lost', async () => {
  page.isPending = false;
  confirmation.press();
  confirmation.press();
  await settled();
  assert.deepEqual(page.sent, [
    [0, 'Ein Haus'],
    [1, 'Text 1'],
  ]);
});

test('a press during a check that finds something does not accept findings that were not seen', async () => {
  Object.assign(page, {isPending: false, agrees: async () => false});
  confirmation.press();
  confirmation.press();
  await settled();
  assert.deepEqual(page.sent, []);
});

test('a text whose document is left during the check is written into no other document', async () => {
  page.isPending = false;
  page.agrees = async () => {
    page.session.token = 'other';
    return true;
  };
  await confirmation.press();
  assert.deepEqual(page.sent, []);
});

test('a text that changes during the check is not confirmed', async () => {
  page.isPending = false;
  page.agrees = async () => {
    page.field += ' und Hof';
    return true;
  };
  await confirmation.press();
  assert.deepEqual(page.sent, []);
  assert.equal(confirmation.status.textContent, t('confirm.changed'));
});

const NEXT = {session: 7, name: 'b.txt', num_confirmed: 2, num_segments: 6, num_locked: 1, num_approved: 0};

test('after the last segment, the next press shows the next document of the project', async () => {
  Object.assign(page, {isPending: false, isLast: true, nextDocument: NEXT, ownText: 'Ein Haus'});
  await confirmation.press();
  await settled();
  assert.match(page.told.at(-1), /b\.txt.*3 open segments/);
  page.isConfirmed = true;
  await confirmation.press();
  assert.deepEqual(page.shown, [[7, false]]);
  assert.deepEqual(page.sent, [[0, 'Ein Haus']], 'it is not confirmed twice');
});

test('a text that is changed after the last confirmation is confirmed, and a reviewer approves before going on', async () => {
  Object.assign(page, {isPending: false, isLast: true, nextDocument: NEXT, ownText: 'Ein Haus'});
  page.current.row = {review: ''};
  await confirmation.press();
  await settled();
  page.isConfirmed = true;
  await confirmation.press(true);
  assert.deepEqual(page.shown, []);
  assert.equal(page.sent.length, 2);
  confirmation.forget();
  page.isConfirmed = false;
  await confirmation.press();
  assert.deepEqual(page.shown, []);
  assert.equal(page.sent.length, 3);
});

test('without another document, only the end of this one is reported', async () => {
  Object.assign(page, {isPending: false, isLast: true, ownText: 'Ein Haus'});
  await confirmation.press();
  await settled();
  assert.deepEqual(page.told, [t('confirm.all')]);
});

test('in the joined list, a press goes on from the segment, also over the border of the document', async () => {
  Object.assign(page, {isPending: false, isLast: true, isJoined: true, ownText: 'Ein Haus'});
  await confirmation.press();
  assert.deepEqual([page.sent, page.shown], [[[0, 'Ein Haus']], [[0, false]]]);
  page.isConfirmed = true;
  await confirmation.press();
  assert.equal(page.shown.length, 2);
  assert.equal(page.sent.length, 1, 'it is not confirmed twice');
  assert.deepEqual(page.told, [], 'the list reports its end');
});

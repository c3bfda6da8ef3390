/* Replies and the presses of a pointer button. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {setTimeout as pause} from 'node:timers/promises';
import {PressQueue} from '../../app/ui/static/core/presses.js';

const page = new EventTarget();
Object.defineProperty(globalThis, 'window', {value: page, configurable: true});

/** A queue, and the numbers of the replies that it has delivered. */
const queueOf = () => {
  /** @type {unknown[]} */
  const delivered = [];
  const root = new EventTarget();
  const queue = new PressQueue(root, reply => delivered.push(reply));
  return {
    delivered,
    press: () => root.dispatchEvent(new Event('pointerdown')),
    release: () => ['pointerup', 'mouseup'].forEach(name => page.dispatchEvent(new Event(name))),
    add: (/** @type {any} */ reply) => queue.add(reply, null),
  };
};

test('replies wait until the button is released, and the click comes before them', async () => {
  const {delivered, press, release, add} = queueOf();
  add(1);
  press();
  add(2);
  await pause(5);
  assert.deepEqual(delivered, [1]);
  release();
  assert.deepEqual(delivered, [1]);
  await pause(5);
  add(3);
  assert.deepEqual(delivered, [1, 2, 3]);
});

test('a press right after the last release holds the replies, too', async () => {
  const {delivered, press, release, add} = queueOf();
  press();
  release();
  press();
  add(1);
  await pause(5);
  assert.deepEqual(delivered, []);
  release();
  await pause(5);
  assert.deepEqual(delivered, [1]);
});

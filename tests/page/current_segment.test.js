import assert from 'node:assert/strict';
import {test} from 'node:test';
import './fake_browser.js';

test('a proposal is awaited until its first hypothesis is known, or while constraints are on their way', async () => {
  const {CurrentSegment} = await import('../../app/ui/static/editor/current_segment.js');
  let isSending = false;
  const current = new CurrentSegment(/** @type {any} */ ({connection: {isPending: () => isSending}}));
  const detail = (/** @type {boolean} */ isPending, /** @type {any} */ proposal) => {
    current.detail = /** @type {any} */ ({is_pending: isPending, proposal});
    return current.awaitsProposal();
  };
  assert.equal(current.awaitsProposal(), false);
  assert.equal(detail(true, null), true);
  assert.equal(detail(true, {is_first_of_more: false}), true);
  assert.equal(detail(true, {is_first_of_more: true}), false);
  assert.equal(detail(false, {is_first_of_more: false}), false);
  isSending = true;
  assert.equal(detail(true, {is_first_of_more: true}), true);
});

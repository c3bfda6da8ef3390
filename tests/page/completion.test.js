import assert from 'node:assert/strict';
import {test} from 'node:test';
import './fake_browser.js';

const {leftOf} = await import('../../app/ui/static/editor/completion.js');

for (const {before, completion, text, left, why} of [
  {before: 'Der ', completion: 'alte Hof', text: 'Der al', left: 'te Hof', why: 'the same letters were typed'},
  {before: 'Der ', completion: 'alte Hof', text: 'Der alte Hof', left: '', why: 'all of it was typed'},
  {before: 'Der ', completion: 'alte Hof', text: 'Der alten', left: '', why: 'another letter was typed'},
  {before: 'Der ', completion: 'alte Hof', text: 'Der', left: '', why: 'a letter was deleted'},
  {before: '', completion: 'Der', text: 'D', left: 'er', why: 'the field was empty'},
])
  test(`what is left of a completion: ${why}`, () => assert.equal(leftOf(before, completion, text), left));

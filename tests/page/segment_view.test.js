import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {loadTexts} from '../../app/ui/static/core/texts.js';
import {learnedFrom} from '../../app/ui/static/editor/segment_view.js';
import {languages} from './fake_browser.js';

beforeEach(async () => {
  languages.splice(0, languages.length, 'en');
  await loadTexts();
});

test('a proposal names the segments that it draws from in order, and other documents once', () => {
  const learned = [
    {segment: null, source: 'One.', target: 'Eins.'},
    {segment: 12, source: 'Two.', target: 'Zwei.'},
    {segment: 3, source: 'Three.', target: 'Drei.'},
    {segment: null, source: 'Four.', target: 'Vier.'},
  ];
  const {text, title} = learnedFrom(learned);
  assert.equal(text, 'learned from 3, 12, other documents');
  assert.equal(title.split('\n\n').length, 4);
  assert.ok(title.startsWith('One.\n\u2192 Eins.'));
});

test('a proposal of the model alone names nothing', () => {
  assert.deepEqual(learnedFrom([]), {text: '', title: ''});
});

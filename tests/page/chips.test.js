import assert from 'node:assert/strict';
import {test} from 'node:test';
import './fake_browser.js';
import {partsOf, tagOf} from '../../app/ui/static/core/chips.js';

test('the tags of a source are found in a text, other braces are text', () => {
  const tags = {1: {name: 'B', content: '**'}};
  assert.deepEqual(partsOf('Die {1}alte{/1} Datei {2} {name}', tags), [
    {text: 'Die '},
    {text: '{1}', tag: tags[1]},
    {text: 'alte'},
    {text: '{/1}', tag: tags[1]},
    {text: ' Datei '},
    {text: '{2}', tag: undefined},
    {text: ' {name}'},
  ]);
  assert.deepEqual(partsOf('', tags), []);
});

test('only a whole tag of the source is one', () => {
  const tags = {1: {name: 'B', content: '**'}};
  assert.equal(tagOf('{1}', tags), tags[1]);
  assert.equal(tagOf('{/1}', tags), tags[1]);
  for (const text of ['{2}', '%1$s', '{{1}}', '1', '']) assert.equal(tagOf(text, tags), undefined, text);
});

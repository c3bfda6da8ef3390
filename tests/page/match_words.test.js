import assert from 'node:assert/strict';
import {test} from 'node:test';
import './fake_browser.js';
import {wordsOf} from '../../app/ui/static/panels/match_words.js';

for (const [text, words] of /** @type {[string, string[]][]} */ ([
  ['Öffnen Sie „die Datei“.', ['Öffnen', 'Sie', 'die', 'Datei']],
  ['  Warten – 2,5 s! ', ['Warten', '–', '2,5', 's']],
  ['ファイルを開く。', ['ファイル', 'を', '開く']],
  ['…', []],
  ['', []],
])) {
  test(`the words of “${text}” have no marks around them`, () => {
    assert.deepEqual(
      wordsOf(text).map(([start, end]) => text.slice(start, end)),
      words,
    );
  });
}

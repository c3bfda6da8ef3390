import assert from 'node:assert/strict';
import {before, test} from 'node:test';
import './fake_browser.js';
import {fitWord, sureWord} from '../../app/ui/static/core/fit.js';
import {loadTexts} from '../../app/ui/static/core/texts.js';

before(() => loadTexts());

test('prices and scores have the words of their bounds', () => {
  for (const [price, word, ofBan] of /** @type {[number, string, string][]} */ ([
    [-1, 'fits better', 'costs nothing'], // the search without the words found less
    [0, 'fits well', 'costs nothing'],
    [0.05, 'fits well', 'costs nothing'],
    [0.1, 'fits', 'costs little'],
    [0.4, 'fits poorly', 'costs a lot'],
    [0.41, 'forced', 'forced'],
    [Number.POSITIVE_INFINITY, 'forced', 'forced'],
  ])) {
    assert.equal(fitWord(price), word, String(price));
    assert.equal(fitWord(price, true), ofBan, String(price));
  }
  for (const [score, word] of /** @type {[number, string][]} */ ([
    [0, 'sure'],
    [-0.4, 'sure'],
    [-0.41, 'fairly sure'],
    [-0.61, 'unsure'],
  ]))
    assert.equal(sureWord(score), word, String(score));
});

import assert from 'node:assert/strict';
import {beforeEach, mock, test} from 'node:test';
import {
  chooseLanguage,
  count,
  currentLanguage,
  loadTexts,
  number,
  percent,
  t,
  tn,
} from '../../app/ui/static/core/texts.js';
import {languages, localStorage} from './fake_browser.js';

/** @param {...string} tags */
const browserSpeaks = async (...tags) => {
  languages.splice(0, languages.length, ...tags);
  await loadTexts();
};

beforeEach(async () => {
  localStorage.clear();
  await browserSpeaks('en');
});

test('names in braces are replaced, and unknown ones stay', () => {
  assert.equal(t('segment.label', {n: 3}), t('segment.label').replace('{n}', '3'));
  assert.match(t('segment.label'), /\{n\}/);
});

test('a missing text is reported and shown as its key', () => {
  const error = mock.method(console, 'error', () => {});
  assert.equal(t('no.such.text'), 'no.such.text');
  assert.equal(error.mock.callCount(), 1);
  error.mock.restore();
});

test('one thing and many things have texts of their own', () => {
  assert.equal(tn('glossary.terms', 1), t('glossary.terms.one', {n: '1'}));
  assert.equal(tn('glossary.terms', 1200), t('glossary.terms.many', {n: '1,200'}));
});

for (const {value, digits, signed, expected, why} of [
  {value: -0.412, digits: 3, signed: false, expected: '\u22120.412', why: 'a true minus sign'},
  {value: 0.5, digits: 2, signed: true, expected: '+0.50', why: 'a plus sign if asked'},
  {value: 0.5, digits: 2, signed: false, expected: '0.50', why: 'no plus sign otherwise'},
  {value: -0.0001, digits: 2, signed: true, expected: '0.00', why: 'what is rounded to zero has no sign'},
]) {
  test(`a number is written with ${why}`, () => {
    assert.equal(number(value, digits, signed), expected);
  });
}

test('numbers follow the language of the page', async () => {
  await browserSpeaks('de-DE');
  assert.equal(number(1234.5, 1), '1.234,5');
  assert.equal(count(12345), '12.345');
  assert.equal(percent(0.43).replace(/\s/, ' '), '43 %');
});

for (const {tags, chosen, expected, why} of [
  {tags: ['de-AT', 'en'], chosen: null, expected: 'de', why: "the browser's first language"},
  {tags: ['fr', 'de', 'en'], chosen: null, expected: 'de', why: 'the first that has texts'},
  {tags: ['fr'], chosen: null, expected: 'en', why: 'English without any of them'},
  {tags: ['de'], chosen: 'en', expected: 'en', why: 'the chosen language before the browser'},
  {tags: ['de'], chosen: 'toString', expected: 'de', why: 'no language by the name of a method'},
]) {
  test(`the page speaks ${why}`, async () => {
    if (chosen) assert.equal(chooseLanguage(chosen), true);
    await browserSpeaks(...tags);
    assert.equal(currentLanguage(), expected);
  });
}

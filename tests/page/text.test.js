/* Functions of the page that turn texts into other texts or find words in them. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Changes, joinedEdits, originOf} from '../../app/ui/static/core/changes.js';
import {finderOf, splitAt} from '../../app/ui/static/core/finder.js';
import {unseenIn} from '../../app/ui/static/core/unseen.js';
import {firstWord, inWords, wholeWords, wordAt, wordStarts} from '../../app/ui/static/core/words.js';
import {lettersOf} from '../../app/ui/static/dialogs/characters.js';
import {isHalfTyped} from '../../app/ui/static/editor/target_text.js';
import {nextCase, nextPlaceholder} from '../../app/ui/static/editor/text_commands.js';
import {groupOf} from '../../app/ui/static/panels/side.js';

for (const [text, source, expected] of /** @type {[string, string, boolean][]} */ ([
  ['Warten Sie', 'Wait 5 seconds.', true],
  ['Warten Sie 5 Sekunden.', 'Wait 5 seconds.', false],
  ['Er sagte: \u201eWarten Sie!\u201c', 'He said \u201cWait!\u201d', false],
  ['Ein', 'A short heading', true],
  ['Eine kurze \u00dcberschrift', 'A short heading', false],
  ['5\u79d2\u304a\u5f85\u3061\u304f\u3060\u3055\u3044\u3002', 'Wait 5 seconds.', false],
])) {
  test(`a sentence is half typed, or not: ${text}`, () => assert.equal(isHalfTyped(text, source), expected));
}

for (const {cases, lang} of [
  {cases: ['der alte hof', 'Der Alte Hof', 'DER ALTE HOF'], lang: 'de'},
  {cases: ["l'été", "L'Été", "L'ÉTÉ"], lang: 'fr'},
  {cases: ['istanbul', 'İstanbul', 'İSTANBUL'], lang: 'tr'},
]) {
  test(`the case of a text goes round: ${cases[0]}`, () => {
    cases.forEach((text, i) => assert.equal(nextCase(text, lang), cases[(i + 1) % 3]));
  });
}

test('the case of a single letter goes to and fro', () => {
  assert.equal(nextCase('a', 'de'), 'A');
  assert.equal(nextCase('A', 'de'), 'a');
});

test('the next placeholder is the first that occurs too seldom', () => {
  const placeholders = ['{n}', '%s', '{n}'];
  assert.equal(nextPlaceholder(placeholders, ''), '{n}');
  assert.equal(nextPlaceholder(placeholders, 'a {n}'), '%s');
  assert.equal(nextPlaceholder(placeholders, 'a {n} %s'), '{n}');
  assert.equal(nextPlaceholder(placeholders, '{n} {n} %s'), undefined);
});

test('the first word of a completion has its space and marks', () => {
  assert.equal(firstWord(' and, then'), ' and,');
  assert.equal(firstWord('end.'), 'end.');
});

test('the first word of Japanese text is one of the dictionary', () => {
  assert.equal(firstWord('東京都は'), '東京');
});

test('a stretch grows to whole words', () => {
  assert.deepEqual(wholeWords('one two three', 5, 9), [4, 13]);
  assert.deepEqual(wholeWords('one two', 4, 7), [4, 7]);
  assert.deepEqual(wholeWords('東京都', 1, 2), [1, 2]);
});

test('a source can be split before each word but the first', () => {
  assert.deepEqual(wordStarts('one  two three'), [5, 9]);
  assert.deepEqual(wordStarts('one'), []);
});

test('the words of a sentence with spaces are those of the server', () => {
  const detail = /** @type {any} */ ({
    source: [{t: 'A', w: 0}, {t: ' '}, {t: 'house', w: 1}],
    proposal: {
      tokens: [{t: 'Ein', w: 0}, {t: ' '}, {t: 'Haus', w: 1}],
      confidence: [0.9, 0.5],
      alignment: [
        [0, 0],
        [1, 1],
      ],
    },
    learned_from: [{segment: 3, index: 2, source: 'x', target: 'y', words: [[1, 0.7]]}],
  });
  const {source, proposal, learned_from: learned} = inWords(detail);
  assert.deepEqual(source, [
    {t: 'A', w: 0},
    {t: ' ', w: undefined},
    {t: 'house', w: 1},
  ]);
  assert.deepEqual(proposal?.confidence, [0.9, 0.5]);
  assert.deepEqual(proposal?.alignment, detail.proposal.alignment);
  assert.deepEqual(learned, detail.learned_from);
});

test('characters of Japanese become words with the least confidence and the greatest share of their parts', () => {
  const tokens = [...'東京都'].map((t, w) => ({t, w}));
  const words = [
    [0, 0.2],
    [1, 0.6],
  ];
  const {proposal, learned_from: learned} = inWords(
    /** @type {any} */ ({
      source: [],
      proposal: {tokens, confidence: [0.9, 0.4, 0.7], alignment: []},
      learned_from: [{words}],
    }),
  );
  assert.deepEqual(
    proposal?.tokens.map(({t, w}) => [t, w]),
    [
      ['東京', 0],
      ['都', 1],
    ],
  );
  assert.deepEqual(proposal?.confidence, [0.4, 0.7]);
  assert.deepEqual(learned[0].words, [[0, 0.6]]);
});

test('unseen characters are named once each', () => {
  assert.deepEqual(unseenIn('a\u200fb\u200fc\u00add'), ['RLM', 'SHY']);
});

for (const {event, expected} of [
  {event: {inputType: 'insertText', data: 'a'}, expected: 'typed'},
  {event: {inputType: 'deleteWordBackward'}, expected: 'typed'},
  {event: {inputType: 'insertFromPaste', data: 'a'}, expected: 'paste'},
  {event: {inputType: 'insertReplacementText', data: 'colour'}, expected: 'spelling'},
  {event: {inputType: 'insertText', data: 'several words'}, expected: 'other'},
  {event: {inputType: 'formatBold'}, expected: 'other'},
]) {
  test(`the origin of ${event.inputType} (${event.data}) is "${expected}"`, () => {
    assert.equal(originOf(event), expected);
  });
}

test('letters typed in one go are one change', () => {
  const changes = new Changes();
  changes.begin('ab');
  changes.note('abc', 'typed', 3);
  changes.note('abcd', 'typed', 4);
  changes.note('bcd', 'paste', 0, [0, 1]);
  assert.deepEqual(changes.take('bcd'), {
    before: 'ab',
    changes: [
      [2, 0, 'cd', 'typed'],
      [0, 1, '', 'paste'],
    ],
  });
  assert.deepEqual(changes.take('bcd'), {before: 'bcd', changes: []});
});

test('changes that were not stored come before the later ones', () => {
  const changes = new Changes();
  changes.begin('');
  changes.note('a', 'typed', 1);
  const taken = changes.take('a');
  changes.note('ab', 'typed', 2);
  changes.putBack(taken);
  assert.deepEqual(changes.take('ab'), {before: '', changes: [[0, 0, 'ab', 'typed']]});
});

test('two typed edits on their way become one', () => {
  const earlier = {text: 'a', reported: {before: '', changes: [[0, 0, 'a', 'typed']]}};
  const later = {text: 'ab', reported: {before: 'a', changes: [[1, 0, 'b', 'typed']]}};
  assert.deepEqual(joinedEdits(earlier, later), {
    text: 'ab',
    reported: {before: '', changes: [[0, 0, 'ab', 'typed']]},
  });
  assert.equal(joinedEdits({text: 'a'}, later), null);
});

test('a text is cut where searched words are, in any case', () => {
  assert.deepEqual(splitAt('Der Router des Routers', 'router'), ['Der ', 'Router', ' des ', 'Router', 's']);
  assert.deepEqual(splitAt('Router', 'router'), ['', 'Router', '']);
  assert.deepEqual(splitAt('Router', ''), ['Router']);
  assert.deepEqual(
    splitAt('\u0130stanbul', 'stan'),
    ['\u0130stanbul'],
    'where small letters are longer, nothing is cut',
  );
});

test('a term that is used twice is not listed as used', () => {
  const group = (/** @type {string} */ status, /** @type {string} */ doubt) =>
    groupOf(/** @type {any} */ ({status, doubt}));
  assert.equal(group('met', ''), 'met');
  assert.equal(group('met', 'doubled'), 'doubt');
  assert.equal(group('unmet', ''), 'unmet');
});

for (const [text, place, word] of /** @type {[string, number, string][]} */ ([
  ['Das „Haus“, alt', 6, 'Haus'],
  ['Das {1}Haus{/1} hier', 8, 'Haus'],
  ['{1}Das{/1}', 0, 'Das'],
  ['{1}Das{/1}', 10, 'Das'],
  ['a {1}{2} b', 3, '{1}{2}'],
  ['', 0, ''],
]))
  test(`the word at ${place} of "${text}" has no tags and no punctuation around it`, () => {
    assert.equal(text.slice(...wordAt(text, place)), word);
  });

test('a regular expression finds texts without regard to capitals, and a wrong or empty one finds nothing', () => {
  const finder = finderOf('\\bro?uter(s|n)?$', true);
  assert.equal(finder?.matches('Die Router'), true);
  assert.equal(finder?.matches('Router da'), false);
  assert.equal(finder?.matches('Die Router'), true, 'twice the same');
  assert.deepEqual(finder?.split('Des Routers'), ['Des ', 'Routers', '']);
  assert.deepEqual(finderOf('x*', true)?.split('axxb'), ['a', 'xx', 'b'], 'empty places are not marked');
  assert.equal(finderOf('(', true), null);
  assert.equal(finderOf('  ', false), null);
  assert.equal(finderOf('STRASSE', false)?.matches('Die Straße'), true, 'words as in the search of the server');
});

test('special characters have the letters of the target language, small and large, and those of many for other languages', () => {
  assert.deepEqual(lettersOf('de-AT').join(''), 'äöüßÄÖÜ');
  assert.deepEqual(lettersOf('sv').join(''), 'åäöéÅÄÖÉ');
  assert.ok(lettersOf('sw').includes('ñ'));
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {filesOfDrop, filesOfInput, hasModelInside, isArchive} from '../../app/ui/static/core/chosen_files.js';

/** @param {string} name */
const file = (name, content = '') => new File([content], name);

/**
 * What a browser says of a dropped file or folder; a folder is read in portions of two.
 * @param {string} name
 * @param {any[]} [inner]
 */
const entry = (name, inner) =>
  inner
    ? {
        name,
        isFile: false,
        isDirectory: true,
        createReader: () => {
          const left = [...inner];
          return {readEntries: (/** @type {(found: any[]) => void} */ resolve) => resolve(left.splice(0, 2))};
        },
      }
    : {
        name,
        isFile: true,
        isDirectory: false,
        file: (/** @type {(found: File) => void} */ resolve) => resolve(file(name)),
      };

/**
 * What was dropped.
 * @param {any[]} items
 * @param {File[]} [files]
 */
const dropped = (items, files = []) => /** @type {DataTransfer} */ (/** @type {unknown} */ ({items, files}));

/**
 * An input with chosen files.
 * @param {File[] | null} files
 */
const input = files => /** @type {HTMLInputElement} */ (/** @type {unknown} */ ({files}));

/** @param {{path: string}[]} found */
const paths = found => found.map(({path}) => path);

test('dropped folders are read to their ends, with the folders in the paths', async () => {
  const job = entry('Job', [entry('a.txt'), entry('b.txt'), entry('sub', [entry('c.txt')]), entry('d.txt')]);
  const items = [job, entry('e.txt')].map(one => ({webkitGetAsEntry: () => one}));
  const found = await filesOfDrop(dropped(items));
  assert.deepEqual(paths(found), ['Job/a.txt', 'Job/b.txt', 'Job/sub/c.txt', 'Job/d.txt', 'e.txt']);
  assert.equal(found[2].file.name, 'c.txt');
});

test('dropped files without folders are taken as they are, also where the browser knows no entries', async () => {
  const files = [file('a.txt'), file('b.txt')];
  assert.deepEqual(paths(await filesOfDrop(dropped([{}, {}], files))), ['a.txt', 'b.txt']);
});

test('files of a chosen folder have their folders in the paths', () => {
  const inner = Object.assign(file('a.txt'), {webkitRelativePath: 'Job/a.txt'});
  assert.deepEqual(paths(filesOfInput(input([inner, file('b.txt')]))), ['Job/a.txt', 'b.txt']);
  assert.deepEqual(filesOfInput(input(null)), []);
});

for (const [name, expected] of /** @type {[string, boolean][]} */ ([
  ['job.zip', true],
  ['Job.SDLPPX', true],
  ['a.mqxlz', true],
  ['a.xlz', true],
  ['a.zip.txt', false],
  ['a.docx', false],
])) {
  test(`${name} is ${expected ? 'an' : 'no'} archive`, () => {
    assert.equal(isArchive({path: name, file: file(name)}), expected);
  });
}

test('a ZIP file with a model is known by the names at its end', async () => {
  const padding = 'x'.repeat(100000);
  assert.equal(await hasModelInside(file('m.zip', `${padding}m/vocab.ende.spm`)), true);
  assert.equal(await hasModelInside(file('m.zip', 'model.ende.intgemm.alphas.bin')), true);
  assert.equal(await hasModelInside(file('m.zip', `vocab.spm${padding}`)), false);
  assert.equal(await hasModelInside(file('m.zip', 'Job/manual.docx')), false);
});

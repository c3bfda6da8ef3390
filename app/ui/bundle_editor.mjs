/* Builds app/ui/static/vendor/codemirror.js, the one file with the editor library that the page loads: `npm run bundle`.
   With a file name, writes there instead, so that a test can compare. The file is committed: users need no Node.js. */
import {readFileSync, writeFileSync} from 'node:fs';
import {build} from 'esbuild';

const PACKAGES = [
  '@codemirror/state',
  '@codemirror/view',
  '@marijn/find-cluster-break',
  'crelt',
  'style-mod',
  'w3c-keyname',
];
const folder = new URL('../../', import.meta.url);
/** @param {string} path */
const read = path => readFileSync(new URL(`node_modules/${path}`, folder), 'utf8');

const licences = PACKAGES.map(name => {
  const {version, license} = JSON.parse(read(`${name}/package.json`));
  return `${name} ${version}, ${license}\n\n${read(`${name}/LICENSE`).trim()}`;
});
const {outputFiles, metafile} = await build({
  stdin: {
    contents: `
      export {Annotation, EditorSelection, EditorState, StateEffect, StateField} from '@codemirror/state';
      export {Decoration, EditorView, WidgetType} from '@codemirror/view';`,
    resolveDir: folder.pathname,
  },
  bundle: true,
  format: 'esm',
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  metafile: true,
  write: false,
  absWorkingDir: folder.pathname,
});
const bundled = new Set(
  Object.keys(metafile.inputs).flatMap(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
);
const others = [...bundled].filter(name => !PACKAGES.includes(name));
if (others.length) throw new Error(`licences missing: add ${others.join(', ')} to PACKAGES`);
const header = `/*\nMade by \`npm run bundle\`. Do not edit.\n\n${licences.join('\n\n----\n\n')}\n*/\n`;
writeFileSync(process.argv[2] ?? new URL('static/vendor/codemirror.js', import.meta.url), header + outputFiles[0].text);

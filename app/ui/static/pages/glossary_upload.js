/* Importing a glossary: the file is uploaded and checked. A file without problems is used at once; otherwise a page shows the
   report on it first. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, tn} from '../core/dom.js';
import {HOME} from '../core/page.js';
import {readStored, writeStored} from '../core/storage.js';
import {upload} from '../core/upload.js';
import {askColumns} from '../dialogs/columns.js';
import {projectName} from '../dialogs/project_form.js';

/** @typedef {import('./held_rows.js').Decision} Decision */

const STORE_KEY = 'pinpoint:import';
const SHOW_AFTER_MS = 300;

/** The file of the newest import, whose columns can be chosen again, as long as the page is not loaded again.
 * @type {{place: string, file: File} | null} */
let newest = null;

/**
 * Uploads a glossary, asks for the use of its columns if that is open, then uses it or shows the report on it.
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'notes' | 'pages' | 'root' | 'say' | 'session'>} bench
 * @param {File} file
 * @param {string} [columns] the use of the columns of a table, or "ask" for the question
 * @param {string} [back] the address to which the report leads back; if it is given, the report is shown in any case
 */
export const importGlossary = async (bench, file, columns = '', back = '') => {
  const result = await send(bench, file, columns);
  if (!result) return;
  if ('table' in result) {
    const chosen = await askColumns(bench, file.name, result.table);
    if (chosen) await importGlossary(bench, file, chosen, back);
    return;
  }
  const {counts, notes} = result;
  if (back || result.is_replacing || counts.rejected || counts.held || counts.look || counts.repeat || notes.length) {
    const place = placeOf(bench, result.import);
    newest = {place, file};
    keepChoices({place, back: back || (bench.pages.isOpen ? '#glossaries' : HOME)});
    bench.pages.go(`glossaries/import/${result.import}`);
    return;
  }
  const used = await useImport(bench, {import: result.import, fixes: [], fills: {}, decisions: {}, others: 'leave'});
  if (!used.ok) bench.say('bad', used.error.message);
  else if (bench.pages.isOpen) bench.pages.refresh();
  else bench.focusEditor();
};

/**
 * Asks again for the columns of the import of that number; null if its file is not at hand any more.
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'notes' | 'pages' | 'root' | 'say' | 'session'>} bench
 * @param {number} number
 */
export const changeColumns = (bench, number) =>
  newest?.place === placeOf(bench, number)
    ? () => newest && importGlossary(bench, newest.file, 'ask', keptChoices(bench, number).back)
    : null;

/**
 * Uploads a glossary; the answer is null if it was cancelled or refused.
 * @param {Pick<Bench, 'focusEditor' | 'root' | 'say' | 'session'>} bench
 * @param {File} file
 * @param {string} columns
 * @returns {Promise<ImportReport | ColumnsQuestion | null>}
 */
const send = async (bench, file, columns) => {
  let isCancelled = false;
  const bar = h('progress', {max: 1, 'aria-label': t('import.sending')});
  const state = h('p.muted', {role: 'status'}, t('import.sending'));
  const cancel = () => {
    isCancelled = true;
    dialog.close();
    bench.focusEditor();
  };
  const dialog = new Dialog({
    name: 'import',
    title: t('import.title', {name: file.name}),
    classes: '.small',
    body: [state, bar],
    buttons: button('.btn', {onclick: cancel}, t('import.cancel')),
    onCancel: cancel,
  });
  /** @param {number} share */
  const progress = share => {
    if (share < 1) {
      bar.value = share;
      return;
    }
    bar.removeAttribute('value');
    setText(state, t('import.checking'));
  };
  const waiting = setTimeout(() => dialog.open(bench.root), SHOW_AFTER_MS);
  const address = `glossary/${encodeURIComponent(bench.session.token)}`;
  const reply = await upload(address, {file: file.name, columns}, file, progress);
  clearTimeout(waiting);
  if (isCancelled) return null;
  dialog.close();
  if (reply?.ok) return reply.result;
  bench.say(
    'bad',
    reply?.status === 413
      ? t('file.too_large', {name: file.name, size: (file.size / 1048576).toFixed(1), limit: 100})
      : (reply?.error?.message ?? t('alts.offline')),
  );
  return null;
};

/**
 * @param {Pick<Bench, 'session'>} bench
 * @param {number} number of the import
 */
const placeOf = (bench, number) => `${bench.session.token}/${number}`;

/**
 * The data that this tab keeps about an import that is not used yet; `back` is the address of the page before.
 * @param {{place: string, back: string, fixes?: [string, string | null][], fills?: [string, string][],
 *   decisions?: [string, Decision, number][], others?: Decision}} choices
 */
export const keepChoices = choices => writeStored('session', STORE_KEY, JSON.stringify(choices));

/**
 * The data that this tab keeps about the import with this number.
 * @param {Pick<Bench, 'session'>} bench
 * @param {number} number
 */
export const keptChoices = (bench, number) => {
  const place = placeOf(bench, number);
  const kept = JSON.parse(readStored('session', STORE_KEY) ?? '{}');
  return kept.place === place ? kept : {place, back: '#glossaries'};
};

/**
 * Uses an import, and reports it.
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'notes' | 'pages' | 'say'>} bench
 * @param {{import: number, fixes: string[], fills: Record<string, string>, decisions: Record<string, Decision>,
 *   others: Decision}} choices
 */
export const useImport = async (bench, choices) => {
  const reply = await bench.connection.send('import_glossary', choices);
  if (reply.ok) sayImported(bench, reply.result.name, reply.result.num_terms, reply.result.glossaries);
  return reply;
};

/**
 * Reports an imported glossary, and offers it to the other documents of the project.
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'notes' | 'pages' | 'say'>} bench
 * @param {string} name
 * @param {number} n
 * @param {DocumentGlossary[]} glossaries
 */
const sayImported = (bench, name, n, glossaries) => {
  const own = glossaries.find(glossary => glossary.name === name && !glossary.is_shared);
  const share = async () => {
    const reply = await bench.connection.send('glossary_share', {glossary: own?.id});
    if (reply.ok) bench.say('info', t('glossaries.shared', {name, project: projectName(bench.document.project)}));
    bench.pages.refresh();
    bench.focusEditor();
  };
  bench.notes.say(
    'info',
    tn('glossary.imported', n, {name}),
    own ? [[t('glossaries.share.all', {project: projectName(bench.document.project)}), share]] : [],
    {stays: own !== undefined},
  );
};

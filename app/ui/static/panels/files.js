/* Uploads of files that are chosen or dropped, and downloads. The page and the server both check the size. */
import {filesOfDrop, filesOfInput, hasModelInside, isArchive, toBase64} from '../core/chosen_files.js';
import {h, t, tn} from '../core/dom.js';
import {showModels} from '../dialogs/models.js';
import {openTogether} from '../dialogs/opening.js';
import {isModelFile} from '../dialogs/own_model.js';
import {showReview} from '../dialogs/review_import.js';
import {importGlossary} from '../pages/glossary_upload.js';

/** @type {Record<string, number>} */
export const MAX_MIB = {document: 30, glossary: 100, memory: 50, review: 30};
const ACCEPT = {
  review: '.docx',
  memory: '.tmx,.sdltm,.xlsx,.csv,.tsv,.tab,.txt',
  document:
    '.txt,.md,.markdown,.mdx,.docx,.pptx,.xlsx,.odt,.ods,.odp,.idml,.xlf,.xliff,.sdlxliff,.mqxliff,.mxliff,.po,.pot,.srt,.html,.htm,.tmx,.csv,.tsv,.json,.arb,.properties,.xml,.dita,.ditamap,.dbk,.docbook,.resx,.strings,.stringsdict,.xcstrings,.yml,.yaml,.ass,.ssa,.vtt,.zip,.sdlppx,.sdlrpx,.mqxlz,.xlz,text/plain',
  glossary: '.csv,.tsv,.txt,.tab,.xlsx,.tbx,.xml,.utx,.tmx,text/csv,text/tab-separated-values,text/plain',
};

const GLOSSARY = /\.(csv|tsv|tab|xlsx|tbx|utx)$/i;

export class Files {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'languages' | 'model' | 'notes' | 'onModel' | 'pages' |
   *   'openSegment' | 'problem' | 'root' | 'rows' | 'say' | 'segment' | 'server' | 'session' | 'side' | 'steps' | 'switchTo' | 'tabs'>} bench
   * @param {HTMLElement} root
   */
  constructor(bench, root) {
    this.bench = bench;
    this.inputs = Object.fromEntries(
      Object.entries(ACCEPT).map(([kind, accept]) => {
        const input = h('input', {
          type: 'file',
          accept,
          hidden: true,
          multiple: kind === 'document',
          'data-kind': kind,
          onchange: () => {
            const files = filesOfInput(input);
            input.value = '';
            if (kind === 'document') this.open(files);
            else if (files.length) this.take(kind, files[0].file);
          },
        });
        return [kind, input];
      }),
    );
    const folder = h('input', {
      type: 'file',
      hidden: true,
      webkitdirectory: true,
      'data-kind': 'folder',
      onchange: () => {
        const files = filesOfInput(folder);
        folder.value = '';
        if (files.length) openTogether(this.bench, files, MAX_MIB.document);
      },
    });
    this.inputs.folder = folder;
    this.dropHint = h('div.drop', {hidden: true}, t('drop.hint'));
    root.append(...Object.values(this.inputs), this.dropHint);
    /** @param {DragEvent} event */
    const hasFiles = event => event.dataTransfer?.types.includes('Files');
    root.addEventListener('dragover', event => {
      if (hasFiles(event)) {
        event.preventDefault();
        this.dropHint.hidden = false;
      }
    });
    root.addEventListener('dragleave', event => {
      if (!event.relatedTarget) this.dropHint.hidden = true;
    });
    root.addEventListener('drop', event => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.dropHint.hidden = true;
      if (event.dataTransfer) this.drop(event.dataTransfer);
    });
  }

  /** @param {DataTransfer} dropped */
  async drop(dropped) {
    const files = await filesOfDrop(dropped);
    const models = [];
    for (const item of files)
      if (isArchive(item) ? await hasModelInside(item.file) : isModelFile(item.file)) models.push(item.file);
    if (models.length) showModels(this.bench, null, models);
    else if (files.length === 1 && GLOSSARY.test(files[0].file.name)) this.take('glossary', files[0].file);
    else this.open(files);
  }

  /**
   * Opens one document, or several files and archives together.
   * @param {ChosenFile[]} files
   */
  open(files) {
    if (files.length === 1 && !isArchive(files[0])) this.take('document', files[0].file);
    else if (files.length) openTogether(this.bench, files, MAX_MIB.document);
  }

  /** @param {string} kind */
  choose(kind) {
    this.inputs[kind].click();
  }

  /**
   * @param {string} kind
   * @param {File} file
   */
  async take(kind, file) {
    if (file.size > MAX_MIB[kind] * 1024 * 1024) {
      this.bench.say(
        'bad',
        t('file.too_large', {name: file.name, size: (file.size / 1048576).toFixed(1), limit: MAX_MIB[kind]}),
      );
      return;
    }
    if (kind === 'glossary') {
      await importGlossary(this.bench, file);
      return;
    }
    const data = await toBase64(file);
    if (data === null) {
      this.bench.say('bad', t('file.unreadable', {name: file.name}));
      return;
    }
    if (kind === 'document') await this.bench.switchTo('open_document', {file: file.name, data});
    else if (kind === 'review') await showReview(this.bench, file.name, data);
    else await this.bench.side.memory.import(file.name, data);
  }

  async importSampleGlossary() {
    const reply = await this.bench.connection.send('import_sample_glossary');
    if (!reply.ok) return;
    this.bench.say('info', tn('glossary.imported', reply.result.num_terms, {name: reply.result.name}));
    this.bench.pages.refresh();
  }

  /**
   * Before a download: stores what is typed, and reports what a file of this kind cannot contain. Then presses the link
   * again.
   * @param {Event} event
   * @param {HTMLAnchorElement} link
   */
  async beforeDownload(event, link) {
    if (link.dataset.isChecked) {
      delete link.dataset.isChecked;
      return;
    }
    event.preventDefault();
    this.bench.segment.flush();
    const {kind} = link.dataset;
    const reply = await this.bench.connection.send('export_note', {kind});
    if (reply.ok && reply.result.note) this.bench.notes.say('info', reply.result.note, [], {key: 'export'});
    if (reply.ok && reply.result.is_empty) return;
    link.dataset.isChecked = 'yes';
    link.click();
  }
}

/* Uploads of files that are chosen or dropped, and downloads. The page and the server both check the size. */
import {h, t, tn} from '../core/dom.js';
import {showModels} from '../dialogs/models.js';
import {isModelFile} from '../dialogs/own_model.js';
import {importGlossary} from '../pages/glossary_upload.js';

/** @type {Record<string, number>} */
export const MAX_MIB = {document: 30, glossary: 100, memory: 50};
const ACCEPT = {
  memory: '.tmx,.sdltm',
  document:
    '.txt,.md,.markdown,.mdx,.docx,.pptx,.xlsx,.odt,.ods,.odp,.xlf,.xliff,.sdlxliff,.mqxliff,.mxliff,.po,.pot,.srt,.html,.htm,.tmx,.csv,.tsv,.json,.arb,.properties,.xml,.resx,.strings,.stringsdict,.xcstrings,.yml,.yaml,.ass,.ssa,.vtt,text/plain',
  glossary: '.csv,.tsv,.txt,.tab,.xlsx,.tbx,.xml,.utx,.tmx,text/csv,text/tab-separated-values,text/plain',
};

/** @param {File} file */
const toBase64 = file =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

export class Files {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'languages' | 'model' | 'notes' | 'onModel' | 'pages' |
   *   'problem' | 'root' | 'rows' | 'say' | 'segment' | 'server' | 'session' | 'side' | 'switchTo'>} bench
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
          'data-kind': kind,
          onchange: () => {
            const [file] = input.files ?? [];
            if (file) this.take(kind, file);
            input.value = '';
          },
        });
        return [kind, input];
      }),
    );
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
      const [file] = event.dataTransfer?.files ?? [];
      const models = [...(event.dataTransfer?.files ?? [])].filter(isModelFile);
      if (models.length) showModels(bench, null, models);
      else if (file) this.take(/\.(csv|tsv|tab|xlsx|tbx|utx)$/i.test(file.name) ? 'glossary' : 'document', file);
    });
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
    let data;
    try {
      data = await toBase64(file);
    } catch {
      this.bench.say('bad', t('file.unreadable', {name: file.name}));
      return;
    }
    if (kind === 'document') await this.bench.switchTo('open_document', {file: file.name, data});
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

/* Installs a model from files of this computer, as a part of the dialog of the models: chosen or dropped, uploaded with
   progress, then checked and installed by the server. */
import {randomId} from '../core/connection.js';
import {button, h, number, setText, t} from '../core/dom.js';
import {upload} from '../core/upload.js';

const MAX_BYTES = 2 * 2 ** 30;
const ARCHIVE = /\.zip$/i;
/** Files of a model's folder that are never needed: shortlists, and the same weights for other libraries. */
const LEFT_OUT = /^(lex\.|tf_model|flax_model|rust_model|\.)/;

/** True if a dropped file is a model, not a document. @param {File} file */
export const isModelFile = file => /(\.zip|\.spm|\.safetensors|intgemm\S*\.bin)(\.gz)?$/i.test(file.name);

/**
 * The files of a dropped folder, without those of inner folders.
 * @param {FileSystemDirectoryEntry} folder
 * @returns {Promise<File[]>}
 */
const filesIn = async folder => {
  const reader = folder.createReader();
  const files = [];
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) return files;
    for (const entry of entries)
      if (entry.isFile) files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
  }
};

/**
 * The dropped files: single files, or the files of a folder with its name.
 * @param {DataTransfer} dropped
 * @returns {Promise<[files: File[], folder: string]>}
 */
const filesOf = async dropped => {
  const entry = [...dropped.items].map(item => item.webkitGetAsEntry?.()).find(found => found?.isDirectory);
  return entry
    ? [await filesIn(/** @type {FileSystemDirectoryEntry} */ (entry)), entry.name]
    : [[...dropped.files], ''];
};

export class OwnModel {
  /** @param {Pick<Bench, 'connection' | 'notes' | 'session'>} bench */
  constructor(bench) {
    this.bench = bench;
    /** @type {AbortController | null} */
    this.sending = null;
    this.files = this.input({multiple: true});
    this.folder = this.input({webkitdirectory: true});
    this.bar = h('progress', {max: 1, 'aria-label': t('own_model.sending')});
    this.state = h('span', {role: 'status'});
    this.wrong = h('p.wrong.maybe', {role: 'alert'});
    this.upload = h(
      'div.coming',
      {hidden: true},
      this.state,
      this.bar,
      button('.btn.small', {onclick: () => this.sending?.abort()}, t('models.stop')),
    );
    this.element = h(
      'section.published.ownmodel',
      {'aria-labelledby': 'pinpoint-own-model'},
      h('h3', {id: 'pinpoint-own-model'}, t('own_model.title')),
      h('p.muted', t('own_model.note')),
      h(
        'div.acts',
        button('.btn', {onclick: () => this.files.click()}, t('own_model.files')),
        button('.btn', {onclick: () => this.folder.click()}, t('own_model.folder')),
      ),
      this.files,
      this.folder,
      this.upload,
      this.wrong,
    );
  }

  /** @param {Attributes} attributes */
  input(attributes) {
    const input = h('input', {
      type: 'file',
      hidden: true,
      ...attributes,
      onchange: () => {
        const files = [...(input.files ?? [])];
        const [folder, ...inner] = files[0]?.webkitRelativePath.split('/') ?? [];
        input.value = '';
        if (inner.length)
          this.take(
            files.filter(file => file.webkitRelativePath.split('/').length === 2),
            folder,
          );
        else if (files.length) this.take(files, '');
      },
    });
    return input;
  }

  /**
   * Lets files be dropped on this element.
   * @param {HTMLElement} target
   */
  listen(target) {
    /** @param {DragEvent} event */
    const over = event => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.stopPropagation(); // on the page, a dropped file is a document
      this.element.classList.toggle('over', event.type === 'dragover');
      if (event.type === 'drop') filesOf(event.dataTransfer).then(([files, folder]) => this.take(files, folder));
    };
    target.addEventListener('dragover', over);
    target.addEventListener('drop', over);
    target.addEventListener('dragleave', () => this.element.classList.remove('over'));
  }

  /**
   * Uploads the files and has them installed; the document uses the model if it has its language pair.
   * @param {File[]} all
   * @param {string} folder its name, "" for loose files
   */
  async take(all, folder) {
    if (this.sending) return;
    const archive = all.find(file => ARCHIVE.test(file.name));
    const files = archive ? [archive] : all.filter(file => !LEFT_OUT.test(file.name));
    const numBytes = files.reduce((sum, file) => sum + file.size, 0);
    setText(this.wrong, '');
    if (numBytes > MAX_BYTES) {
      this.report(t('own_model.too_large', {size: number(numBytes / 1e9, 1), limit: number(MAX_BYTES / 1e9, 1)}));
      return;
    }
    const name = archive ? archive.name : folder;
    this.sending = new AbortController();
    this.upload.hidden = false;
    const problem = await this.send(files, numBytes, name, this.sending.signal);
    this.sending = null;
    this.upload.hidden = true;
    if (problem) this.report(problem);
  }

  /**
   * Resolves with what went wrong, or with "".
   * @param {File[]} files
   * @param {number} numBytes
   * @param {string} name
   * @param {AbortSignal} signal
   */
  async send(files, numBytes, name, signal) {
    const id = randomId();
    const address = `model/${encodeURIComponent(this.bench.session.token)}`;
    let numSent = 0;
    for (const file of files) {
      setText(this.state, t('own_model.file', {name: file.name}));
      const asked = {upload: id, file: ARCHIVE.test(file.name) ? 'model.zip' : file.name};
      const reply = await upload(
        address,
        asked,
        file,
        share => {
          this.bar.value = (numSent + share * file.size) / Math.max(1, numBytes);
        },
        signal,
      );
      if (signal.aborted) return '';
      if (!reply?.ok) return reply?.error?.message ?? t('own_model.lost');
      numSent += file.size;
    }
    const reply = await this.bench.connection.send('install_upload', {upload: id, folder: name});
    if (reply.ok) return '';
    this.bench.notes.take(reply.error.message); // it is shown here
    return reply.error.message;
  }

  /** @param {string} problem */
  report(problem) {
    if (this.element.isConnected) setText(this.wrong, problem);
    else this.bench.notes.say('bad', problem);
  }
}

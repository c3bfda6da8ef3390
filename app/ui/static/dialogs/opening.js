/* Opens several files as documents of the project: one after the other, with progress and a list of what was opened. */
import {isArchive, toBase64} from '../core/chosen_files.js';
import {Dialog} from '../core/dialog.js';
import {button, count, h, setText, t, tableHead, tn} from '../core/dom.js';
import {upload} from '../core/upload.js';

const MAX_ROWS = 1000;
const MAX_TABS = 10; // of more documents, only the first gets a tab
const MIB = 1048576;

/**
 * Opens the files and shows the first document that was opened.
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'notes' | 'root' | 'segment' | 'session' | 'switchTo' | 'tabs'>} bench
 * @param {ChosenFile[]} files
 * @param {number} maxMib the size that one file may have
 */
export const openTogether = (bench, files, maxMib) => new Opening(bench, maxMib).run(files);

class Opening {
  /**
   * @param {Pick<Bench, 'connection' | 'focusEditor' | 'notes' | 'root' | 'segment' | 'session' | 'switchTo' | 'tabs'>} bench
   * @param {number} maxMib
   */
  constructor(bench, maxMib) {
    this.bench = bench;
    this.maxMib = maxMib;
    /** @type {ListedFile[]} */
    this.rows = [];
    /** @type {number[]} */
    this.bundles = []; // archives and selections whose files the server still keeps
    this.stopping = new AbortController();
    this.state = h('p.muted', {role: 'status'}, t('opening.sending'));
    this.bar = h('progress', {max: 1, value: 0, 'aria-label': t('opening.title')});
    this.stop = button('.btn', {onclick: () => this.cancel()}, t('opening.cancel'));
    this.dialog = new Dialog({
      name: 'opening',
      title: t('opening.title'),
      classes: '.small.opening',
      body: [this.state, this.bar],
      buttons: this.stop,
      onCancel: () => this.cancel(),
    });
  }

  get isStopped() {
    return this.stopping.signal.aborted;
  }

  cancel() {
    this.stopping.abort();
    this.stop.disabled = true;
    setText(this.state, t('opening.stopping'));
  }

  /** @param {ChosenFile[]} files */
  async run(files) {
    this.bench.segment.flush();
    this.dialog.open(this.bench.root, this.stop);
    const loose = files.filter(file => !isArchive(file));
    if (loose.length) await this.openFiles(loose);
    for (const archive of files.filter(isArchive)) await this.openArchive(archive);
    const opened = this.rows.filter(row => row.session !== null);
    const [first] = opened;
    if (first && (await this.bench.switchTo('resume_session', {session: first.session}))) {
      this.bench.notes.clear();
      if (opened.length <= MAX_TABS) this.bench.tabs.add(opened.slice(1));
    }
    this.dialog.close();
    showOpened(this.bench, this.rows, () => {
      for (const bundle of this.bundles) this.bench.connection.send('end_files', {bundle});
    });
  }

  /** @param {ChosenFile[]} files */
  async openFiles(files) {
    const folders = new Set(files.map(({path}) => (path.includes('/') ? path.split('/')[0] : '')));
    const [folder] = folders.size === 1 ? folders : [''];
    const begun = await this.bench.connection.send('begin_files', {folder});
    if (!begun.ok) {
      for (const {path} of files) this.leave(path, begun.error.message);
      return;
    }
    const {bundle} = begun.result;
    for (const [at, {path, file}] of files.entries()) {
      this.show(at, files.length, path);
      await this.openFile(bundle, path, file);
    }
    this.bundles.push(bundle);
  }

  /**
   * @param {number} bundle
   * @param {string} path
   * @param {File} file
   */
  async openFile(bundle, path, file) {
    if (this.isStopped) return this.leave(path, t('opening.stopped'));
    if (file.size > this.maxMib * MIB) return this.leave(path, tooLarge(file, this.maxMib));
    const data = await toBase64(file);
    if (data === null) return this.leave(path, t('file.unreadable', {name: file.name}));
    return this.adopt(path, await this.bench.connection.send('open_file', {bundle, path, data}));
  }

  /** @param {ChosenFile} archive */
  async openArchive({path, file}) {
    if (this.isStopped) return this.leave(path, t('opening.stopped'));
    setText(this.state, t('opening.unpacking', {name: file.name}));
    this.bar.value = 0;
    const address = `archive/${encodeURIComponent(this.bench.session.token)}`;
    /** @param {number} share */
    const progress = share => {
      if (share < 1) this.bar.value = share;
      else this.bar.removeAttribute('value');
    };
    const reply = await upload(address, {file: file.name}, file, progress, this.stopping.signal);
    if (!reply?.ok) {
      const problem = reply?.status === 413 ? tooLarge(file, 200) : (reply?.error?.message ?? t('alts.offline'));
      return this.leave(path, this.isStopped ? t('opening.stopped') : problem);
    }
    const {bundle, files} = /** @type {BegunArchive} */ (reply.result);
    if (!files.length) this.leave(path, t('opening.no_files'));
    for (const [at, one] of files.entries()) {
      this.show(at, files.length, one.path);
      if (one.problem !== null) this.leave(one.path, one.problem, one.is_memory ? {bundle, entry: one.entry} : null);
      else if (this.isStopped) this.leave(one.path, t('opening.stopped'));
      else this.adopt(one.path, await this.bench.connection.send('open_entry', {bundle, entry: one.entry}));
    }
    this.bundles.push(bundle);
  }

  /**
   * @param {string} path
   * @param {ReplyTo<'open_file'>} reply
   */
  adopt(path, reply) {
    if (reply.ok) this.rows.push(reply.result);
    else this.leave(path, reply.error.message);
  }

  /**
   * Notes why a file was not opened.
   * @param {string} path
   * @param {string} problem
   * @param {ListedFile['memory']} [memory] where it is, if it is a translation memory
   */
  leave(path, problem, memory = null) {
    this.rows.push({path, session: null, token: '', problem, notes: [], num_segments: 0, memory});
  }

  /**
   * @param {number} at
   * @param {number} total
   * @param {string} path
   */
  show(at, total, path) {
    this.bar.value = at / total;
    if (!this.isStopped) setText(this.state, t('opening.progress', {n: count(at + 1), total: count(total), path}));
  }
}

/**
 * @param {File} file
 * @param {number} limit in MiB
 */
const tooLarge = (file, limit) => t('file.too_large', {name: file.name, size: (file.size / MIB).toFixed(1), limit});

/**
 * Lists what was opened, and what was not and why.
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'root'>} bench
 * @param {ListedFile[]} rows
 * @param {() => void} onClose
 */
const showOpened = (bench, rows, onClose) => {
  const opened = rows.filter(row => row.session !== null);
  const left = rows.filter(row => row.session === null);
  const shown = [...left, ...opened].slice(0, MAX_ROWS);
  const close = button('.btn.primary', {onclick: () => dialog.close()}, t('close'));
  const dialog = new Dialog({
    name: 'opened',
    title: t('opened.title'),
    classes: '.opening',
    body: [
      h('p', {role: 'status'}, [
        tn('opened.opened', opened.length),
        left.length ? ` ${tn('opened.left', left.length)}` : '',
      ]),
      opened.length > 1 ? h('p.muted', t(opened.length > MAX_TABS ? 'opened.where' : 'opened.in_tabs')) : null,
      h(
        'table',
        tableHead(t('opened.file'), t('opened.result')),
        h(
          'tbody',
          shown.map(row => fileRow(bench, row)),
        ),
      ),
      rows.length > MAX_ROWS ? h('p.muted', tn('opened.more', rows.length - MAX_ROWS)) : null,
    ],
    buttons: close,
    onClose: () => {
      onClose();
      bench.focusEditor();
    },
  });
  dialog.open(bench.root, close);
};

/**
 * @param {Pick<Bench, 'connection'>} bench
 * @param {ListedFile} row
 */
const fileRow = (bench, {path, problem, notes, num_segments, memory}) =>
  h(
    'tr',
    h('td.path', path),
    h(
      'td',
      problem === null
        ? [h('span.tag.ok', t('opened.is_open')), ` ${tn('opened.segments', num_segments)}`]
        : [h('span.tag.bad', t('opened.is_left')), ` ${problem}`],
      memory ? importButton(bench, memory) : null,
      notes.map(note => h('div.muted', note)),
    ),
  );

/**
 * The button that imports a translation memory into the project of the document that is shown.
 * @param {Pick<Bench, 'connection'>} bench
 * @param {NonNullable<ListedFile['memory']>} memory
 */
const importButton = (bench, memory) => {
  const done = h('span', {role: 'status'});
  const press = async () => {
    use.disabled = true;
    const reply = await bench.connection.send('import_entry', memory);
    setText(done, reply.ok ? ` ${tn('opened.imported', reply.result.num_pairs)}` : ` ${reply.error.message}`);
    use.disabled = reply.ok;
  };
  const use = button('.btn.small', {onclick: press}, t('opened.import'));
  return h('div', use, done);
};

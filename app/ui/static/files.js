/* Files from the person: chosen or dropped, checked for size here and again by the server, sent as base64. */
import {button, h, icon, t} from './dom.js';

const MAX_MIB = {document: 10, glossary: 10, memory: 50};
const ACCEPT = {memory: '.tmx', document: '.txt,.md,.markdown,.docx,.xlf,.xliff,.po,.pot,.srt,.html,.htm,.tmx,.csv,.tsv,text/plain', glossary: '.csv,.tsv,.txt,.tab,.xlsx,.tbx,.utx,.tmx,text/csv,text/tab-separated-values,text/plain'};

const toBase64 = file => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});

export class Files {
  constructor(bench, root) {
    this.bench = bench;
    this.inputs = Object.fromEntries(Object.entries(ACCEPT).map(([kind, accept]) => {
      const input = h('input', {type: 'file', accept, hidden: true, 'data-kind': kind, onchange: () => { const [file] = input.files; if (file) this.take(kind, file); input.value = ''; }});
      return [kind, input];
    }));
    this.dropHint = h('div.drop', {hidden: true}, t('drop.hint'));
    root.append(...Object.values(this.inputs), this.dropHint);
    const hasFiles = event => event.dataTransfer?.types.includes('Files');
    root.addEventListener('dragover', event => { if (hasFiles(event)) { event.preventDefault(); this.dropHint.hidden = false; } });
    root.addEventListener('dragleave', event => { if (!event.relatedTarget) this.dropHint.hidden = true; });
    root.addEventListener('drop', event => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.dropHint.hidden = true;
      const [file] = event.dataTransfer.files;
      if (file) this.take(/\.(csv|tsv|tab|xlsx|tbx|utx)$/i.test(file.name) ? 'glossary' : 'document', file);
    });
  }

  choose(kind) { this.inputs[kind].click(); }

  async take(kind, file) {
    if (file.size > MAX_MIB[kind] * 1024 * 1024) {
      this.bench.say('bad', t('file.too_large', {name: file.name, size: (file.size / 1048576).toFixed(1), limit: MAX_MIB[kind]}));
      return;
    }
    let data;
    try { data = await toBase64(file); } catch { this.bench.say('bad', t('file.unreadable', {name: file.name})); return; }
    if (kind === 'document') await this.bench.switchTo('open_document', {file: file.name, data});
    else if (kind === 'memory') await this.bench.side.memory.import(file.name, data);
    else {
      const reply = await this.bench.connection.send('import_glossary', {file: file.name, data});
      if (reply.ok) this.bench.glossaryImported(reply.result);
    }
  }
}

/** Rows of a file, with what is said of each; nothing where there are none. */
const rows = (heading, reports) => (reports.length ? h('table', {}, h('thead', {}, h('tr', {}, h('th.n', {}, t('report.row')), h('th', {}, t('report.text')), h('th', {}, t(heading)))),
  h('tbody', {}, reports.map(report => h('tr', {}, h('td.n', {}, String(report.row)), h('td.code', {}, report.text), h('td', {}, report.message))))) : null);

/** What a glossary's upload brought: how many terms, and each row that could not be used, with the reason. */
export const glossaryReport = (root, report) => {
  const close = () => { dialog.close(); dialog.remove(); };
  const dialog = h('dialog', {'aria-labelledby': 'pinpoint-report', oncancel: event => { event.preventDefault(); close(); }},
    h('div.dh', {}, h('h2', {id: 'pinpoint-report'}, t('report.title', {name: report.name})), button('.x', {'aria-label': t('close'), onclick: close}, icon('x'))),
    h('div.db', {},
      h('p', {}, t('report.summary', {terms: report.num_terms, errors: report.num_errors})),
      report.notes.map(note => h('p.muted', {}, note)),
      rows('report.message', report.errors), rows('report.look', report.warnings),
      report.num_errors > report.errors.length ? h('p.muted', {}, t('report.more', {n: report.num_errors - report.errors.length})) : null),
    h('div.df', {}, button('.btn.primary', {onclick: close}, t('close'))));
  root.append(dialog);
  dialog.showModal();
  dialog.querySelector('.df button').focus();
};

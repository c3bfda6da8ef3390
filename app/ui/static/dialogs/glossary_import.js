/* Importing a glossary: the file is uploaded and checked row by row. The dialog shows the report before the glossary is
   used; a file without problems is used at once. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, setText, t, textIn, tn} from '../core/dom.js';
import {currentLanguage} from '../core/texts.js';
import {ask} from './glossary.js';
import {impactFigures} from './glossary_impact.js';
import {projectName} from './project_form.js';

const SHOW_AFTER_MS = 300;
const POLL_MS = 2000;
const SHOWN = ['attention', 'rejected', 'look', 'repeat', 'new', 'changed', 'same'];
const PARTS = ['new', 'changed', 'same', 'look', 'repeat', 'rejected'];
/** @type {Record<string, [kind: string, icon: string | null]>} */
const TAGS = {
  rejected: ['bad', 'err'],
  look: ['warn', 'problem'],
  repeat: ['off', null],
  new: ['ok', 'check'],
  changed: ['ok', 'redo'],
  same: ['off', null],
};

/**
 * Uploads a file; resolves with the reply, or null without a connection. `onProgress` gets the share sent.
 * @param {Pick<Bench, 'session'>} bench
 * @param {File} file
 * @param {(share: number) => void} onProgress
 * @returns {Promise<any>}
 */
const upload = (bench, file, onProgress) =>
  new Promise(resolve => {
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({file: file.name, language: currentLanguage()});
    request.open('POST', new URL(`glossary/${encodeURIComponent(bench.session.token)}?${query}`, document.baseURI));
    request.responseType = 'json';
    request.upload.onprogress = event => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onload = () =>
      resolve(
        request.response ?? {
          ok: false,
          error: {
            message:
              request.status === 413
                ? t('file.too_large', {name: file.name, size: (file.size / 1048576).toFixed(1), limit: 100})
                : t('alts.offline'),
          },
        },
      );
    request.onerror = () => resolve(null);
    request.send(file);
  });

/**
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'languages' | 'notes' | 'root' | 'say' | 'server' | 'session'>} bench
 * @param {File} file
 */
export const importGlossary = async (bench, file) => {
  const dialog = new ImportDialog(bench, file.name);
  const waiting = setTimeout(() => dialog.open(), SHOW_AFTER_MS);
  const reply = await upload(bench, file, share => dialog.progress(share));
  clearTimeout(waiting);
  if (dialog.isCancelled) return;
  if (!reply?.ok) {
    dialog.close();
    bench.say('bad', reply?.error?.message ?? t('alts.offline'));
    return;
  }
  const {counts, notes, is_replacing: isReplacing} = reply.result;
  if (!isReplacing && !counts.rejected && !counts.look && !counts.repeat && !notes.length)
    await dialog.use(reply.result);
  else dialog.show(reply.result);
};

class ImportDialog {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'languages' | 'notes' | 'root' | 'say' | 'server' | 'session'>} bench
   * @param {string} name
   */
  constructor(bench, name) {
    this.bench = bench;
    /** @type {Map<string, string | null>} */
    this.fixes = new Map(); // name of the row -> the target to use instead; null leaves the row out
    /** @type {Map<string, string>} */
    this.fills = new Map(); // name of a row without a target -> the target typed
    this.isCancelled = false;
    /** @type {ImportReport | null} */
    this.report = null;
    this.shown = 'new';
    this.offset = 0;
    this.problem = h('p.wrong.maybe', {role: 'alert'});
    this.table = h('tbody', {});
    this.filter = h('div.seg', {role: 'group', 'aria-label': t('import.show')});
    this.pager = h('div.acts', {});
    this.parts = h('div', {});
    this.save = h('a.btn.small', {download: ''}, icon('down', true), t('import.csv'));
    this.summary = h('div.muted', {});
    this.bar = h('progress', {max: 1, 'aria-label': t('import.sending')});
    this.state = h('p.muted', {role: 'status'}, t('import.sending'));
    this.useButton = button(
      '.btn.primary',
      {disabled: true, onclick: () => this.report && this.use(this.report)},
      t('import.use.waiting'),
    );
    this.dialog = new Dialog({
      name: 'import',
      title: t('import.title', {name}),
      classes: '.wide.gloss',
      body: [this.state, this.bar],
      buttons: [button('.btn', {onclick: () => this.cancel()}, t('import.cancel')), this.useButton],
      onCancel: () => this.cancel(),
    });
    this.dialog.body.setAttribute('aria-busy', 'true');
  }

  open() {
    if (!this.isCancelled) this.dialog.open(this.bench.root);
  }

  close() {
    this.dialog.close();
  }

  cancel() {
    this.isCancelled = true;
    this.close();
    this.bench.focusEditor();
  }

  /** @param {number} share */
  progress(share) {
    if (share < 1) {
      this.bar.value = share;
      return;
    }
    this.bar.removeAttribute('value');
    setText(this.state, t('import.checking'));
  }

  /** @param {ImportReport} report */
  async use(report) {
    this.useButton.disabled = true;
    const reply = await this.bench.connection.send('import_glossary', {
      import: report.import,
      fixes: [...this.fixes.keys()],
      fills: Object.fromEntries(this.fills),
    });
    if (!reply.ok && this.report) {
      this.useButton.disabled = false;
      setText(this.problem, reply.error.message);
      return;
    }
    this.close();
    if (!reply.ok) {
      this.bench.say('bad', reply.error.message); // a file without problems: the report was not shown
      return;
    }
    const {name, num_terms: n, glossaries} = reply.result;
    sayImported(this.bench, name, n, glossaries);
    this.bench.focusEditor();
  }

  /** @param {ImportReport} report */
  show(report) {
    this.report = report;
    const {counts, document: run} = report;
    this.dialog.body.removeAttribute('aria-busy');
    this.shown = counts.rejected || counts.look ? 'attention' : counts.repeat ? 'repeat' : 'new';
    this.dialog.body.replaceChildren(
      h('div.dry', {role: 'status'}, icon('info'), h('div', {}, h('b', {}, t('import.dry')), this.summary)),
      this.problem,
      h(
        'div.cards',
        {},
        h('section.card.w7', {'aria-label': t('import.does')}, h('h3', {}, t('import.does')), this.parts),
        h(
          'section.card.w5',
          {'aria-label': t('import.document')},
          h('h3', {}, t('import.document')),
          run.num_more > 0 ? h('p.cap', {}, t('import.more', {n: count(run.num_more)})) : null,
          impactFigures(run),
        ),
      ),
      h(
        'section.card',
        {'aria-label': t('import.rows')},
        h('div.gtools', {}, h('h3', {}, t('import.rows')), this.filter, h('span.grow', {}), this.save),
        h(
          'div.tblscroll',
          {tabindex: 0, role: 'region', 'aria-label': t('import.rows')},
          h(
            'table',
            {},
            h(
              'thead',
              {},
              h(
                'tr',
                {},
                h('th.n', {scope: 'col'}, t('report.row')),
                ['import.verdict', 'report.text', 'report.message', 'import.fix'].map(key =>
                  h('th', {scope: 'col'}, t(key)),
                ),
              ),
            ),
            this.table,
          ),
        ),
        this.pager,
      ),
    );
    this.paintCounts(report);
    this.open();
    this.turnTo(this.shown, 0);
    this.useButton.focus();
    if (report.is_checking) setTimeout(() => this.poll(report), POLL_MS);
  }

  /**
   * The counts of the rows, which grow while the server checks them.
   * @param {ImportReport} report
   */
  paintCounts(report) {
    const {counts, notes, name, is_replacing: isReplacing} = report;
    /** @type {Counts} */
    const of = {attention: counts.rejected + counts.look, ...counts};
    setText(
      this.summary,
      [
        tn('import.summary', report.num_terms, {rejected: tn('import.rows', counts.rejected)}),
        counts.look ? tn('import.review', counts.look) : '',
      ].join(' '),
    );
    this.parts.replaceChildren(
      ...split(counts),
      ...[isReplacing ? t('import.replaces', {name, gone: count(counts.gone)}) : null, ...notes]
        .filter(Boolean)
        .map(note => h('p.muted', {}, note)),
    );
    const focused = document.activeElement?.getAttribute('data-shown');
    this.filter.replaceChildren(
      ...SHOWN.filter(one => of[one]).map(one =>
        button(
          '',
          {'data-shown': one, 'aria-pressed': String(one === this.shown), onclick: () => this.turnTo(one, 0)},
          t(`import.shown.${one}`),
          h('span.n.num', {}, count(of[one])),
        ),
      ),
    );
    if (focused) this.filter.querySelector(`[data-shown="${focused}"]`)?.focus();
    this.paintUse();
  }

  paintUse() {
    if (!this.report) return;
    const num = this.report.num_terms + this.fills.size - [...this.fixes.values()].filter(to => to === null).length;
    this.useButton.disabled = num <= 0;
    setText(this.useButton, tn('import.use', num));
  }

  /**
   * Shows what the server has found by now, until it has checked all rows.
   * @param {ImportReport} report
   */
  async poll(report) {
    if (!this.dialog.isOpen) return;
    const news = await ask(this.bench, 'import', {import: report.import});
    if (news.problem || !this.dialog.isOpen) return;
    const isMore = news.counts.look !== report.counts.look;
    Object.assign(report, news);
    this.paintCounts(report);
    if (isMore && !this.table.contains(document.activeElement)) this.turnTo(this.shown, this.offset);
    if (news.is_checking) setTimeout(() => this.poll(report), POLL_MS);
  }

  /**
   * @param {string} shown
   * @param {number} offset
   */
  async turnTo(shown, offset) {
    if (!this.report) return;
    this.shown = shown;
    this.offset = offset;
    this.save.href = `download/${encodeURIComponent(this.bench.session.token)}/import/${this.report.import}/${shown}?${new URLSearchParams({language: currentLanguage()})}`;
    for (const one of this.filter.children)
      one.setAttribute('aria-pressed', String(one.getAttribute('data-shown') === shown));
    const page = await ask(this.bench, 'rows', {import: this.report.import, shown, offset});
    if (this.shown !== shown) return;
    if (page.problem) {
      setText(this.problem, page.problem);
      return;
    }
    this.table.replaceChildren(...page.rows.map((/** @type {ImportRow} */ row) => this.row(row)));
    const end = offset + page.rows.length;
    this.pager.replaceChildren(
      ...(page.num_rows > page.rows.length
        ? [
            button(
              '.btn.small',
              {disabled: offset === 0, onclick: () => this.turnTo(shown, Math.max(0, offset - 200))},
              t('import.earlier'),
            ),
            h('span.num', {}, t('import.page', {from: count(offset + 1), to: count(end), of: count(page.num_rows)})),
            button(
              '.btn.small',
              {disabled: end >= page.num_rows, onclick: () => this.turnTo(shown, end)},
              t('import.later'),
            ),
          ]
        : []),
    );
  }

  /** @param {ImportRow} row */
  row(row) {
    const {verdict, fix, blank} = row;
    const tag = h('td', {}, this.tag(row));
    const repaint = () => tag.replaceChildren(this.tag(row));
    return h(
      'tr',
      {'data-verdict': verdict},
      h('td.n', {}, count(row.row)),
      tag,
      h('td.code', {}, row.text),
      h('td', {}, row.message, row.was ? h('del', {}, row.was) : null),
      h('td', {}, fix ? this.fix(row.row, fix, repaint) : blank ? this.blank(row.row, blank, repaint) : null),
    );
  }

  /**
   * The verdict on a row, or that the person has fixed it.
   * @param {ImportRow} row
   */
  tag({verdict, fix, blank}) {
    const isFixed = (fix && this.fixes.has(fix.name)) || (blank && this.fills.has(blank.name));
    const [kind, iconName] = isFixed ? TAGS.new : TAGS[verdict];
    const label = t(isFixed ? 'import.verdict.fixed' : `import.verdict.${verdict}`);
    return h(`span.tag.${kind}`, {}, iconName && icon(iconName, true), label);
  }

  /**
   * The input for the target of a row that lacks only its target.
   * @param {number} row
   * @param {{name: string, source: string}} blank
   * @param {() => void} repaint
   */
  blank(row, {name, source}, repaint) {
    return h('input.fill', {
      type: 'text',
      ...textIn(this.bench.languages.target),
      value: this.fills.get(name) ?? '',
      'aria-label': t('import.fill', {row, source}),
      placeholder: t('grid.target'),
      autocomplete: 'off',
      oninput: event => {
        const text = event.target.value.trim();
        if (text) this.fills.set(name, text);
        else this.fills.delete(name);
        repaint();
        this.paintUse();
      },
    });
  }

  /**
   * The button that applies the suggested fix of a row.
   * @param {number} row
   * @param {{name: string, to: string | null}} fix
   * @param {() => void} repaint
   */
  fix(row, fix, repaint) {
    const label = fix.to === null ? t('import.fix.leave_out') : t('import.fix.write', {text: fix.to});
    return button(
      '.btn.small.fix',
      {
        'aria-pressed': String(this.fixes.has(fix.name)),
        'aria-label': `${t('report.row')} ${row}: ${label}`,
        onclick: event => {
          const isOn = this.fixes.has(fix.name)
            ? !this.fixes.delete(fix.name)
            : Boolean(this.fixes.set(fix.name, fix.to));
          event.currentTarget.setAttribute('aria-pressed', String(isOn));
          repaint();
          this.paintUse();
        },
      },
      label,
    );
  }
}

/**
 * Reports an imported glossary, and offers it to the other documents of the project.
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'notes' | 'say'>} bench
 * @param {string} name
 * @param {number} n
 * @param {DocumentGlossary[]} glossaries
 */
const sayImported = (bench, name, n, glossaries) => {
  const own = glossaries.find(glossary => glossary.name === name && !glossary.is_shared);
  const share = async () => {
    const reply = await bench.connection.send('glossary_share', {glossary: own?.id});
    if (reply.ok) bench.say('info', t('glossaries.shared', {name, project: projectName(bench.document.project)}));
    bench.focusEditor();
  };
  bench.notes.say(
    'info',
    tn('glossary.imported', n, {name}),
    own ? [[t('glossaries.share.all', {project: projectName(bench.document.project)}), share]] : [],
  );
};

/**
 * The verdicts on the rows, as a bar with its legend; the legend has the numbers, so the bar does not rely on colour.
 * @param {Counts} counts
 */
const split = counts => {
  const parts = PARTS.filter(name => counts[name]);
  return [
    h(
      'div.split',
      {role: 'img', 'aria-label': parts.map(name => `${t(`import.shown.${name}`)} ${counts[name]}`).join(', ')},
      parts.map(name => h(`i.part-${name}`, {style: `flex:${counts[name]} 0 10px`})),
    ),
    h(
      'ul.splitlg',
      {},
      parts.map(name =>
        h(
          'li',
          {},
          h(`i.sw.part-${name}`, {'aria-hidden': 'true'}),
          h('b.num', {}, count(counts[name])),
          t(`import.shown.${name}`),
        ),
      ),
    ),
  ];
};

/* The page with the report on a glossary import before it is used, row by row. Its address has the number of the import, and
   this tab keeps the fixes chosen, so that nothing is lost when the page is left or loaded again. */
import {button, count, h, icon, setText, t, tableHead, textIn, tn} from '../core/dom.js';
import {Page} from '../core/page.js';
import {currentLanguage} from '../core/texts.js';
import {ask} from './glossary.js';
import {impactFigures} from './glossary_impact.js';
import {changeColumns, keepChoices, keptChoices, useImport} from './glossary_upload.js';
import {HeldRows} from './held_rows.js';

const POLL_MS = 2000;
const SHOWN = ['attention', 'held', 'rejected', 'look', 'repeat', 'new', 'changed', 'same'];
const PARTS = ['new', 'changed', 'same', 'held', 'look', 'repeat', 'rejected'];
/** @type {Record<string, [kind: string, icon: string | null]>} */
const TAGS = {
  rejected: ['bad', 'err'],
  held: ['warn', 'problem'],
  look: ['warn', 'problem'],
  repeat: ['off', null],
  new: ['ok', 'check'],
  changed: ['ok', 'redo'],
  same: ['off', null],
};

/**
 * The page with the report on an import that is not used yet.
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'languages' | 'notes' | 'pages' | 'root' | 'say' |
 *   'server' | 'session'>} bench
 * @param {number} number
 */
export const openImport = (bench, number) => new ImportPage(bench, number).page;

class ImportPage {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'languages' | 'notes' | 'pages' | 'root' | 'say' |
   *   'server' | 'session'>} bench
   * @param {number} number
   */
  constructor(bench, number) {
    this.bench = bench;
    this.number = number;
    this.kept = keptChoices(bench, number);
    /** @type {Map<string, string | null>} */
    this.fixes = new Map(this.kept.fixes); // name of the row -> the target to use instead; null leaves the row out
    /** @type {Map<string, string>} */
    this.fills = new Map(this.kept.fills); // name of a row without a target -> the target typed
    this.held = new HeldRows(this.kept, () => this.decided());
    /** @type {ImportReport | null} */
    this.report = null;
    this.shown = 'new';
    this.offset = 0;
    this.problem = h('p.wrong.maybe', {role: 'alert'});
    this.table = h('tbody');
    /** @type {(() => void)[]} */
    this.repaints = []; // of the rows with decisions
    this.filter = h('div.seg', {role: 'group', 'aria-label': t('import.show')});
    this.pager = h('div.acts');
    this.parts = h('div');
    this.save = h('a.btn.small', {download: ''}, icon('down', true), t('import.csv'));
    this.summary = h('div.muted');
    this.useButton = button('.btn.primary', {disabled: true, onclick: () => this.use()}, t('import.use.waiting'));
    this.page = new Page({
      name: 'import',
      title: t('glossary.upload'),
      classes: '.gloss',
      back: [t('import.cancel'), this.kept.back],
      primary: this.useButton,
      body: h('p.muted', {role: 'status'}, t('record.loading')),
    });
    this.load();
  }

  async load() {
    const report = await ask(this.bench, 'import', {import: this.number});
    if (report.problem) this.page.body.replaceChildren(h('p', {role: 'alert'}, report.problem));
    else this.show(report);
  }

  async use() {
    this.useButton.disabled = true;
    const reply = await useImport(this.bench, {
      import: this.number,
      fixes: [...this.fixes.keys()],
      fills: Object.fromEntries(this.fills),
      ...this.held.choices,
    });
    if (reply.ok) this.bench.pages.go(this.page.back);
    else {
      this.useButton.disabled = false;
      setText(this.problem, reply.error.message);
    }
  }

  /** @param {ImportReport} report */
  show(report) {
    this.report = report;
    const {counts, document: run} = report;
    const change = report.is_table ? changeColumns(this.bench, report.import) : null;
    this.page.setTitle(t('import.title', {name: report.name}));
    this.bench.pages.setTitle();
    this.shown = counts.rejected || counts.held || counts.look ? 'attention' : counts.repeat ? 'repeat' : 'new';
    this.page.body.replaceChildren(
      h(
        'div.dry',
        {role: 'status'},
        icon('info'),
        h('div', h('b', t('import.dry')), this.summary),
        change && button('.btn.small', {onclick: change}, t('columns.change')),
      ),
      this.problem,
      h(
        'div.cards',
        h('section.card.w7', {'aria-label': t('import.does')}, h('h2', t('import.does')), this.parts),
        h(
          'section.card.w5',
          {'aria-label': t('import.document')},
          h('h2', t('import.document')),
          run.num_more > 0 ? h('p.cap', tn('import.more', run.num_more)) : null,
          impactFigures(run),
        ),
      ),
      h(
        'section.card',
        {'aria-label': t('import.rows'), onkeydown: event => this.held.onKey(event)},
        h('div.gtools', h('h2', t('import.rows')), this.filter, h('span.grow'), this.save),
        this.held.bar,
        h(
          'div.tblscroll',
          {tabindex: 0, role: 'group', 'aria-label': t('import.rows')},
          h(
            'table',
            tableHead(
              h('th.n', {scope: 'col'}, t('report.row')),
              ...['import.verdict', 'report.text', 'report.message', 'import.fix'].map(key => t(key)),
            ),
            this.table,
          ),
        ),
        this.pager,
      ),
    );
    this.paintCounts(report);
    this.turnTo(this.shown, 0);
    if (this.page.element.contains(document.activeElement)) this.useButton.focus();
    this.page.first = () => this.useButton;
    if (report.is_checking) setTimeout(() => this.poll(report), POLL_MS);
  }

  /**
   * The counts of the rows, which grow while the server checks them.
   * @param {ImportReport} report
   */
  paintCounts(report) {
    const {counts, notes, name, is_replacing: isReplacing} = report;
    /** @type {Counts} */
    const of = {attention: counts.held + counts.rejected + counts.look, ...counts};
    setText(
      this.summary,
      [
        tn('import.summary', report.num_terms, {rejected: tn('import.rows', counts.rejected)}),
        counts.look ? tn('import.review', counts.look) : '',
      ].join(' '),
    );
    this.parts.replaceChildren(
      ...split(counts),
      ...[isReplacing ? tn('import.replaces', counts.gone, {name}) : null, ...notes]
        .filter(Boolean)
        .map(note => h('p.muted', note)),
    );
    const focused = document.activeElement?.getAttribute('data-shown');
    this.filter.replaceChildren(
      ...SHOWN.filter(one => of[one]).map(one =>
        button(
          '',
          {'data-shown': one, 'aria-pressed': String(one === this.shown), onclick: () => this.turnTo(one, 0)},
          t(`import.shown.${one}`),
          h('span.n.num', count(of[one])),
        ),
      ),
    );
    if (focused) this.filter.querySelector(`[data-shown="${focused}"]`)?.focus();
    this.paintUse();
  }

  paintUse() {
    if (!this.report) return;
    const {counts, num_terms: numTerms, num_proposed: numProposed} = this.report;
    const numLeftOut = [...this.fixes.values()].filter(to => to === null).length;
    const num = numTerms + this.fills.size - numLeftOut + this.held.numTerms(counts.held, numProposed);
    this.held.paint(counts.held);
    this.useButton.disabled = num <= 0;
    setText(this.useButton, tn('import.use', num));
  }

  /** Keeps what was chosen, and counts the terms again. */
  chose() {
    keepChoices({...this.kept, fixes: [...this.fixes], fills: [...this.fills], ...this.held.kept});
    this.paintUse();
  }

  /** Shows the decisions on messy rows, and keeps them. */
  decided() {
    for (const repaint of this.repaints) repaint();
    this.chose();
  }

  /**
   * Shows what the server has found by now, until it has checked all rows.
   * @param {ImportReport} report
   */
  async poll(report) {
    if (!this.page.element.isConnected) return;
    const news = await ask(this.bench, 'import', {import: report.import});
    if (news.problem || !this.page.element.isConnected) return;
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
    this.repaints = [];
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
            h('span.num', t('import.page', {from: count(offset + 1), to: count(end), of: count(page.num_rows)})),
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
    const tag = h('td', this.tag(row));
    const action = h('td');
    const repaint = () => tag.replaceChildren(this.tag(row));
    if (verdict === 'held' && fix) {
      action.append(this.held.buttons(row.row, fix));
      this.repaints.push(() => {
        repaint();
        for (const one of action.querySelectorAll('button'))
          one.setAttribute('aria-pressed', String(this.held.decisionOn(fix.name) === one.dataset.decision));
      });
    } else if (fix) action.append(this.fix(row.row, fix, repaint));
    else if (blank) action.append(this.blank(row.row, blank, repaint));
    else if (verdict === 'rejected') action.append(h('span.muted', t('import.fix.file')));
    return h(
      'tr',
      {'data-verdict': verdict},
      h('td.n', count(row.row)),
      tag,
      h('td.code', row.text),
      h('td', row.message, row.was ? h('del', row.was) : null),
      action,
    );
  }

  /**
   * The verdict on a row, or that the person has fixed it.
   * @param {ImportRow} row
   */
  tag({verdict, fix, blank}) {
    const decision = verdict === 'held' && fix ? this.held.decisionOn(fix.name) : 'leave';
    const isFixed = (fix && this.fixes.has(fix.name)) || (blank && this.fills.has(blank.name)) || decision === 'accept';
    const [kind, iconName] = isFixed || decision === 'keep' ? TAGS.new : TAGS[verdict];
    const label = t(`import.verdict.${isFixed ? 'fixed' : decision === 'keep' ? 'kept' : verdict}`);
    return h(`span.tag.${kind}`, iconName && icon(iconName, true), label);
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
        this.chose();
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
          this.chose();
        },
      },
      label,
    );
  }
}

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
      parts.map(name =>
        h(
          'li',
          h(`i.sw.part-${name}`, {'aria-hidden': 'true'}),
          h('b.num', count(counts[name])),
          t(`import.shown.${name}`),
        ),
      ),
    ),
  ];
};

/* The page of the document's glossaries, with a tab for their list, for their terms, and for their impact on the document.
   Its address has the tab and the glossary whose terms are shown. */
import {button, h, icon, setText, t} from '../core/dom.js';
import {Page} from '../core/page.js';
import {TermGrid} from './glossary_grid.js';
import {impactTables} from './glossary_impact.js';
import {GlossaryList} from './glossary_list.js';

const TABS = ['list', 'terms', 'document'];

/**
 * Asks the server without queueing behind commands. Returns {problem} if that fails.
 * @param {Pick<Bench, 'server' | 'session'>} bench
 * @param {string} question
 * @param {CommandArgs} [args]
 * @returns {Promise<any>}
 */
export const ask = async (bench, question, args = {}) => {
  const reply = await bench.server.glossary({token: bench.session.token, ask: question, ...args}).catch(() => null);
  return reply?.ok ? reply.result : {problem: reply?.error?.message ?? t('alts.offline')};
};

/**
 * @param {Pick<Bench, 'connection' | 'document' | 'files' | 'languages' | 'numberOf' | 'openSegment' | 'pages' | 'root' |
 *   'segment' | 'server' | 'session'>} bench
 * @param {string[]} places the tab, and the number of a glossary
 */
export const openGlossaries = (bench, places) => new GlossaryPage(bench, places).page;

class GlossaryPage {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'files' | 'languages' | 'numberOf' | 'openSegment' | 'pages' | 'root' |
   *   'segment' | 'server' | 'session'>} bench
   * @param {string[]} places
   */
  constructor(bench, [tab, glossary]) {
    this.bench = bench;
    /** @type {GlossaryOverview} */
    this.state = {glossaries: [], can_undo: false};
    /** @type {number | undefined} */
    this.shown = Number(glossary) || undefined; // the glossary whose terms are shown
    this.announcement = h('p.sr', {role: 'status'});
    this.problem = h('p.wrong.maybe', {role: 'alert'});
    this.panels = Object.fromEntries(
      TABS.map(name => [
        name,
        h('div.gpanel', {
          role: 'tabpanel',
          id: `pinpoint-glossary-${name}`,
          'aria-labelledby': `pinpoint-glossary-tab-${name}`,
          tabindex: -1,
        }),
      ]),
    );
    this.list = new GlossaryList(bench, this.panels.list, {
      change: (command, args, notice) => this.change(command, args, notice),
      showTerms: id => {
        this.shown = id;
        this.select('terms');
      },
      upload: () => bench.files.choose('glossary'),
      ask: (question, args) => ask(bench, question, args),
      fail: problem => setText(this.problem, problem),
    });
    this.tabs = TABS.map((name, i) =>
      button(
        '',
        {
          role: 'tab',
          id: `pinpoint-glossary-tab-${name}`,
          'aria-controls': this.panels[name].id,
          onclick: () => this.select(name),
          onkeydown: event => {
            const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (!step) return;
            event.preventDefault();
            const to = (i + step + TABS.length) % TABS.length;
            this.select(TABS[to]);
            this.tabs[to].focus();
          },
        },
        t(`glossaries.tab.${name}`),
      ),
    );
    this.undoButton = button(
      '.btn',
      {onclick: () => this.change('glossary_undo', {}, t('glossaries.undone'))},
      icon('undo', true),
      t('glossaries.undo'),
    );
    this.page = new Page({
      name: 'glossaries',
      title: t('glossaries.title'),
      classes: '.gloss',
      actions: this.undoButton,
      body: [
        h('div.tabs', {role: 'tablist', 'aria-label': t('glossaries.title')}, this.tabs),
        this.problem,
        Object.values(this.panels),
        this.announcement,
      ],
    });
    const first = TABS.includes(tab) ? tab : TABS[0];
    this.page.first = () => this.tabs[TABS.indexOf(this.chosen ?? first)];
    this.load(first);
  }

  /** @param {string} tab */
  async load(tab) {
    this.bench.segment.flush();
    this.show(tab);
    this.page.body.setAttribute('aria-busy', 'true');
    const state = await ask(this.bench, 'overview');
    this.page.body.removeAttribute('aria-busy');
    setText(this.problem, state.problem ?? '');
    if (state.problem) return;
    this.adopt(state);
    this.paint();
  }

  /** @param {GlossaryOverview} state */
  adopt(state) {
    this.state = state;
    this.undoButton.disabled = !state.can_undo;
    this.list.paint(state.glossaries);
  }

  /** @param {string} chosen */
  select(chosen) {
    this.show(chosen);
    setText(this.problem, '');
    this.paint();
  }

  /** @param {string} chosen */
  show(chosen) {
    TABS.forEach((name, i) => {
      this.tabs[i].setAttribute('aria-selected', String(name === chosen));
      this.tabs[i].tabIndex = name === chosen ? 0 : -1;
      this.panels[name].hidden = name !== chosen;
    });
    this.chosen = chosen;
  }

  /** Paints the tab that is shown, and puts it into the address. */
  paint() {
    if (this.chosen === 'terms') this.paintTerms();
    if (this.chosen === 'document') this.paintDocument();
    const places = [this.chosen, this.chosen === 'terms' ? this.shown : null].filter(Boolean);
    this.bench.pages.note(['glossaries', ...places].join('/'));
  }

  /**
   * Sends a command; its reply contains the new state of the glossaries.
   * @param {GlossaryCommand} command
   * @param {CommandArgs} args
   * @param {string} notice
   */
  async change(command, args, notice) {
    const reply = await this.bench.connection.send(command, args);
    setText(this.problem, reply.ok ? '' : reply.error.message);
    if (!reply.ok) {
      setText(this.announcement, '');
      return null;
    }
    this.adopt(reply.result);
    setText(this.announcement, notice);
    if (this.chosen === 'terms' && command === 'glossary_undo') this.paintTerms();
    if (this.chosen === 'document') this.paintDocument();
    return reply.result;
  }

  // ---- the terms ----

  paintTerms() {
    const {glossaries} = this.state;
    const panel = this.panels.terms;
    if (!glossaries.length) {
      panel.replaceChildren(h('p.muted', t('side.no_glossary')));
      return;
    }
    const base = glossaries.find(one => one.id === this.shown) ?? glossaries[0];
    this.shown = base.id;
    const choice = h(
      'select',
      {
        'aria-label': t('glossaries.which'),
        onchange: event => {
          this.shown = Number(event.target.value);
          this.paint();
        },
      },
      glossaries.map(one => h('option', {value: one.id, selected: one.id === base.id}, one.name)),
    );
    const host = h('div.gridhost');
    const filter = h('div.gfilter');
    panel.replaceChildren(h('div.gtools', h('label.line', h('span', t('glossaries.which')), choice), filter), host);
    this.grid = new TermGrid(this.bench, {host, filter}, base, {
      ask: (question, args) => ask(this.bench, question, args),
      change: (command, args, notice) => this.change(command, args, notice),
    });
  }

  // ---- the document ----

  async paintDocument() {
    const panel = this.panels.document;
    panel.setAttribute('aria-busy', 'true');
    if (!panel.children.length) panel.append(h('p.muted', {role: 'status'}, t('record.loading')));
    const reply = await ask(this.bench, 'document');
    panel.removeAttribute('aria-busy');
    if (reply.problem) {
      panel.replaceChildren(h('p', {role: 'alert'}, reply.problem));
      return;
    }
    const goTo = (/** @type {number} */ index) => {
      this.bench.pages.leave();
      this.bench.openSegment(index);
    };
    panel.replaceChildren(...impactTables(this.bench, reply, goTo));
  }
}

/* The dialog of the document's glossaries: their priority, switching them on and off, their terms, and a dry run that
   shows where their terms occur in the document. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, setText, t, textIn, tn} from '../core/dom.js';
import {TermGrid} from './glossary_grid.js';
import {projectName} from './project_form.js';

const ENDINGS = ['csv', 'tsv', 'tbx'];
const TABS = ['list', 'terms', 'document'];
const MAX_PLACES = 8;

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
 * @param {Pick<Bench, 'connection' | 'document' | 'files' | 'focusEditor' | 'languages' | 'numberOf' | 'openSegment' | 'root' |
 *   'say' | 'segment' | 'server' | 'session'>} bench
 * @param {string} [tab]
 */
export const openGlossaries = async (bench, tab = 'list') => new GlossaryDialog(bench).open(tab);

class GlossaryDialog {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'files' | 'focusEditor' | 'languages' | 'numberOf' | 'openSegment' | 'root' |
   *   'say' | 'segment' | 'server' | 'session'>} bench
   */
  constructor(bench) {
    this.bench = bench;
    /** @type {GlossaryOverview} */
    this.state = {glossaries: [], can_undo: false};
    /** @type {number | undefined} */
    this.shown = undefined; // the glossary whose terms are shown
    /** @type {number | undefined} */
    this.dragged = undefined; // position of the glossary that is dragged
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
    this.dialog = new Dialog({
      name: 'glossaries',
      title: t('glossaries.title'),
      classes: '.record.gloss',
      body: [
        h('div.tabs', {role: 'tablist', 'aria-label': t('glossaries.title')}, this.tabs),
        this.problem,
        Object.values(this.panels),
        this.announcement,
      ],
      buttons: [this.undoButton, h('span.grow', {}), button('.btn.primary', {onclick: () => this.close()}, t('close'))],
      onClose: () => this.bench.focusEditor(),
    });
  }

  /** @param {string} tab */
  async open(tab) {
    this.bench.segment.flush();
    const state = await ask(this.bench, 'overview');
    if (state.problem) {
      this.bench.say('bad', state.problem);
      return;
    }
    this.dialog.open(this.bench.root);
    this.adopt(state);
    this.select(tab);
    this.tabs[TABS.indexOf(tab)].focus();
  }

  close() {
    this.dialog.close();
  }

  /** @param {GlossaryOverview} state */
  adopt(state) {
    this.state = state;
    this.undoButton.disabled = !state.can_undo;
    this.paintList();
  }

  /** @param {string} chosen */
  select(chosen) {
    TABS.forEach((name, i) => {
      this.tabs[i].setAttribute('aria-selected', String(name === chosen));
      this.tabs[i].tabIndex = name === chosen ? 0 : -1;
      this.panels[name].hidden = name !== chosen;
    });
    this.chosen = chosen;
    setText(this.problem, '');
    if (chosen === 'terms') this.paintTerms();
    if (chosen === 'document') this.paintDocument();
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

  // ---- the list ----

  paintList() {
    const {glossaries} = this.state;
    const focused = document.activeElement?.getAttribute('data-act');
    const rows = glossaries.map((base, at) => this.row(base, at));
    this.panels.list.replaceChildren(
      h('p.muted', {}, t(glossaries.length ? 'glossaries.lead' : 'side.no_glossary')),
      h('ol.glist', {'aria-label': t('glossaries.order')}, rows),
      h(
        'div.acts',
        {},
        button(
          '.btn',
          {
            onclick: () => {
              this.close();
              this.bench.files.choose('glossary');
            },
          },
          icon('up'),
          t('glossary.upload'),
        ),
      ),
    );
    if (focused)
      [...this.panels.list.querySelectorAll('[data-act]')]
        .find(element => element.dataset.act === focused && !element.hasAttribute('disabled'))
        ?.focus();
  }

  /**
   * @param {DocumentGlossary} base
   * @param {number} at
   */
  row(base, at) {
    const last = this.state.glossaries.length - 1;
    /** @param {string} name */
    const act = name => `${name} ${base.id}`;
    /** @param {string} ending */
    const url = ending => `download/${encodeURIComponent(this.bench.session.token)}/glossary/${base.id}/${ending}`;
    const box = h('input', {
      type: 'checkbox',
      checked: base.is_on,
      'data-act': act('on'),
      'aria-label': t('glossaries.on', {name: base.name}),
      onchange: event =>
        this.change(
          'glossary_switch',
          {glossary: base.id, is_on: event.target.checked},
          t(event.target.checked ? 'glossaries.is_on' : 'glossaries.is_off', {name: base.name}),
        ),
    });
    /** @type {HTMLElement} */
    const item = h(
      `li${base.is_on ? '' : '.off'}`,
      {
        draggable: 'true',
        'data-id': base.id,
        title: t('glossaries.drag'),
        onkeydown: event => {
          const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
          if (!step || !event.altKey) return;
          event.preventDefault();
          event.stopPropagation();
          this.move(at, at + step);
        },
        ondragstart: event => {
          this.dragged = at;
          event.dataTransfer?.setData('text/plain', base.name);
          if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
        },
        ondragover: event => {
          if (this.dragged !== undefined) {
            event.preventDefault();
            event.stopPropagation();
            item.classList.toggle('over', this.dragged !== at);
          }
        },
        ondragleave: () => item.classList.remove('over'),
        ondragend: () => {
          this.dragged = undefined;
        },
        ondrop: event => {
          item.classList.remove('over');
          if (this.dragged === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          const from = this.dragged;
          this.dragged = undefined;
          this.move(from, at);
        },
      },
      h('span.grip', {'aria-hidden': 'true'}, icon('list')),
      h('span.no.num', {}, String(at + 1)),
      h(
        'label.check',
        {},
        box,
        h('b', {}, base.name),
        base.is_shared ? h('span.tag.ok', {title: t('glossaries.shared.title')}, t('glossaries.shared.tag')) : null,
      ),
      h('span.muted.num', {}, tn('glossary.terms', base.num_terms)),
      h(
        'span.acts',
        {},
        button(
          '.btn.small',
          {
            'data-act': act('up'),
            disabled: at === 0,
            'aria-label': t('glossaries.higher', {name: base.name}),
            title: t('glossaries.higher.title'),
            onclick: () => this.move(at, at - 1),
          },
          '\u2191',
        ),
        button(
          '.btn.small',
          {
            'data-act': act('down'),
            disabled: at === last,
            'aria-label': t('glossaries.lower', {name: base.name}),
            title: t('glossaries.lower.title'),
            onclick: () => this.move(at, at + 1),
          },
          '\u2193',
        ),
        button(
          '.btn.small',
          {
            'data-act': act('terms'),
            onclick: () => {
              this.shown = base.id;
              this.select('terms');
            },
          },
          t('glossaries.terms'),
        ),
        ENDINGS.map(ending =>
          h(
            'a.btn.small',
            {
              href: url(ending),
              download: '',
              title: t('glossaries.save', {name: base.name, kind: ending.toUpperCase()}),
            },
            icon('down', true),
            ending.toUpperCase(),
          ),
        ),
        this.more(base, act),
      ),
    );
    return item;
  }

  /**
   * The buttons that share, merge and remove a glossary.
   * @param {DocumentGlossary} base
   * @param {(name: string) => string} act
   */
  more(base, act) {
    const {name} = base;
    const project = projectName(this.bench.document.project);
    const others = this.state.glossaries.filter(other => other.id !== base.id);
    const remove = () => this.change('glossary_remove', {glossary: base.id}, t('glossaries.removed', {name}));
    return [
      base.is_shared
        ? null
        : button(
            '.btn.small',
            {
              'data-act': act('share'),
              'aria-label': t('glossaries.share', {name, project}),
              title: t('glossaries.share', {name, project}),
              onclick: () =>
                this.change('glossary_share', {glossary: base.id}, t('glossaries.shared', {name, project})),
            },
            t('glossaries.share.short'),
          ),
      others.length
        ? h(
            'select',
            {
              'data-act': act('merge'),
              'aria-label': t('glossaries.merge', {name}),
              onchange: event => {
                const into = others.find(other => other.id === Number(event.target.value));
                if (into)
                  this.change(
                    'glossary_merge',
                    {glossary: base.id, into: into.id},
                    t('glossaries.merged', {name, into: into.name}),
                  );
              },
            },
            h('option', {value: ''}, t('glossaries.merge.short')),
            others.map(other => h('option', {value: other.id}, other.name)),
          )
        : null,
      button(
        '.btn.small',
        {
          'data-act': act('remove'),
          'aria-label': t(base.is_shared ? 'glossaries.delete' : 'glossaries.remove', {name}),
          onclick: () =>
            base.is_shared ? askBaseDeletion(this.bench, {name, project, n: base.num_terms}, remove) : remove(),
        },
        t(base.is_shared ? 'documents.delete.short' : 'glossaries.remove.short'),
      ),
    ];
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  move(from, to) {
    const order = this.state.glossaries.map(base => base.id);
    if (to < 0 || to >= order.length || from === to) return;
    const {name} = this.state.glossaries[from];
    order.splice(to, 0, ...order.splice(from, 1));
    this.change('glossary_order', {order}, t('glossaries.moved', {name, n: to + 1}));
  }

  // ---- the terms ----

  paintTerms() {
    const {glossaries} = this.state;
    const panel = this.panels.terms;
    if (!glossaries.length) {
      panel.replaceChildren(h('p.muted', {}, t('side.no_glossary')));
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
          this.paintTerms();
        },
      },
      glossaries.map(one => h('option', {value: one.id, selected: one.id === base.id}, one.name)),
    );
    const host = h('div.gridhost', {});
    const filter = h('div.gfilter', {});
    panel.replaceChildren(
      h('div.gtools', {}, h('label.line', {}, h('span', {}, t('glossaries.which')), choice), filter),
      host,
    );
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
    /** @type {DryRun} */
    const run = reply;
    /** @param {number} index */
    const goTo = index => {
      this.close();
      this.bench.openSegment(index);
    };
    /** @param {number[]} indices */
    const places = indices => [
      ...indices
        .slice(0, MAX_PLACES)
        .flatMap(index => [button('.link', {onclick: () => goTo(index)}, String(this.bench.numberOf(index))), ' ']),
      indices.length > MAX_PLACES ? '\u2026' : '',
    ];
    /** @param {GlossaryTerm} term */
    const status = term =>
      term.status === 'preferred' ? '' : [' ', h('span.tag.off', {}, t(`grid.status.${term.status}`))];
    /** @param {GlossaryTerm} term */
    const pair = term => [
      h('span', textIn(this.bench.languages.source), term.source),
      ' \u2192 ',
      h('b', textIn(this.bench.languages.target), term.target),
      status(term),
    ];
    const unused = run.uses.filter(use => use.unused_in.length);
    /**
     * @param {string} label
     * @param {string[]} heads
     * @param {Child[]} rows
     */
    const table = (label, heads, rows) =>
      h(
        'section.card',
        {'aria-label': label},
        h('h3', {}, label),
        rows.length
          ? h(
              'div.tblscroll',
              {tabindex: 0, role: 'region', 'aria-label': label},
              h(
                'table',
                {},
                h(
                  'thead',
                  {},
                  h(
                    'tr',
                    {},
                    heads.map(head => h(head === t('dry.hits') ? 'th.n' : 'th', {scope: 'col'}, head)),
                  ),
                ),
                h('tbody', {}, rows),
              ),
            )
          : h('p.muted', {}, t('glossaries.none')),
      );
    panel.replaceChildren(
      h('p.muted', {}, t('dry.lead')),
      figures(run),
      table(
        t('dry.unused'),
        [t('dry.term'), t('dry.glossary'), t('dry.places')],
        unused.map(use =>
          h('tr', {}, h('td', {}, pair(use)), h('td', {}, use.glossary), h('td.num', {}, places(use.unused_in))),
        ),
      ),
      table(
        t('dry.suppressed'),
        [t('dry.term'), t('dry.by'), t('dry.why'), t('dry.hits'), t('dry.places')],
        run.suppressed.map(lost =>
          h(
            'tr',
            {},
            h('td', {}, pair(lost)),
            h('td', {}, pair(lost.by)),
            h('td', {}, t(lost.is_same_place ? 'dry.same_words' : 'dry.longer')),
            h('td.n', {}, count(lost.num_hits)),
            h('td.num', {}, places(lost.segments)),
          ),
        ),
      ),
      table(
        t('dry.found'),
        [t('dry.term'), t('dry.glossary'), t('dry.hits'), t('dry.places')],
        run.uses.map(use =>
          h(
            'tr',
            {},
            h('td', {}, pair(use)),
            h('td', {}, use.glossary),
            h('td.n', {}, count(use.num_hits)),
            h('td.num', {}, places(use.segments)),
          ),
        ),
      ),
    );
  }
}

/**
 * Asks before a term base is deleted from its project.
 * @param {Pick<Bench, 'root'>} bench
 * @param {{name: string, project: string, n: number}} base
 * @param {() => void} remove
 */
const askBaseDeletion = (bench, {name, project, n}, remove) => {
  const close = () => dialog.close();
  const dialog = new Dialog({
    name: 'base-delete',
    title: t('glossaries.delete.question', {name}),
    classes: '.small',
    isAlert: true,
    body: h('p', {}, tn('glossaries.delete.what', n, {project})),
    buttons: [
      button('.btn.primary', {onclick: close}, t('delete.no')),
      button(
        '.btn.danger',
        {
          onclick: () => {
            close();
            remove();
          },
        },
        t('delete.yes'),
      ),
    ],
  });
  dialog.open(bench.root, dialog.element.querySelector('.btn'));
};

/**
 * The counts of a dry run, as a list.
 * @param {DryRunCounts} run
 */
export const figures = run => {
  /** @type {[name: string, value: number, of?: number][]} */
  const rows = [
    ['segments', run.num_segments_hit, run.num_segments],
    ['terms', run.num_found, run.num_terms],
    ['unused', run.num_unused],
    ['suppressed', run.num_suppressed],
    ['without', run.num_without],
  ];
  return h(
    'ul.impact',
    {},
    rows.map(([name, value, of]) =>
      h('li', {}, h('b.num', {}, count(value)), h('span', {}, t(`dry.figure.${name}`, {n: count(of ?? 0)}))),
    ),
  );
};

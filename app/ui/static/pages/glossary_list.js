/* The document's glossaries in order of priority: switching them on and off, moving, sharing, merging, saving and removing
   them. */
import {Dialog} from '../core/dialog.js';
import {button, h, icon, keepingFocus, t, tn} from '../core/dom.js';
import {openGlossaryExport} from '../dialogs/glossary_export.js';
import {projectName} from '../dialogs/project_form.js';

export class GlossaryList {
  /**
   * @param {Pick<Bench, 'document' | 'root' | 'session'>} bench
   * @param {HTMLElement} panel
   * @param {GlossaryListTools} tools
   */
  constructor(bench, panel, tools) {
    this.bench = bench;
    this.panel = panel;
    this.tools = tools;
    /** @type {DocumentGlossary[]} */
    this.glossaries = [];
    /** @type {number | undefined} */
    this.dragged = undefined; // position of the glossary that is dragged
  }

  /** @param {DocumentGlossary[]} glossaries in order of priority */
  paint(glossaries) {
    this.glossaries = glossaries;
    keepingFocus(this.panel, () => this.paintPanel());
  }

  paintPanel() {
    const {glossaries} = this;
    const rows = glossaries.map((base, at) => this.row(base, at));
    this.panel.replaceChildren(
      h('p.muted', t(glossaries.length ? 'glossaries.lead' : 'side.no_glossary')),
      h('ol.glist', {'aria-label': t('glossaries.order')}, rows),
      h(
        'div.acts',
        button(
          '.btn',
          {
            onclick: this.tools.upload,
          },
          icon('up'),
          t('glossary.upload'),
        ),
      ),
    );
  }

  /**
   * @param {DocumentGlossary} base
   * @param {number} at
   */
  row(base, at) {
    const last = this.glossaries.length - 1;
    /** @param {string} name */
    const act = name => `${name} ${base.id}`;
    const box = h('input', {
      type: 'checkbox',
      checked: base.is_on,
      'data-act': act('on'),
      'aria-label': t('glossaries.on', {name: base.name}),
      onchange: event =>
        this.tools.change(
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
      h('span.no.num', String(at + 1)),
      h(
        'label.check',
        box,
        h('b', base.name),
        base.is_shared ? h('span.tag.ok', {title: t('glossaries.shared.title')}, t('glossaries.shared.tag')) : null,
      ),
      h('span.muted.num', tn('glossary.terms', base.num_terms)),
      h(
        'span.acts',
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
            onclick: () => this.tools.showTerms(base.id),
          },
          t('glossaries.terms'),
        ),
        button(
          '.btn.small',
          {
            'data-act': act('export'),
            'aria-haspopup': 'dialog',
            'aria-label': t('glossaries.export.title', {name: base.name}),
            onclick: () => this.export(base),
          },
          icon('down', true),
          t('glossaries.export'),
        ),
        this.more(base, act),
      ),
    );
    return item;
  }

  /** @param {DocumentGlossary} base */
  async export(base) {
    const found = await this.tools.ask('exports', {glossary: base.id});
    if (!found.problem) openGlossaryExport(this.bench, base, found.exports);
    else this.tools.fail(found.problem);
  }

  /**
   * The buttons that share, merge and remove a glossary.
   * @param {DocumentGlossary} base
   * @param {(name: string) => string} act
   */
  more(base, act) {
    const {name} = base;
    const project = projectName(this.bench.document.project);
    const others = this.glossaries.filter(other => other.id !== base.id);
    const remove = () => this.tools.change('glossary_remove', {glossary: base.id}, t('glossaries.removed', {name}));
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
                this.tools.change('glossary_share', {glossary: base.id}, t('glossaries.shared', {name, project})),
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
                  this.tools.change(
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
    const order = this.glossaries.map(base => base.id);
    if (to < 0 || to >= order.length || from === to) return;
    const {name} = this.glossaries[from];
    order.splice(to, 0, ...order.splice(from, 1));
    this.tools.change('glossary_order', {order}, t('glossaries.moved', {name, n: to + 1}));
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
    body: h('p', tn('glossaries.delete.what', n, {project})),
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

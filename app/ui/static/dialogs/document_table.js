/* The table of documents in the dialog of all documents: search, choice of a project, and a row for each document. */
import {button, count, h, icon, setText, showChildren, sr, t, tableHead, tn} from '../core/dom.js';
import {newsMark} from '../core/notices.js';
import {dayAndTime} from '../core/texts.js';
import {pairName} from './project_form.js';
import {projectTitle} from './project_list.js';
import {dueMark} from './totals.js';

const MAX_ROWS = 300;
const MINE = -1;

export class DocumentTable {
  /**
   * @param {Pick<Bench, 'document' | 'news' | 'person'>} bench
   * @param {{onShow: (session: number) => void, onMove: (row: DocumentRow, project: number) => void,
   *   onAssign: (row: DocumentRow, person: string) => void, onDelete: (row: DocumentRow) => void}} calls
   * @param {DocumentRow[]} documents
   * @param {boolean} hasMembers documents are assigned to people
   */
  constructor(bench, calls, documents, hasMembers) {
    this.bench = bench;
    this.calls = calls;
    this.documents = documents;
    this.hasMembers = hasMembers;
    /** @type {ProjectRow[]} */
    this.projects = [];
    this.project = 0; // the number of the project whose documents are shown; 0: of all; MINE: those assigned to the person
    /** @type {Map<number, {contents: string, element: HTMLElement}>} */
    this.shown = new Map(); // rows by document
    this.search = h('input', {
      type: 'search',
      placeholder: t('documents.search'),
      'aria-label': t('documents.search'),
      oninput: () => this.paintRows(),
      onkeydown: event => {
        if (event.key !== 'Enter' || event.isComposing) return;
        event.preventDefault();
        const [first] = this.found();
        if (first) calls.onShow(first.session);
      },
    });
    this.choice = h('select', {
      'aria-label': t('documents.project'),
      onchange: () => {
        this.project = Number(this.choice.value);
        this.paintRows();
      },
    });
    this.number = h('span.muted.num', {role: 'status'});
    this.rows = h('tbody');
    const heads = ['document', 'project', 'pair', 'state', 'due', 'when', ...(hasMembers ? ['assignee'] : [])];
    this.elements = [
      h('div.gtools', h('label.search', icon('search'), this.search), this.choice, this.number),
      h(
        'table.documents',
        tableHead(...heads.map(name => t(`documents.${name}`)), h('th', {scope: 'col'}, sr(t('documents.actions')))),
        this.rows,
      ),
    ];
  }

  /**
   * Shows the documents, and these projects to choose from.
   * @param {ProjectRow[]} projects
   */
  paint(projects) {
    this.projects = projects;
    this.choice.replaceChildren(
      h('option', {value: 0}, t('documents.all_projects')),
      ...(this.hasMembers && this.bench.person ? [h('option', {value: MINE}, t('documents.mine'))] : []),
      ...projects.map(project =>
        h('option', {value: project.id}, `${projectTitle(project)} \u00b7 ${project.direction}`),
      ),
    );
    if (this.project !== MINE && !projects.some(project => project.id === this.project)) this.project = 0;
    this.choice.value = String(this.project);
    this.paintRows();
  }

  /**
   * Shows the documents of a project.
   * @param {number} project
   */
  showProject(project) {
    this.project = project;
    this.search.value = '';
    this.paint(this.projects);
    this.search.focus();
  }

  /**
   * Takes documents that are new or changed: all of them, or these first and then the known ones.
   * @param {DocumentRow[]} documents
   */
  adopt(documents) {
    this.documents = this.inOrder(documents);
  }

  /**
   * Focuses a control in the row of a document.
   * @param {number} session
   * @param {string} selector
   */
  focus(session, selector) {
    this.rows.querySelector(`[data-session="${session}"] ${selector}`)?.focus();
  }

  /** The documents that match search and project. */
  found() {
    const words = this.search.value.trim().toLowerCase();
    /** @param {DocumentRow} row */
    const isShown = row =>
      this.project === MINE
        ? [row.assignee, ...row.part_assignees].includes(this.bench.person)
        : !this.project || row.project === this.project;
    return this.documents.filter(row => isShown(row) && row.name.toLowerCase().includes(words));
  }

  paintRows() {
    const found = this.found();
    setText(this.number, tn('project.documents', found.length));
    const rows = found.slice(0, MAX_ROWS).map(row => this.shownRow(row));
    if (found.length > MAX_ROWS)
      rows.push(h('tr', h('td.muted', {colspan: 8}, t('documents.more', {n: count(MAX_ROWS)}))));
    if (!found.length) rows.push(h('tr', h('td.muted', {colspan: 8}, t('documents.none'))));
    showChildren(this.rows, rows);
  }

  /**
   * The element of a row: the one that is shown, with new cells where something has changed. A control that has the
   * focus or the pointer stays as it is.
   * @param {DocumentRow} row
   */
  shownRow(row) {
    const project = this.projects.find(one => one.id === row.project);
    const mark = newsMark(this.bench.news.notices, row.session);
    const contents = JSON.stringify([row, mark, project, this.projects.length, this.bench.document.session]);
    const known = this.shown.get(row.session);
    if (known?.contents === contents) return known.element;
    const element = this.row(row);
    if (known) {
      const cells = [...element.children];
      [...known.element.children].forEach((cell, i) => {
        if (!cell.querySelector('select:focus, :is(select, button):hover')) cell.replaceWith(cells[i]);
      });
    }
    this.shown.set(row.session, {contents, element: known?.element ?? element});
    return known?.element ?? element;
  }

  /**
   * The first of each document, in the order in which they are shown: nothing moves. New ones come first, or last while
   * the pointer or the focus is in the table.
   * @param {DocumentRow[]} documents
   */
  inOrder(documents) {
    const rows = new Map([...documents].reverse().map(row => [row.session, row]));
    const shown = this.documents.filter(row => rows.has(row.session));
    const known = new Set(shown.map(row => row.session));
    const added = documents.filter(row => !known.has(row.session));
    const isInUse = this.rows.matches(':hover, :focus-within');
    const order = isInUse ? [...shown, ...added] : [...added, ...shown];
    return order.map(row => /** @type {DocumentRow} */ (rows.get(row.session)));
  }

  /** @param {DocumentRow} row */
  row(row) {
    const isOpen = row.session === this.bench.document.session;
    const mark = newsMark(this.bench.news.notices, row.session);
    const isManaged = this.projects.some(one => one.id === row.project && one.is_managed);
    const fitting = this.projects.filter(
      one => one.id === row.project || (isManaged && one.is_managed && one.direction === row.direction),
    );
    const project = h(
      'select',
      {
        'aria-label': t('documents.move', {name: row.name}),
        disabled: !isManaged,
        onchange: event => this.calls.onMove(row, Number(event.target.value)),
      },
      fitting.map(one => h('option', {value: one.id, selected: one.id === row.project}, projectTitle(one))),
    );
    return h(
      'tr',
      {'data-session': row.session},
      h(
        'td',
        button(
          '.link',
          {onclick: () => this.calls.onShow(row.session), 'aria-current': isOpen ? 'true' : null},
          row.name,
        ),
        isOpen ? [' ', h('span.tag.ok', t('documents.open_now'))] : null,
        mark && !isOpen ? [' ', h('span.tag.pinned', mark)] : null,
      ),
      h('td', project),
      h('td', pairName(row.direction)),
      h(
        'td.num',
        `${count(row.num_confirmed)} / ${count(row.num_segments - row.num_locked)}`,
        row.num_approved ? h('div.muted', t('documents.approved', {n: count(row.num_approved)})) : null,
        row.num_returned ? h('div.muted', t('documents.returned', {n: count(row.num_returned)})) : null,
        row.num_locked ? h('div.muted', t('documents.locked', {n: count(row.num_locked)})) : null,
      ),
      h('td.when', dueMark(row.due_ms, row.urgency)),
      h('td.num', dayAndTime(row.last_ms)),
      this.hasMembers
        ? h(
            'td',
            this.assignee(row),
            row.part_assignees.length
              ? h('div.muted', t('documents.parts', {names: row.part_assignees.join(', ')}))
              : null,
          )
        : null,
      h(
        'td',
        isManaged
          ? button(
              '.btn.small',
              {'aria-label': t('documents.delete', {name: row.name}), onclick: () => this.calls.onDelete(row)},
              t('documents.delete.short'),
            )
          : null,
      ),
    );
  }

  /**
   * To whom a document is assigned; a choice for those who manage its project.
   * @param {DocumentRow} row
   */
  assignee(row) {
    const project = this.projects.find(one => one.id === row.project);
    if (!project?.is_managed) return row.assignee;
    const names = [...new Set(['', ...project.members, row.assignee])];
    return h(
      'select',
      {
        'aria-label': t('documents.assign', {name: row.name}),
        onchange: event => this.calls.onAssign(row, event.target.value),
      },
      names.map(name => h('option', {value: name, selected: name === row.assignee}, name || t('documents.nobody'))),
    );
  }
}

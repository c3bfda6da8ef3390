/* The dialog with the totals of a project by document and person, and its deadlines, which those who manage it set. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, setText, showChildren, t} from '../core/dom.js';
import {dayAndTime, localMinute, msOfMinute} from '../core/texts.js';

/**
 * A deadline with a sign if work is overdue or due within a day; null without one.
 * @param {number | null} ms
 * @param {DocumentRow['urgency']} urgency
 */
export const dueMark = (ms, urgency) =>
  ms === null
    ? null
    : h(
        `span.due${urgency ? `.${urgency}` : ''}`,
        urgency ? [icon('problem', true), ' '] : null,
        dayAndTime(ms),
        urgency ? h('span.tag.warn', t(`totals.${urgency}`)) : null,
      );

/** @typedef {ProjectTotals['documents'][number]} DocumentTotals */
/** @typedef {ProjectTotals['people'][number]} PersonTotals */
/** @typedef {keyof ProjectTotals['amount']} AmountName */
/**
 * `hasMembers`: documents are assigned to people; `onAnalyse` and `onShow` leave all dialogs.
 * @typedef {{hasMembers: boolean, onShow: (session: number) => void, onAnalyse: () => void, onClose: () => void}} TotalsCalls
 */

/** @type {AmountName[]} */
const NUMBERS = [
  'num_segments',
  'num_segments_done',
  'num_segments_to_do',
  'num_words',
  'num_words_done',
  'num_words_to_do',
];
const collator = new Intl.Collator(undefined, {numeric: true});

/**
 * A table that a click on a heading sorts; another click reverses the order.
 * @template {{name: string, due_ms: number | null, amount: ProjectTotals['amount']}} T
 */
class SortedTable {
  /**
   * @param {string[]} texts the names of the columns before the numbers
   * @param {(row: T, column: string) => string} textOf what a row has there, to sort by
   * @param {(row: T) => HTMLElement} rowOf
   */
  constructor(texts, textOf, rowOf) {
    this.textOf = textOf;
    this.rowOf = rowOf;
    this.column = texts[0];
    this.isDescending = false;
    /** @type {T[]} */
    this.found = [];
    /** @type {ProjectTotals['unit']} */
    this.unit = 'words';
    this.rows = h('tbody');
    this.foot = h('tfoot');
    this.units = h('th', {scope: 'colgroup', colspan: 3});
    /** @param {string} column @param {Record<string, unknown>} [attributes] */
    const head = (column, attributes = {}) =>
      h(
        'th',
        {scope: 'col', 'data-column': column, ...attributes},
        button('.sort', {onclick: () => this.#sortBy(column)}, t(`totals.${column}`)),
      );
    this.element = h(
      'table.totals',
      h(
        'thead',
        h(
          'tr',
          texts.map(column => head(column, {rowspan: 2})),
          h('th', {scope: 'colgroup', colspan: 3}, t('totals.segments')),
          this.units,
          head('due', {rowspan: 2}),
        ),
        h(
          'tr',
          NUMBERS.map(column => head(column)),
        ),
      ),
      this.rows,
      this.foot,
    );
  }

  /**
   * @param {T[]} rows
   * @param {ProjectTotals['unit']} unit
   */
  paint(rows, unit) {
    this.found = rows;
    this.unit = unit;
    setText(this.units, t(`totals.unit.${unit}`));
    /** @param {T} row */
    const key = row =>
      this.column === 'due'
        ? (row.due_ms ?? Number.POSITIVE_INFINITY)
        : NUMBERS.includes(/** @type {AmountName} */ (this.column))
          ? row.amount[/** @type {AmountName} */ (this.column)]
          : this.textOf(row, this.column);
    const sorted = rows.map(row => ({row, key: key(row)}));
    sorted.sort((a, b) =>
      typeof a.key === 'string'
        ? collator.compare(a.key, String(b.key))
        : a.key === b.key // also without a deadline
          ? 0
          : a.key - Number(b.key),
    );
    if (this.isDescending) sorted.reverse();
    showChildren(
      this.rows,
      sorted.map(({row}) => this.rowOf(row)),
    );
    for (const head of this.element.querySelectorAll('[data-column]')) {
      const isSorted = head.getAttribute('data-column') === this.column;
      if (isSorted) head.setAttribute('aria-sort', this.isDescending ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    }
  }

  /** @param {string} column */
  #sortBy(column) {
    this.isDescending = column === this.column && !this.isDescending;
    this.column = column;
    this.paint(this.found, this.unit);
  }
}

/**
 * The cells with the numbers of a row.
 * @param {ProjectTotals['amount']} amount
 */
const cells = amount =>
  NUMBERS.map(name => {
    const locked = name === 'num_segments' ? amount.num_segments_locked : 0;
    return h('td.num', count(amount[name]), locked ? h('div.muted', t('documents.locked', {n: count(locked)})) : null);
  });

/**
 * Shows the totals of a project; calls `onClose` when the dialog is closed.
 * @param {Bench} bench
 * @param {{id: number, title: string}} project
 * @param {TotalsCalls} calls
 */
export const openTotals = async (bench, {id, title}, calls) => {
  bench.segment.flush();
  const reply = await bench.connection.send('project_totals', {project: id});
  if (reply.ok) new TotalsDialog(bench, reply.result, title, calls).open();
};

class TotalsDialog {
  /**
   * @param {Bench} bench
   * @param {ProjectTotals} totals
   * @param {string} title
   * @param {TotalsCalls} calls
   */
  constructor(bench, totals, title, {hasMembers, onShow, onAnalyse, onClose}) {
    this.bench = bench;
    this.totals = totals;
    this.hasMembers = hasMembers;
    this.status = h('p.muted', {role: 'status'});
    this.due = h('span');
    /** @type {SortedTable<DocumentTotals>} */
    this.documents = new SortedTable(
      hasMembers ? ['document', 'person'] : ['document'],
      (row, column) => (column === 'person' ? row.assignee : row.name),
      row =>
        h(
          'tr',
          {'data-session': row.session},
          h('td', button('.link', {onclick: () => this.#leaveFor(() => onShow(row.session))}, row.name)),
          hasMembers ? h('td', row.assignee) : null,
          cells(row.amount),
          h('td.when', this.#deadline(row)),
        ),
    );
    /** @type {SortedTable<PersonTotals>} */
    this.people = new SortedTable(
      ['person'],
      row => row.name,
      row =>
        h(
          'tr',
          h('th', {scope: 'row'}, row.name || t('documents.nobody')),
          cells(row.amount),
          h('td.when', dueMark(row.due_ms, row.urgency)),
        ),
    );
    const url = `download/${encodeURIComponent(bench.session.token)}/totals/${totals.project}`;
    const files = ['csv', 'xlsx'].map(kind =>
      h('a.btn', {download: '', href: `${url}/${kind}`}, icon('down'), t(`totals.${kind}`)),
    );
    this.peopleBox = h('div', h('h3', t('totals.by_person')), this.people.element);
    this.dialog = new Dialog({
      name: 'totals',
      title: t('totals.title', {name: title}),
      classes: '.wide.gloss.projects',
      body: [
        h('p.line.projectdue', h('span', t('totals.deadline')), this.due),
        this.documents.element,
        this.peopleBox,
        this.status,
      ],
      buttons: [
        files,
        button('.btn', {onclick: () => this.#leaveFor(onAnalyse)}, icon('list'), t('analysis.menu')),
        h('span.grow'),
        button('.btn.primary', {onclick: () => this.dialog.close()}, t('close')),
      ],
      onClose,
    });
    this.paint();
  }

  open() {
    this.dialog.open(this.bench.root);
  }

  paint() {
    const {documents, people, amount, deadline_ms, urgency, unit, is_managed: isManaged} = this.totals;
    const field = isManaged
      ? this.#field(deadline_ms, t('totals.deadline'), ms =>
          this.#send('set_project_deadline', {project: this.totals.project, deadline_ms: ms}),
        )
      : (dueMark(deadline_ms, '') ?? t('totals.no_deadline'));
    this.due.replaceChildren(field, ...(isManaged && urgency ? [' ', h('span.tag.warn', t(`totals.${urgency}`))] : []));
    this.documents.paint(documents, unit);
    this.people.paint(people, unit);
    this.documents.foot.replaceChildren(
      h('tr', h('th', {scope: 'row', colspan: this.hasMembers ? 2 : 1}, t('totals.all')), cells(amount), h('td')),
    );
    this.peopleBox.hidden = !people.some(person => person.name);
  }

  /**
   * The deadline of a document: a field for those who manage the project.
   * @param {DocumentTotals} row
   */
  #deadline({session, name, deadline_ms: own, due_ms: due, urgency}) {
    if (!this.totals.is_managed) return dueMark(due, urgency);
    const field = this.#field(own, t('totals.deadline.of', {name}), ms =>
      this.#send('set_document_deadline', {session, deadline_ms: ms}),
    );
    return [
      field,
      own === null && due !== null ? h('div.muted', t('totals.of_project', {when: dayAndTime(due)})) : null,
      urgency ? h('span.tag.warn', icon('problem', true), ' ', t(`totals.${urgency}`)) : null,
    ];
  }

  /**
   * A field for a day and time in the person's zone. It is sent with Enter and when the focus leaves it, not while the
   * parts of the date are typed.
   * @param {number | null} ms
   * @param {string} label
   * @param {(ms: number | null) => void} onChange
   */
  #field(ms, label, onChange) {
    let given = localMinute(ms);
    const send = () => {
      if (field.value === given && !field.validity.badInput) return;
      if (field.validity.badInput) {
        setText(this.status, t('totals.incomplete'));
        return;
      }
      given = field.value; // it is sent once
      onChange(msOfMinute(field.value));
    };
    const field = h('input', {
      type: 'datetime-local',
      value: given,
      'aria-label': label,
      max: '9999-12-30T23:59',
      onblur: send,
      onkeydown: event => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        send();
      },
    });
    return field;
  }

  /**
   * @param {'set_project_deadline' | 'set_document_deadline'} name
   * @param {CommandArgs} args
   */
  async #send(name, args) {
    const reply = await this.bench.connection.send(name, args);
    if (!reply.ok) {
      this.bench.notes.take(reply.error.message); // it is said here
      setText(this.status, reply.error.message);
      return;
    }
    this.totals = reply.result;
    const focused = document.activeElement?.getAttribute('aria-label');
    this.paint();
    if (focused && this.dialog.isOpen)
      [...this.dialog.element.querySelectorAll('input')]
        .find(one => one.getAttribute('aria-label') === focused)
        ?.focus();
    setText(this.status, t(args.deadline_ms === null ? 'totals.removed' : 'totals.set'));
  }

  /** @param {() => void} next */
  #leaveFor(next) {
    this.dialog.close();
    next();
  }
}

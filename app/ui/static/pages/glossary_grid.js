/* The terms of a glossary as a grid of any length: only visible rows are loaded from the server and drawn.
   Arrows move between cells, Enter or F2 edits a cell, typing replaces its text, Delete removes the term. */
import {count, h, icon, setText, t, textIn, tn} from '../core/dom.js';

const ROW = 34;
const MARGIN = 8;
const PAUSE_MS = 200;
const PAGE = 100;
const MAX_SHOWN = 400000; // rows; browsers limit the height that can be scrolled
/** @type {Record<string, string[]>} */
const CHOICES = {
  status: ['preferred', 'exact', 'do_not_translate', 'forbidden'],
  case: ['permissive', 'any', 'exact'],
  matching: ['exact', 'lemma', 'prefix'],
};
/** @type {(keyof GridTerm)[]} */
const COLUMNS = ['source', 'target', 'variants', 'status', 'case', 'matching', 'note'];
const VARIANT_MARK = '|';

export class TermGrid {
  /**
   * @param {Pick<Bench, 'languages'>} bench
   * @param {{host: HTMLElement, filter: HTMLElement}} options
   * @param {DocumentGlossary} base
   * @param {GridTools} tools
   */
  constructor(bench, {host, filter}, base, tools) {
    this.bench = bench;
    this.base = base;
    this.tools = tools;
    /** @type {Map<number, GridRow>} */
    this.rows = new Map(); // by position
    /** @type {Set<number>} */
    this.asked = new Set(); // offsets of the pages requested
    this.total = base.num_terms;
    /** @type {[row: number, column: number]} */
    this.at = [0, 0];
    this.generation = 0;
    /** @type {{cell: HTMLElement, input: HTMLInputElement | HTMLSelectElement, row: GridRow, name: keyof GridTerm, was: string} | null} */
    this.editing = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.filter = h('input', {
      type: 'search',
      'aria-label': t('grid.filter'),
      placeholder: t('grid.filter'),
      autocomplete: 'off',
      oninput: () => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.reset(), PAUSE_MS);
      },
    });
    this.shown = h('span.muted.num', {role: 'status'});
    filter.append(h('label.line', h('span', t('grid.filter')), this.filter), this.shown);
    /**
     * @param {string} name
     * @param {string} language
     */
    const field = (name, language) =>
      h('input', {
        type: 'text',
        ...textIn(language),
        'aria-label': t(`grid.new.${name}`),
        placeholder: t(`grid.${name}`),
        required: true,
        autocomplete: 'off',
      });
    this.source = field('source', bench.languages.source);
    this.target = field('target', bench.languages.target);
    this.problem = h('p.wrong.maybe'); // which term was not saved; the dialog shows why
    this.sheet = h('div.sheet', {role: 'presentation'});
    this.box = h(
      'div.gbox',
      {
        role: 'grid',
        'aria-label': t('grid.label', {name: base.name}),
        'aria-colcount': COLUMNS.length,
        onscroll: () => this.draw(),
        onkeydown: event => this.onKey(event),
        onclick: event => this.onPress(event, false),
        ondblclick: event => this.onPress(event, true),
      },
      this.head(),
      this.sheet,
    );
    host.append(
      h(
        'form.gadd',
        {
          onsubmit: event => {
            event.preventDefault();
            this.add();
          },
        },
        this.source,
        this.target,
        h('button.btn', {type: 'submit'}, icon('plus', true), t('grid.add')),
      ),
      this.problem,
      this.box,
      h('p.muted', t('grid.keys')),
    );
    this.reset();
  }

  head() {
    return h(
      'div.ghead',
      {role: 'row', 'aria-rowindex': 1},
      COLUMNS.map(name => h('span', {role: 'columnheader'}, t(`grid.${name}`))),
    );
  }

  /** Loads the rows again, from the first one or from where the grid is. */
  reset(staysThere = false) {
    this.generation += 1;
    this.rows.clear();
    this.asked.clear();
    if (!staysThere) {
      this.box.scrollTop = 0;
      this.at = [0, 0];
    }
    this.fetch(Math.floor(this.first() / PAGE) * PAGE);
  }

  first() {
    return Math.max(0, Math.floor(this.box.scrollTop / ROW));
  }

  /** @param {number} offset */
  async fetch(offset) {
    if (this.asked.has(offset)) return;
    this.asked.add(offset);
    const {generation} = this;
    const page = await this.tools.ask('terms', {glossary: this.base.id, filter: this.filter.value, offset});
    if (generation !== this.generation) return;
    if (page.problem) {
      this.asked.delete(offset);
      setText(this.problem, page.problem);
      return;
    }
    this.total = page.num_rows;
    /** @type {GridRow[]} */
    const rows = page.rows;
    rows.forEach((row, i) => this.rows.set(offset + i, row));
    setText(
      this.shown,
      page.num_rows === page.num_terms
        ? tn('glossary.terms', page.num_terms)
        : tn('grid.shown', page.num_terms, {shown: count(page.num_rows)}),
    );
    this.draw();
  }

  draw() {
    if (this.editing) return;
    const shown = Math.min(this.total, MAX_SHOWN);
    const hadFocus = this.sheet.contains(document.activeElement);
    this.box.setAttribute('aria-rowcount', String(this.total + 1));
    this.sheet.style.blockSize = `${shown * ROW}px`;
    const from = Math.max(0, this.first() - MARGIN);
    const to = Math.min(shown, this.first() + Math.ceil(this.box.clientHeight / ROW) + MARGIN);
    for (let offset = Math.floor(from / PAGE) * PAGE; offset < to; offset += PAGE) this.fetch(offset);
    const indices = [...Array(Math.max(0, to - from)).keys()].map(i => from + i);
    this.at[0] = Math.min(this.at[0], Math.max(0, shown - 1));
    this.sheet.replaceChildren(...indices.map(index => this.row(index)));
    const cell = this.cell(...this.at) ?? this.sheet.querySelector('[role=gridcell]');
    if (cell) cell.tabIndex = 0;
    if (hadFocus) this.cell(...this.at)?.focus({preventScroll: true});
  }

  /**
   * Language attributes of a column.
   * @param {keyof GridTerm} name
   */
  textIn(name) {
    const {source, target} = this.bench.languages;
    const language = name === 'source' ? source : ['target', 'variants'].includes(name) ? target : '';
    return language ? textIn(language) : {};
  }

  /** @param {number} index */
  row(index) {
    const row = this.rows.get(index);
    return h(
      'div.grow1',
      {role: 'row', 'aria-rowindex': index + 2, 'data-index': index, style: `inset-block-start:${index * ROW}px`},
      COLUMNS.map((name, column) =>
        h(
          'span',
          {
            role: 'gridcell',
            tabindex: -1,
            'data-column': column,
            'aria-colindex': column + 1,
            ...this.textIn(name),
            title: row ? this.text(row, name) : null,
          },
          row ? this.text(row, name) : '\u2026',
        ),
      ),
    );
  }

  /**
   * @param {GridRow} row
   * @param {keyof GridTerm} name
   */
  text(row, name) {
    if (name === 'variants') return row.variants.join(` ${VARIANT_MARK} `);
    return CHOICES[name] ? t(`grid.${name}.${row[name]}`) : row[name];
  }

  /**
   * @param {number} index
   * @param {number} column
   */
  cell(index, column) {
    return this.sheet.querySelector(`[data-index="${index}"] [data-column="${column}"]`);
  }

  /**
   * @param {number} index
   * @param {number} column
   */
  focus(index, column) {
    const last = Math.min(this.total, MAX_SHOWN) - 1;
    this.at = [Math.max(0, Math.min(last, index)), Math.max(0, Math.min(COLUMNS.length - 1, column))];
    const top = this.at[0] * ROW;
    const height = this.box.clientHeight - ROW;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + ROW > this.box.scrollTop + height) this.box.scrollTop = top + ROW - height;
    this.draw();
    for (const other of this.sheet.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    const cell = this.cell(...this.at);
    if (cell) {
      cell.tabIndex = 0;
      cell.focus({preventScroll: true});
    }
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (this.editing) {
      this.onEditKey(event);
      return;
    }
    const [index, column] = this.at;
    const screen = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 2);
    const ends = event.ctrlKey || event.metaKey;
    /** @type {Record<string, [row: number, column: number]>} */
    const places = {
      ArrowUp: [index - 1, column],
      ArrowDown: [index + 1, column],
      ArrowLeft: [index, column - 1],
      ArrowRight: [index, column + 1],
      PageUp: [index - screen, column],
      PageDown: [index + screen, column],
      Home: ends ? [0, 0] : [index, 0],
      End: ends ? [this.total - 1, COLUMNS.length - 1] : [index, COLUMNS.length - 1],
    };
    const place = places[event.key];
    if (place) this.focus(...place);
    else if (event.key === 'Enter' || event.key === 'F2') this.edit();
    else if (event.key === 'Delete') this.remove();
    else if (event.key.length === 1 && event.key !== ' ' && !ends && !event.altKey) {
      this.edit(true); // the letter goes into the field
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {WithTarget<MouseEvent>} event
   * @param {boolean} isDouble
   */
  onPress(event, isDouble) {
    /** @type {HTMLElement | null} */
    const cell = event.target.closest('[role=gridcell]');
    if (!cell || this.editing?.cell.contains(event.target)) return;
    if (this.editing) this.leave();
    this.focus(Number(cell.parentElement?.dataset.index), Number(cell.dataset.column));
    if (isDouble) this.edit();
  }

  /** Begins editing the cell; with `isEmpty` without its text. */
  edit(isEmpty = false) {
    const [index, column] = this.at;
    const row = this.rows.get(index);
    const cell = this.cell(index, column);
    const name = COLUMNS[column];
    if (!row || !cell) return null;
    const label = `${t(`grid.${name}`)}: ${row.source}`;
    const input = CHOICES[name]
      ? h(
          'select',
          {'aria-label': label},
          CHOICES[name].map(value => h('option', {value, selected: value === row[name]}, t(`grid.${name}.${value}`))),
        )
      : h('input', {type: 'text', 'aria-label': label, ...this.textIn(name), autocomplete: 'off'});
    const was = CHOICES[name] ? String(row[name]) : this.text(row, name);
    if (!CHOICES[name] && !isEmpty) input.value = was;
    this.editing = {cell, input, row, name, was};
    input.addEventListener('blur', () => {
      if (this.editing?.input === input) this.commit(false);
    });
    cell.replaceChildren(input);
    input.focus();
    if (input instanceof HTMLInputElement) input.select();
    return input;
  }

  /** @param {KeyboardEvent} event */
  onEditKey(event) {
    const {key} = event;
    if (key === 'Enter') this.commit(true);
    else if (key === 'Escape') this.leave(true);
    else if (key === 'Tab') {
      this.commit(true).then(() => this.focus(this.at[0], this.at[1] + (event.shiftKey ? -1 : 1)));
    } else {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Ends editing without a change. */
  leave(takesFocus = false) {
    this.editing = null;
    this.draw();
    if (takesFocus) this.focus(...this.at);
  }

  /** @param {boolean} takesFocus */
  async commit(takesFocus) {
    if (!this.editing) return;
    const {input, row, name, was} = this.editing;
    if (input.value === was) {
      this.leave(takesFocus);
      return;
    }
    const value =
      name === 'variants'
        ? input.value
            .split(VARIANT_MARK)
            .map(text => text.trim())
            .filter(Boolean)
        : input.value;
    this.editing = null;
    const result = await this.send({...row, [name]: value}, row.number);
    if (result)
      this.rows.set([...this.rows].find(([, one]) => one.number === row.number)?.[0] ?? this.at[0], result.row);
    this.draw();
    if (!takesFocus) return;
    this.focus(...this.at);
    if (result || CHOICES[name]) return;
    const again = this.edit(); // the refused text can be corrected
    if (again) again.value = input.value;
  }

  /**
   * @param {GridTerm} term
   * @param {number | null} number
   */
  async send({source, target, variants, status, case: capitals, matching, note}, number) {
    setText(this.problem, '');
    const reply = await this.tools.change(
      'term_edit',
      {glossary: this.base.id, number, source, target, variants, status, case: capitals, matching, note},
      t('grid.changed', {source, target}),
    );
    if (!reply) setText(this.problem, t('grid.not_changed', {source, target}));
    return reply;
  }

  async add() {
    /** @type {GridTerm} */
    const term = {
      source: this.source.value,
      target: this.target.value,
      variants: [],
      status: 'preferred',
      case: 'permissive',
      matching: 'exact',
      note: '',
    };
    if (!(await this.send(term, null))) return;
    this.source.value = this.target.value = '';
    this.source.focus();
    this.reset(true);
  }

  async remove() {
    const row = this.rows.get(this.at[0]);
    if (!row) return;
    const result = await this.tools.change(
      'term_remove',
      {glossary: this.base.id, number: row.number},
      t('grid.removed', {source: row.source}),
    );
    if (result) this.reset(true);
  }
}

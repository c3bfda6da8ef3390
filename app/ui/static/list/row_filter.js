/* The filter and the search of the list, with their buttons and their field. */
import {button, count, h, icon, setText, sr, t} from '../core/dom.js';
import {finderOf} from '../core/finder.js';
import {hint, shortcut} from '../core/key_bindings.js';
import {choice, group, menu} from '../core/menu.js';
import {openGoTo} from '../dialogs/go_to.js';
import {openReplace} from '../dialogs/replace.js';
import {isOpen, isToReview, matchOf} from './row.js';

const MANY_ROWS = 2000; // with more rows, the search waits for a pause in typing
const SEARCH_PAUSE_MS = 180;
/** @type {Record<string, [icon: string, isShown: (row: Row, person: string) => boolean]>} */
const FILTERS = {
  all: ['list', () => true],
  mine: ['person', (row, person) => Boolean(person) && row.assignee === person],
  open: ['todo', isOpen],
  edited: ['draft', row => row.state === 'edited' && !row.is_locked],
  confirmed: ['confirmed', row => row.state === 'confirmed' && !row.is_locked],
  to_review: ['queued', isToReview],
  approved: ['approved', row => row.review === 'approved' && !row.is_locked],
  returned: ['undo', row => row.review === 'returned' && !row.is_locked],
  locked: ['locked', row => row.is_locked],
  attention: ['problem', row => Boolean(row.attention)],
  commented: ['comment', row => row.is_commented],
  exact: ['memory', row => matchOf(row) === 100],
  fuzzy: ['similar', row => matchOf(row) > 0 && matchOf(row) < 100],
};
/** @typedef {import('../core/finder.js').Finder} Finder */
/**
 * What each order compares; null is the order of the document.
 * @type {Record<string, ((row: Row) => string | number) | null>}
 */
const ORDERS = {
  document: null,
  source: row => row.source,
  target: row => row.target ?? '',
  longest: row => -row.source.length,
  match: row => -matchOf(row),
  unsure: row => row.score ?? 0,
};
const collator = new Intl.Collator(undefined, {numeric: true});
const CROWDED = ['crowded', 'packed']; // classes under which most filters, or all but the chosen one, are shown without their names
const OF_REVIEW = new Set(['to_review', 'approved', 'returned']); // shown in projects with review
const OF_MEMORY = new Set(['exact', 'fuzzy']);
const IF_ANY = new Set([...OF_MEMORY, 'mine', 'locked']); // filters that are shown once there is a row for them

export class RowFilter {
  /**
   * @param {Bench} bench
   * @param {{onFilter: (name: string) => void, onSearch: () => void, onGo: () => void}} calls `onSearch`: another text to
   *   search for; `onGo`: to the next segment that was found
   */
  constructor(bench, {onFilter, onSearch, onGo}) {
    this.bench = bench;
    this.onSearch = onSearch;
    this.onFilter = onFilter;
    this.name = 'all';
    this.counts = /** @type {SuccessReply['counts']} */ ({});
    this.hasReview = false;
    /** @type {Finder | null} */
    this.finder = null;
    this.isPattern = false;
    this.sorting = 'document';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.searchTimer = undefined;
    this.chips = Object.entries(FILTERS).map(([name, [iconName]]) => {
      const counter = h('span.n.num');
      const chip = button(
        '',
        {
          'aria-pressed': String(name === this.name),
          'data-filter': name,
          hidden: IF_ANY.has(name) || OF_REVIEW.has(name),
          onclick: () => onFilter(name),
          title: t(OF_MEMORY.has(name) ? `filter.${name}.title` : `filter.${name}`),
        },
        icon(iconName, true),
        h('span.t', t(`filter.${name}`)),
        counter,
      );
      return {name, chip, counter};
    });
    this.searchField = h('input', {
      type: 'search',
      placeholder: t('search.placeholder'),
      ...shortcut('search'),
      oninput: () => {
        clearTimeout(this.searchTimer);
        const {rows, joined} = this.bench;
        const numRows = joined.documents.others.reduce((sum, one) => sum + one.order.length, rows.length);
        this.searchTimer = setTimeout(() => this.search(), numRows > MANY_ROWS ? SEARCH_PAUSE_MS : 0);
      },
      onkeydown: event => {
        if (event.key === 'Enter' && !event.isComposing && !event.ctrlKey) {
          event.preventDefault();
          event.stopPropagation();
          this.search();
          onGo();
        }
        if (event.key === 'Escape') {
          event.preventDefault();
          this.clearSearch();
          this.bench.focusEditor();
        }
      },
    });
    this.foundCount = h('span.found.num', {role: 'status'});
    this.filters = h(
      'div.seg',
      {role: 'group', 'aria-label': t('filter.label')},
      this.chips.map(c => c.chip),
    );
    this.element = h(
      'div.tools',
      this.filters,
      h('label.search', sr(t('search.label')), icon('search'), this.searchField, this.foundCount, hint('search')),
      menu(
        t('list.options'),
        button('.btn.iconly', {title: t('list.options'), 'aria-label': t('list.options')}, icon('swap')),
        () => this.#options(),
      ),
    );
    new ResizeObserver(() => this.#fit()).observe(this.element);
  }

  /** Reads the search text. */
  search() {
    clearTimeout(this.searchTimer);
    const {value} = this.searchField;
    this.finder = finderOf(value, this.isPattern);
    const isWrong = Boolean(value.trim()) && !this.finder;
    this.searchField.setAttribute('aria-invalid', String(isWrong));
    this.onSearch();
    if (isWrong) setText(this.foundCount, t('search.wrong'));
  }

  /** The choices of how the list is searched and sorted. */
  #options() {
    /**
     * @param {string} role
     * @param {string} key
     * @param {boolean} isOn
     * @param {() => void} act
     */
    const option = (role, key, isOn, act) => {
      const element = choice(isOn ? 'check' : '', t(key), null, act);
      element.setAttribute('role', role);
      element.setAttribute('aria-checked', String(isOn));
      return element;
    };
    const pattern = option('menuitemcheckbox', 'search.pattern', this.isPattern, () => {
      this.isPattern = !this.isPattern;
      this.searchField.placeholder = t(this.isPattern ? 'search.pattern' : 'search.placeholder');
      this.search();
      this.searchField.focus();
    });
    const orders = Object.keys(ORDERS).map(name =>
      option('menuitemradio', `sort.${name}`, name === this.sorting, () => {
        this.sorting = name;
        this.onSearch();
        this.bench.focusEditor();
      }),
    );
    const replace = choice('swap', t('keys.replace'), null, () => openReplace(this.bench));
    const goTo = choice('search', t('keys.goto'), null, () => openGoTo(this.bench));
    replace.append(hint('replace'));
    goTo.append(hint('goto'));
    return [group(t('search.placeholder'), pattern, replace, goTo), group(t('sort.label'), ...orders)];
  }

  /**
   * Segments in the chosen order; those that are equal in it stay in the order of the document.
   * @param {number[]} indices in the order of the document
   * @param {Row[]} [rows] those of another document
   */
  sorted(indices, rows = this.bench.rows) {
    const key = ORDERS[this.sorting];
    if (!key) return indices;
    const keyed = indices.map(index => ({index, key: key(rows[index])}));
    keyed.sort((a, b) =>
      typeof a.key === 'string' ? collator.compare(a.key, String(b.key)) : Number(a.key) - Number(b.key),
    );
    return keyed.map(({index}) => index);
  }

  /** @param {string} name */
  choose(name) {
    this.name = name;
    this.chips.forEach(c => c.chip.setAttribute('aria-pressed', String(c.name === name)));
  }

  /** What is shown, for `restore`. */
  kept() {
    return {filter: this.name, search: this.searchField.value, isPattern: this.isPattern, sorting: this.sorting};
  }

  /**
   * Chooses what was shown when the person left the document; null: all segments. The list is rebuilt afterwards.
   * @param {ReturnType<RowFilter['kept']> | null} kept
   */
  restore(kept) {
    const {filter, search, isPattern, sorting} = kept ?? {filter: '', search: '', isPattern: false, sorting: ''};
    clearTimeout(this.searchTimer);
    this.choose(Object.hasOwn(FILTERS, filter) ? filter : 'all');
    this.sorting = Object.hasOwn(ORDERS, sorting) ? sorting : 'document';
    this.isPattern = isPattern === true;
    this.searchField.placeholder = t(this.isPattern ? 'search.pattern' : 'search.placeholder');
    this.searchField.value = typeof search === 'string' ? search : '';
    this.finder = finderOf(this.searchField.value, this.isPattern);
  }

  /** Ends the search. */
  clearSearch() {
    this.searchField.value = '';
    this.search();
  }

  /** @param {number} found */
  updateFound(found) {
    setText(this.foundCount, this.finder ? t('search.found', {n: count(found)}) : '');
  }

  /** How many rows of another document each filter shows. @param {JoinedDocument} other */
  #count(other) {
    const {person} = this.bench;
    const rows = other.order.map(index => /** @type {Row[]} */ (other.rows)[index]);
    const entries = Object.entries(FILTERS);
    return Object.fromEntries(
      entries.map(([name, [, isShown]]) => [name, rows.reduce((n, row) => n + Number(isShown(row, person)), 0)]),
    );
  }

  /** True if the list shows a part of the rows. */
  get isNarrow() {
    return this.name !== 'all' || this.finder !== null;
  }

  /**
   * @param {SuccessReply['counts']} [counts] those of the open document; by default, as they were before
   * @param {boolean} [hasReview] whether segments of the project are reviewed
   */
  updateCounts(counts = this.counts, hasReview = this.hasReview) {
    Object.assign(this, {counts, hasReview});
    if (!hasReview && OF_REVIEW.has(this.name)) this.onFilter('all');
    /** @type {Counts} */
    const byFilter = {...counts};
    const others = this.bench.joined.documents.others.filter(one => one.rows);
    for (const other of others) other.counts ??= this.#count(other);
    for (const {name, chip, counter} of this.chips) {
      const own = byFilter[name] ?? this.bench.rows.filter(row => FILTERS[name][1](row, this.bench.person)).length;
      const n = others.reduce((sum, one) => sum + (one.counts?.[name] ?? 0), own);
      setText(counter, String(n));
      if (OF_REVIEW.has(name)) chip.hidden = !hasReview;
      if (IF_ANY.has(name)) chip.hidden = !n && this.name !== name;
    }
    this.#fit();
  }

  /** Shows the names of as many filters as the row has room for. */
  #fit() {
    const {classList} = this.element;
    classList.remove(...CROWDED);
    for (const name of CROWDED) {
      if (this.filters.scrollWidth > this.filters.clientWidth) classList.add(name);
    }
  }

  /** @param {Row} row */
  matches(row) {
    return (
      FILTERS[this.name][1](row, this.bench.person) &&
      (!this.finder || this.finder.matches(row.source) || this.finder.matches(row.target || ''))
    );
  }
}

/* The filter and the search of the list, with their buttons and their field. */
import {button, count, h, icon, setText, sr, t} from '../core/dom.js';
import {foldedLower} from '../core/folding.js';
import {hint, shortcut} from '../core/key_bindings.js';
import {matchOf} from './row.js';

const MANY_ROWS = 2000; // with more rows, the search waits for a pause in typing
const SEARCH_PAUSE_MS = 180;
/** @type {Record<string, [icon: string, isShown: (row: Row, person: string) => boolean]>} */
const FILTERS = {
  all: ['list', () => true],
  mine: ['person', (row, person) => Boolean(person) && row.assignee === person],
  open: ['todo', row => row.state !== 'confirmed'],
  edited: ['draft', row => row.state === 'edited'],
  confirmed: ['confirmed', row => row.state === 'confirmed'],
  to_review: ['queued', row => row.state === 'confirmed' && row.review !== 'approved'],
  approved: ['approved', row => row.review === 'approved'],
  returned: ['undo', row => row.review === 'returned'],
  attention: ['problem', row => Boolean(row.attention)],
  commented: ['comment', row => row.is_commented],
  exact: ['memory', row => matchOf(row) === 100],
  fuzzy: ['similar', row => matchOf(row) > 0 && matchOf(row) < 100],
};
const MANY_FILTERS = 7; // more than fit with their names beside the search, in most windows
const OF_REVIEW = new Set(['to_review', 'approved', 'returned']); // shown in projects with review
const OF_MEMORY = new Set(['exact', 'fuzzy']);
const IF_ANY = new Set([...OF_MEMORY, 'mine']); // filters that are shown once there is a row for them

export class RowFilter {
  /**
   * @param {Pick<Bench, 'focusEditor' | 'person' | 'rows'>} bench
   * @param {{onFilter: (name: string) => void, onSearch: () => void, onGo: () => void}} calls `onSearch`: another text to
   *   search for; `onGo`: to the next segment that was found
   */
  constructor(bench, {onFilter, onSearch, onGo}) {
    this.bench = bench;
    this.onSearch = onSearch;
    this.onFilter = onFilter;
    this.name = 'all';
    this.query = '';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.searchTimer = undefined;
    this.chips = Object.entries(FILTERS).map(([name, [iconName]]) => {
      const counter = h('span.n.num', {});
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
        h('span.t', {}, t(`filter.${name}`)),
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
        this.searchTimer = setTimeout(() => this.search(), this.bench.rows.length > MANY_ROWS ? SEARCH_PAUSE_MS : 0);
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
    this.element = h(
      'div.tools',
      {},
      h(
        'div.seg',
        {role: 'group', 'aria-label': t('filter.label')},
        this.chips.map(c => c.chip),
      ),
      h('label.search', {}, sr(t('search.label')), icon('search'), this.searchField, this.foundCount, hint('search')),
    );
  }

  /** Reads the search text. */
  search() {
    clearTimeout(this.searchTimer);
    this.query = foldedLower(this.searchField.value.trim());
    this.onSearch();
  }

  /** @param {string} name */
  choose(name) {
    this.name = name;
    this.chips.forEach(c => c.chip.setAttribute('aria-pressed', String(c.name === name)));
  }

  /** Ends the search. */
  clearSearch() {
    this.searchField.value = '';
    this.search();
  }

  /** @param {number} found */
  updateFound(found) {
    setText(this.foundCount, this.query ? t('search.found', {n: count(found)}) : '');
  }

  /**
   * @param {SuccessReply['counts']} counts
   * @param {boolean} hasReview whether segments of the project are reviewed
   */
  updateCounts(counts, hasReview) {
    if (!hasReview && OF_REVIEW.has(this.name)) this.onFilter('all');
    /** @type {Counts} */
    const byFilter = {...counts};
    for (const {name, chip, counter} of this.chips) {
      const n = byFilter[name] ?? this.bench.rows.filter(row => FILTERS[name][1](row, this.bench.person)).length;
      setText(counter, String(n));
      if (OF_REVIEW.has(name)) chip.hidden = !hasReview;
      if (IF_ANY.has(name)) chip.hidden = !n && this.name !== name;
    }
    this.element.classList.toggle('crowded', this.chips.filter(c => !c.chip.hidden).length >= MANY_FILTERS);
  }

  /** @param {Row} row */
  matches(row) {
    return (
      FILTERS[this.name][1](row, this.bench.person) &&
      (!this.query ||
        foldedLower(row.source).includes(this.query) ||
        foldedLower(row.target || '').includes(this.query))
    );
  }
}

/* The segment list: filters, search, and rows in blocks that are filled only near the window. The editor is one row. */
import {withChips} from '../core/chips.js';
import {button, count, h, icon, number, setText, sr, t, textIn, tn} from '../core/dom.js';
import {hint, shortcut} from '../core/key_bindings.js';
import {shownWith} from '../core/unseen.js';

const BLOCK_ROWS = 50;
const MANY_ROWS = 2000; // with more rows, the search waits for a pause in typing
const SEARCH_PAUSE_MS = 180;
const TWO_LINES = 45; // pixels: lower rows show one line
/** @type {Record<string, [icon: string, isShown: (row: Row) => boolean]>} */
const FILTERS = {
  all: ['list', () => true],
  open: ['todo', row => row.state !== 'confirmed'],
  edited: ['draft', row => row.state === 'edited'],
  confirmed: ['confirmed', row => row.state === 'confirmed'],
  attention: ['problem', row => Boolean(row.attention)],
  commented: ['comment', row => row.is_commented],
  exact: ['memory', row => matchOf(row) === 100],
  fuzzy: ['similar', row => matchOf(row) > 0 && matchOf(row) < 100],
};
const OF_MEMORY = new Set(['exact', 'fuzzy']); // filters that are shown once there is a match
const ICONS = {new: 'todo', pretranslated: 'proposal', edited: 'draft', confirmed: 'confirmed'};

/**
 * The rate of the match of the memory that a row shows, in percent; 0 without one.
 * @param {Row} row
 */
const matchOf = row => (row.source && (row.is_from_memory || row.state !== 'confirmed') ? row.match_rate : 0);

/**
 * The icon of a row, and the name of its state.
 * @param {Row} row
 */
export const rowState = row => ({
  icon: row.attention ? 'problem' : row.is_queued ? 'queued' : ICONS[row.state],
  label:
    t(`state.${row.is_queued && row.state === 'new' ? 'queued' : row.state}`) +
    (row.attention ? `. ${row.attention}` : ''),
});

/**
 * What is special about a row, most important first; an untouched proposal has its match in the memory, else its score.
 * `title` is a sentence for what is shown, if that is not a sentence itself.
 * @param {Row} row
 * @returns {[icon: string, text: string, colour: string, title?: string]}
 */
const badge = row => {
  if (row.attention) return ['problem', row.attention, '.warn'];
  if (row.num_pins) return ['lock', tn('meta.pins', row.num_pins), '.pinned'];
  if (row.is_repetition) return ['redo', t('meta.repetition'), ''];
  if (row.is_from_memory)
    return ['memory', t('meta.memory', {n: row.match_rate}), '.match', t('meta.filled', {n: row.match_rate})];
  if (row.state === 'edited') return ['draft', t('meta.edited'), ''];
  if (row.match_rate && row.state !== 'confirmed')
    return ['memory', t('memory.rate', {n: row.match_rate}), '.match', t('meta.match', {n: row.match_rate})];
  return ['', row.state === 'pretranslated' && row.score != null ? number(row.score, 2) : '', ''];
};

export class SegmentList {
  /**
   * @param {Pick<Bench, 'connection' | 'focusEditor' | 'languages' | 'numberOf' | 'numbers' | 'openSegment' | 'order' |
   *   'rows' | 'session'>} bench
   * @param {HTMLElement} host
   */
  constructor(bench, host) {
    this.bench = bench;
    this.filter = 'all';
    this.query = '';
    /** @type {number[]} */
    this.visible = [];
    /** @type {ListBlock[]} */
    this.blocks = [];
    this.elements = new Map(); // index -> row element, for rows that are built
    this.scroll = h('div.scroll', {tabindex: -1}, h('h1.sr', {}, t('list.heading')));
    this.body = h('div', {});
    this.scroll.append(this.body);
    this.editorItem = h('li', {});
    this.watchEditor();
    this.observer = new IntersectionObserver(
      entries =>
        entries.forEach(({target, isIntersecting}) => {
          const {block} = /** @type {ListBlock['element']} */ (target);
          if (block) this.near(block, isIntersecting);
        }),
      {root: this.scroll, rootMargin: '800px 0px'},
    );
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.searchTimer = undefined;
    this.chips = Object.entries(FILTERS).map(([name, [iconName]]) => {
      const counter = h('span.n.num', {});
      const chip = button(
        '',
        {
          'aria-pressed': String(name === this.filter),
          hidden: OF_MEMORY.has(name),
          onclick: () => this.setFilter(name),
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
          this.goToFound();
        }
        if (event.key === 'Escape') {
          event.preventDefault();
          this.searchField.value = '';
          this.search();
          this.bench.focusEditor();
        }
      },
    });
    this.foundCount = h('span.found.num', {role: 'status'});
    const tools = h(
      'div.tools',
      {},
      h(
        'div.seg',
        {role: 'group', 'aria-label': t('filter.label')},
        this.chips.map(c => c.chip),
      ),
      h('label.search', {}, sr(t('search.label')), icon('search'), this.searchField, this.foundCount, hint('search')),
    );
    host.append(tools, this.scroll);
    this.body.addEventListener('click', event => {
      const row = /** @type {HTMLElement} */ (event.target).closest('.row');
      if (row) bench.openSegment(Number(row.getAttribute('data-index')));
    });
  }

  search() {
    clearTimeout(this.searchTimer);
    this.query = this.searchField.value.trim().toLowerCase();
    this.rebuild();
  }

  /**
   * Shows the rows of a filter at once, and again when the commands that were sent before it are answered: a segment that
   * is just being confirmed belongs to "Confirmed".
   * @param {string} name
   */
  async setFilter(name) {
    this.filter = name;
    this.chips.forEach(c => c.chip.setAttribute('aria-pressed', String(c.name === name)));
    this.applyFilter();
    const {connection, session} = this.bench;
    const {open} = session;
    const {query} = this;
    if (!connection.line.length) return;
    await connection.settled();
    if (this.filter === name && this.query === query && session.open === open) this.applyFilter();
  }

  /** Ends search and filter. */
  showAll() {
    this.searchField.value = '';
    this.search();
    this.setFilter('all');
    this.bench.focusEditor();
  }

  /** Opens a segment that matches the filter if the open one does not, and lays out the rows. */
  applyFilter() {
    const {rows, session} = this.bench;
    const open = rows[session.open];
    const found = this.bench.order.filter(index => this.matches(rows[index]));
    const next = found.find(index => index > session.open) ?? found[0];
    if (open && !this.matches(open) && next !== undefined) this.bench.openSegment(next); // it does not belong here
    this.rebuild();
    this.scrollToOpen();
  }

  /** Opens the next segment that matches the search; after the last, the first. */
  goToFound() {
    const {rows, session} = this.bench;
    const found = this.visible.filter(index => this.matches(rows[index]));
    const at = this.visible.indexOf(session.open);
    const next = found.find(index => this.visible.indexOf(index) > at) ?? found[0];
    if (next !== undefined) this.bench.openSegment(next);
  }

  /** @param {SuccessReply['counts']} counts */
  updateCounts(counts) {
    /** @type {Counts} */
    const byFilter = {...counts};
    for (const {name, chip, counter} of this.chips) {
      const n = byFilter[name] ?? this.bench.rows.filter(FILTERS[name][1]).length;
      setText(counter, String(n));
      if (OF_MEMORY.has(name)) chip.hidden = !n && this.filter !== name;
    }
  }

  /** @param {Row} row */
  matches(row) {
    return (
      FILTERS[this.filter][1](row) &&
      (!this.query ||
        row.source.toLowerCase().includes(this.query) ||
        (row.target || '').toLowerCase().includes(this.query))
    );
  }

  /** Selects and lays out the rows of another document, filter or query; the focus stays in the editor. */
  rebuild() {
    const {rows, session} = this.bench;
    const {activeElement} = document;
    const focused =
      activeElement instanceof HTMLElement && this.editorItem.contains(activeElement) ? activeElement : null;
    this.visible = this.bench.order.filter(index => index === session.open || this.matches(rows[index]));
    this.observer.disconnect();
    this.elements.clear();
    this.blocks = [];
    for (let first = 0; first < this.visible.length; first += BLOCK_ROWS) {
      const indices = this.visible.slice(first, first + BLOCK_ROWS);
      /** @type {ListBlock} */
      const block = {indices, isFilled: false, element: h('ol', {start: this.bench.numberOf(indices[0])})};
      block.element.block = block;
      this.blocks.push(block);
    }
    this.body.replaceChildren(...this.blocks.map(b => b.element));
    const found = this.visible.length - (rows[session.open] && !this.matches(rows[session.open]) ? 1 : 0);
    setText(this.foundCount, this.query ? t('search.found', {n: count(found)}) : '');
    if (!found)
      this.body.append(
        h('p.empty', {}, t('list.empty'), ' ', button('.link', {onclick: () => this.showAll()}, t('list.show_all'))),
      );
    for (const block of this.blocks) {
      this.reserve(block);
      if (block.indices.includes(session.open)) this.fill(block);
      this.observer.observe(block.element);
    }
    focused?.focus({preventScroll: true}); // moving an element takes its focus
  }

  /** @param {ListBlock} block */
  reserve(block) {
    block.element.style.blockSize = `calc(${block.indices.length} * var(--row))`;
  }

  /**
   * @param {ListBlock} block
   * @param {boolean} isNear
   */
  near(block, isNear) {
    if (isNear) this.fill(block);
    else if (block.isFilled && !block.indices.includes(this.bench.session.open)) this.empty(block);
  }

  /** @param {ListBlock} block */
  fill(block) {
    if (block.isFilled) return;
    block.isFilled = true;
    block.element.style.blockSize = '';
    block.element.replaceChildren(
      ...block.indices.map(index => (index === this.bench.session.open ? this.editorItem : this.buildItem(index))),
    );
  }

  /** @param {ListBlock} block */
  empty(block) {
    block.isFilled = false;
    block.indices.forEach(index => this.elements.delete(index));
    block.element.replaceChildren();
    this.reserve(block);
  }

  /** @param {number} index */
  buildItem(index) {
    const item = h('li', {});
    this.elements.set(index, item);
    this.paintItem(item, this.bench.rows[index]);
    return item;
  }

  /**
   * @param {HTMLElement} item
   * @param {Row} row
   */
  paintItem(item, row) {
    const {icon: iconName, label} = rowState(row);
    const {session, languages} = this.bench;
    const ownNumber = this.bench.numberOf(row.index);
    const isNear = session.open !== null && Math.abs(ownNumber - this.bench.numberOf(session.open)) === 1;
    const isTodo = row.state === 'new' || row.state === 'pretranslated';
    const [badgeIcon, meta, colour, title] = badge(row);
    /** @param {string} text */
    const draw = text => withChips(text, row.tags, part => shownWith(part, this.query));
    item.replaceChildren(
      button(
        `.row${isNear ? '.near' : ''}${isTodo ? '.todo' : ''}`,
        {'data-index': row.index, 'data-state': row.state},
        h('span.no.num', {}, String(ownNumber)),
        h(`span.st.${iconName}`, {title: label}, icon(iconName), sr(`${label}. `)),
        h('span.src', textIn(languages.source), draw(row.source)),
        row.target != null
          ? h('span.tgt', textIn(languages.target), draw(row.target))
          : h('span.tgt.wait', {}, row.is_queued ? t('state.queued') : row.attention ? t('row.failed') : '\u2013'),
        h(
          `span.meta.num${colour}`,
          {title: title ?? (badgeIcon ? meta : meta && t('meta.score'))},
          row.is_commented
            ? h('span.mark', {title: t('comment.mark')}, icon('comment', true), sr(`${t('comment.mark')}. `))
            : null,
          badgeIcon ? icon(badgeIcon, true) : null,
          title ? [h('span', {'aria-hidden': 'true'}, meta), sr(title)] : meta,
        ),
      ),
    );
  }

  /**
   * Repaints a row. A row that does not match the filter any more stays until the filter changes.
   * @param {Row} row
   * @param {{keepsHeight?: boolean}} [options] `keepsHeight`: a longer text does not move the rows below
   */
  updateRow(row, {keepsHeight = false} = {}) {
    const item = this.elements.get(row.index);
    if (!item || row.index === this.bench.session.open) return;
    const hadFocus = item.contains(document.activeElement);
    const isNear = item.firstChild.classList.contains('near');
    const height = keepsHeight && isNear ? item.firstChild.offsetHeight : 0;
    this.paintItem(item, row);
    if (height) {
      item.firstChild.style.blockSize = `${height}px`;
      item.firstChild.classList.toggle('one', height < TWO_LINES);
    }
    if (hadFocus) item.firstChild.focus({preventScroll: true});
  }

  /**
   * Moves the editor to the open segment; the previous segment becomes a row again.
   * @param {number | null} previous
   * @param {HTMLElement} editor
   */
  moveEditor(previous, editor) {
    const {session, rows} = this.bench;
    this.editorItem.replaceChildren(editor);
    if (session.open !== null && !this.visible.includes(session.open)) {
      this.rebuild();
      return;
    }
    if (previous !== null && previous !== session.open) {
      const block = this.blocks.find(b => b.indices.includes(previous));
      if (block?.isFilled) {
        const item = this.buildItem(previous);
        if (this.editorItem.parentElement === block.element) this.editorItem.replaceWith(item);
      }
    }
    const block = this.blocks.find(b => b.indices.includes(session.open));
    if (block) {
      this.fill(block);
      const item = this.elements.get(session.open);
      if (item) {
        item.replaceWith(this.editorItem);
        this.elements.delete(session.open);
      }
    }
    const {order, numbers} = this.bench;
    const places = [previous, session.open].flatMap(index => {
      const number = index === null ? undefined : numbers.get(index);
      return number === undefined ? [] : [number - 1];
    });
    for (const place of new Set(places.flatMap(k => [k - 1, k, k + 1])))
      if (order[place] !== undefined) this.updateRow(rows[order[place]]);
  }

  /** Keeps the editor at the same height of the window: three rows above it, in a low window one. */
  scrollToOpen() {
    if (!this.editorItem.isConnected) return;
    this.scroll.scrollTop += this.tooLow();
    this.isArriving = true;
    this.showField();
  }

  /** In a low window or at large zoom, the edit field is more important than the elements above it. */
  showField() {
    const field = this.editorItem.querySelector('.field')?.getBoundingClientRect();
    const box = this.scroll.getBoundingClientRect();
    if (field) this.scroll.scrollTop += Math.max(0, Math.min(field.bottom - box.bottom, field.top - box.top));
  }

  /** How many pixels the editor is below its height of the window. It has fewer rows above it if its end would be hidden. */
  tooLow() {
    const position = this.visible.indexOf(this.bench.session.open);
    const keep = Math.min(position, innerHeight < 760 ? 1 : 3);
    const room = this.scroll.clientHeight - this.editorItem.offsetHeight;
    let above = 0;
    for (let k = 1; k <= keep; k++) {
      const height = this.elements.get(this.visible[position - k])?.offsetHeight || 31;
      if (k > 1 && above + height > room) break;
      above += height;
    }
    return this.editorItem.getBoundingClientRect().top - this.scroll.getBoundingClientRect().top - above;
  }

  /** Scrolls down to details that arrive after the segment was opened, until the person uses the pointer or a key. */
  watchEditor() {
    new ResizeObserver(() => {
      const below = this.editorItem.getBoundingClientRect().bottom - this.scroll.getBoundingClientRect().bottom;
      if (this.isArriving && below > 0) this.scroll.scrollTop += Math.max(0, Math.min(below, this.tooLow()));
      if (this.isArriving) this.showField();
    }).observe(this.editorItem);
    for (const name of ['pointerdown', 'keydown', 'wheel'])
      this.scroll.addEventListener(
        name,
        () => {
          this.isArriving = false;
        },
        {passive: true},
      );
  }

  /**
   * The segment shown before (-1) or after (+1) the open one, or null.
   * @param {number} step
   */
  neighbour(step) {
    return this.visible[this.visible.indexOf(this.bench.session.open) + step] ?? null;
  }

  /**
   * The segment that "confirm and next" opens: the next unconfirmed one in the list, else the first in the document.
   * @param {number} from
   */
  nextUnconfirmed(from) {
    /** @param {number} index */
    const isOpen = index => this.bench.rows[index].state !== 'confirmed' && index !== from;
    return this.visible.slice(this.visible.indexOf(from) + 1).find(isOpen) ?? this.bench.order.find(isOpen) ?? null;
  }
}

/* The segment list: rows in blocks that are filled only near the window. The editor is one row. In the joined list, each
   document has a section with a heading; rows of the documents that are not open can only be read. */
import {button, h, sr, t} from '../core/dom.js';
import {DocumentSections} from './document_sections.js';
import {isOpen, isToReview, rowElement, withoutReview} from './row.js';
import {RowFilter} from './row_filter.js';
import {RowSelection} from './row_selection.js';

const BLOCK_ROWS = 50;
const NUM_NEAR = 3; // rows on each side of the open segment that show their whole text

/**
 * The text of a mark for people: the initials of one person, or the number of several.
 * @param {string[]} names
 */
const initials = names =>
  names.length > 1
    ? String(names.length)
    : names[0]
        .split(/\s+/)
        .slice(0, 2)
        .map(word => [...word][0]?.toLocaleUpperCase() ?? '')
        .join('');

export class SegmentList {
  /**
   * @param {Bench} bench
   * @param {HTMLElement} host
   */
  constructor(bench, host) {
    this.bench = bench;
    /** @type {number[]} */
    this.visible = [];
    /** @type {ListBlock[]} */
    this.blocks = [];
    this.sections = new DocumentSections(one => bench.joined.documents.load(one)); // of the joined list
    /** @type {Set<number>} */
    this.nearRows = new Set();
    /** @type {{document: JoinedDocument | null, index: number} | undefined} */
    this.tabStop = undefined; // the only row that Tab leads to; arrow keys lead to the others
    this.elements = new Map(); // index -> row element, for rows that are built
    /** @type {Map<number, string[]>} */
    this.people = new Map(); // index -> names of the other people who are there
    this.scroll = h('div.scroll', {tabindex: -1}, h('h1.sr', t('list.heading')));
    this.body = h('div');
    this.scroll.append(this.body);
    this.editorItem = h('li');
    this.watchEditor();
    this.observer = new IntersectionObserver(
      entries =>
        entries.forEach(({target, isIntersecting}) => {
          const {block} = /** @type {ListBlock['element']} */ (target);
          if (block) this.near(block, isIntersecting);
        }),
      {root: this.scroll, rootMargin: '800px 0px'},
    );
    this.filter = new RowFilter(bench, {
      onFilter: name => this.setFilter(name),
      onSearch: () => this.rebuild(),
      onGo: () => this.goToFound(),
    });
    this.selection = new RowSelection(bench, {
      visible: () => this.visible,
      itemOf: index => (index === bench.session.open ? this.editorItem : this.elements.get(index)),
      onChange: isOn => {
        this.filter.element.hidden = isOn;
      },
    });
    host.append(this.filter.element, this.selection.element, this.selection.announcement, this.scroll);
    this.body.addEventListener('keydown', event => this.onKey(event));
    this.body.addEventListener('focusin', event => this.onFocus(event));
    this.body.addEventListener('click', event => {
      const row = /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (event.target).closest('.row'));
      if (!row) return;
      const {document: other} = this.#placeOf(row);
      if (event.shiftKey && !other) {
        this.selection.extend(Number(row.getAttribute('data-index')), bench.session.open);
        row.focus({preventScroll: true});
        return;
      }
      this.selection.close(false);
      bench.goTo(other?.session ?? bench.document.session, Number(row.getAttribute('data-index')));
    });
  }

  /** The block of a row. @param {Element} row */
  #placeOf(row) {
    return /** @type {ListBlock} */ (/** @type {ListBlock['element']} */ (row.closest('ol')).block);
  }

  /**
   * Arrow keys move between the rows, and to the open segment; with Shift they select rows.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = /** @type {HTMLElement} */ (event.target).closest('.row');
    if (!row) return;
    const own = this.#placeOf(row);
    if (this.selection.isOn && (event.key === 'Escape' || (event.key === 'Tab' && !event.shiftKey))) {
      event.preventDefault();
      if (event.key === 'Tab') this.selection.focus();
      else this.selection.close();
      return;
    }
    if (event.shiftKey) {
      if (!own.document) this.#selectByKey(event, Number(row.getAttribute('data-index')));
      return;
    }
    const at = own.indices.indexOf(Number(row.getAttribute('data-index')));
    const [first, last] = [this.blocks[0], this.blocks[this.blocks.length - 1]];
    const [before, after] = [-1, 1].map(step => this.blocks[this.blocks.indexOf(own) + step]);
    /** @type {Record<string, [ListBlock | undefined, number | undefined]>} */
    const places = {
      ArrowDown: own.indices.length > at + 1 ? [own, own.indices[at + 1]] : [after, after?.indices[0]],
      ArrowUp: at > 0 ? [own, own.indices[at - 1]] : [before, before?.indices.at(-1)],
      Home: [first, first.indices[0]],
      End: [last, last.indices.at(-1)],
    };
    const [block, index] = places[event.key] ?? [];
    if (!block || index === undefined) return;
    event.preventDefault();
    if (index === this.bench.session.open && !block.document) {
      this.bench.focusEditor();
      return;
    }
    this.fill(block);
    const other = block.element.querySelector(`[data-index="${index}"]`);
    other?.focus({preventScroll: true});
    other?.scrollIntoView({block: 'nearest'});
  }

  /**
   * Selects the rows up to the next one; the open segment, where the keys write text, is passed over.
   * @param {KeyboardEvent} event
   * @param {number} from
   */
  #selectByKey(event, from) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    const {visible} = this;
    let at = visible.indexOf(from) + step;
    if (visible[at] === this.bench.session.open) at += step;
    const to = visible[at] ?? visible[at - step];
    this.selection.extend(to, from);
    const block = this.blocks.find(one => !one.document && one.indices.includes(to));
    if (!block || to === this.bench.session.open) return;
    this.fill(block);
    const row = this.elements.get(to)?.firstChild;
    row?.focus({preventScroll: true});
    row?.scrollIntoView({block: 'nearest'});
  }

  /**
   * Tab leads back to the row that had the focus.
   * @param {FocusEvent} event
   */
  onFocus({target}) {
    const row = /** @type {HTMLElement} */ (target).closest('.row');
    if (!row) return;
    for (const other of this.body.querySelectorAll('.row[tabindex="0"]')) other.setAttribute('tabindex', '-1');
    row.setAttribute('tabindex', '0');
    this.tabStop = {document: this.#placeOf(row).document, index: Number(row.getAttribute('data-index'))};
  }

  /**
   * Shows the rows of a filter at once, and again when the commands that were sent before it are answered: a segment that
   * is just being confirmed belongs to "Confirmed".
   * @param {string} name
   */
  async setFilter(name) {
    const {filter} = this;
    filter.choose(name);
    this.applyFilter();
    const {connection, session} = this.bench;
    const {open} = session;
    const {finder} = filter;
    if (!connection.line.length) return;
    await connection.settled();
    if (filter.name === name && filter.finder === finder && session.open === open) this.applyFilter();
  }

  /** Ends search and filter. */
  showAll() {
    this.filter.clearSearch();
    this.setFilter('all');
    this.bench.focusEditor();
  }

  /** Opens a segment that matches the filter if the open one does not, and lays out the rows. */
  applyFilter() {
    const {rows, session} = this.bench;
    const open = rows[session.open];
    const found = this.filter.sorted(this.bench.order.filter(index => this.filter.matches(rows[index])));
    const next = found.find(index => index > session.open) ?? found[0];
    if (open && !this.filter.matches(open) && next !== undefined) this.bench.openSegment(next); // it does not belong here
    this.rebuild();
    this.scrollToOpen();
  }

  /** Opens the next segment that matches the search; after the last, the first. */
  async goToFound() {
    const {rows, session} = this.bench;
    const found = this.visible.filter(index => this.filter.matches(rows[index]));
    const at = this.visible.indexOf(session.open);
    const below = found.find(index => this.visible.indexOf(index) > at);
    const [elsewhere] = below === undefined ? this.bench.joined.documents.aroundFound() : [];
    const next = below ?? found[0];
    if (elsewhere) await this.bench.goTo(elsewhere.session, elsewhere.visible[0]);
    else if (next === undefined) return;
    else this.bench.openSegment(next);
    this.filter.searchField.focus(); // Enter goes on
  }

  /** Selects and lays out the rows of another document, filter or query; the focus stays in the editor. */
  rebuild() {
    const {rows, session} = this.bench;
    this.selection.close(false);
    const {activeElement} = document;
    const focused =
      activeElement instanceof HTMLElement && this.editorItem.contains(activeElement) ? activeElement : null;
    this.visible = this.filter.sorted(
      this.bench.order.filter(index => index === session.open || this.filter.matches(rows[index])),
    );
    this.observer.disconnect();
    this.elements.clear();
    this.sections.clear();
    const {joined} = this.bench;
    const own = this.#blocksOf(null, this.visible);
    if (joined.isOn) {
      this.blocks = [];
      this.body.replaceChildren();
      for (const one of joined.documents.list) {
        const isOwn = one.session === joined.documents.own;
        const blocks = isOwn ? own : this.#blocksOfOther(one);
        this.blocks.push(...blocks);
        this.body.append(this.sections.make(one, blocks, {isOpen: isOwn, isNarrow: this.filter.isNarrow}));
      }
      if (joined.documents.all.length === 1) this.body.append(h('p.empty', t('joined.alone')));
    } else {
      this.blocks = own;
      this.body.replaceChildren(...own.map(block => block.element));
    }
    this.#findNear();
    const found = this.#numFound();
    this.filter.updateFound(found);
    if (!found)
      this.body.append(
        h('p.empty', t('list.empty'), ' ', button('.link', {onclick: () => this.showAll()}, t('list.show_all'))),
      );
    for (const block of this.blocks) {
      this.reserve(block);
      if (this.#hasEditor(block)) this.fill(block);
      this.observer.observe(block.element);
    }
    focused?.focus({preventScroll: true}); // moving an element takes its focus
  }

  /** How many rows match the filter and the search. */
  #numFound() {
    const {rows, session, joined} = this.bench;
    const isStranger = rows[session.open] && !this.filter.matches(rows[session.open]);
    const own = this.visible.length - (isStranger ? 1 : 0);
    return joined.documents.others.reduce((sum, one) => sum + one.visible.length, own);
  }

  /**
   * Lays out the rows while the editor stays where it is in the window.
   * @param {() => void} [layOut]
   */
  rebuildInPlace(layOut = () => this.rebuild()) {
    const top = this.topOfEditor();
    layOut();
    this.scroll.scrollTop += this.topOfEditor() - top;
  }

  /**
   * Empty blocks for rows of the open document, or of another one of the joined list.
   * @param {JoinedDocument | null} other
   * @param {number[]} visible
   */
  #blocksOf(other, visible) {
    const blocks = [];
    for (let first = 0; first < visible.length; first += BLOCK_ROWS) {
      const indices = visible.slice(first, first + BLOCK_ROWS);
      const start = other ? other.numbers.get(indices[0]) : this.bench.numberOf(indices[0]);
      /** @type {ListBlock} */
      const block = {document: other, indices, isFilled: false, element: h('ol', {start})};
      block.element.block = block;
      blocks.push(block);
    }
    return blocks;
  }

  /** @param {JoinedDocument} other */
  #blocksOfOther(other) {
    const {rows, order} = other;
    other.visible = rows
      ? this.filter.sorted(
          order.filter(index => this.filter.matches(rows[index])),
          rows,
        )
      : [];
    return this.#blocksOf(other, other.visible);
  }

  /** @param {ListBlock} block */
  #hasEditor(block) {
    return !block.document && block.indices.includes(this.bench.session.open);
  }

  /* ---- the joined list ---- */
  /** The rows of another document are there, or have changed. @param {JoinedDocument} document */
  showRows(document) {
    const before = this.sections.of(document.session);
    if (!before) return;
    this.rebuildInPlace(() => {
      const focused = before.contains(globalThis.document.activeElement)
        ? globalThis.document.activeElement?.getAttribute('data-index')
        : null;
      const old = this.blocks.filter(block => block.document === document);
      for (const block of old) this.observer.unobserve(block.element);
      const blocks = this.#blocksOfOther(document);
      before.replaceWith(this.sections.make(document, blocks, {isOpen: false, isNarrow: this.filter.isNarrow}));
      const all = new Map(this.blocks.filter(block => !old.includes(block)).map(block => [block.element, block]));
      for (const block of blocks) {
        this.reserve(block);
        all.set(block.element, block);
        this.observer.observe(block.element);
      }
      this.blocks = [...this.body.querySelectorAll('ol')].flatMap(
        element => all.get(/** @type {HTMLOListElement} */ (element)) ?? [],
      );
      const block = focused && blocks.find(one => one.indices.includes(Number(focused)));
      if (block) {
        this.fill(block);
        block.element.querySelector(`[data-index="${focused}"]`)?.focus({preventScroll: true});
      }
    });
    this.filter.updateFound(this.#numFound());
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
    else if (block.isFilled && !this.#hasEditor(block)) this.empty(block);
  }

  /** @param {ListBlock} block */
  fill(block) {
    if (block.isFilled) return;
    block.isFilled = true;
    block.element.style.blockSize = '';
    block.element.replaceChildren(
      ...block.indices.map(index => {
        if (block.document) return h('li', this.#rowOf(block.document, index));
        return index === this.bench.session.open ? this.editorItem : this.buildItem(index);
      }),
    );
  }

  /** @param {ListBlock} block */
  empty(block) {
    block.isFilled = false;
    if (!block.document) block.indices.forEach(index => this.elements.delete(index));
    block.element.replaceChildren();
    this.reserve(block);
  }

  /** @param {number} index */
  buildItem(index) {
    const item = h('li');
    this.elements.set(index, item);
    this.paintItem(item, this.bench.rows[index]);
    return item;
  }

  /**
   * @param {HTMLElement} item
   * @param {Row} row
   */
  paintItem(item, row) {
    item.replaceChildren(this.#rowOf(null, row.index, row));
    this.markPeople(row.index, item);
    if (this.selection.chosen.has(row.index)) this.selection.mark(row.index, item);
  }

  /**
   * The row of a segment, of the open document or of another one.
   * @param {JoinedDocument | null} other
   * @param {number} index
   * @param {Row | undefined} [row]
   */
  #rowOf(other, index, row = other?.rows?.[index]) {
    const {languages, document} = this.bench;
    const shownRow = /** @type {Row} */ (row);
    return rowElement(document?.project.has_review ? shownRow : withoutReview(shownRow), {
      ownNumber: other ? (other.numbers.get(index) ?? index + 1) : this.bench.numberOf(index),
      isNear: !other && this.nearRows.has(index),
      isStop: index === this.tabStop?.index && other === this.tabStop.document,
      languages,
      finder: this.filter.finder,
    });
  }

  /**
   * Marks the segments in which other people are.
   * @param {PersonPlace[]} people
   */
  showPeople(people) {
    const before = this.people;
    this.people = new Map();
    for (const {name, segment} of people)
      this.people.set(segment, [...(this.people.get(segment) ?? []), name || t('people.owner')]);
    for (const index of new Set([...before.keys(), ...this.people.keys()]))
      if (String(before.get(index)) !== String(this.people.get(index))) this.markPeople(index);
  }

  /**
   * Shows in the item of a segment who is there; the mark lies over it and moves nothing.
   * @param {number | null} index
   * @param {HTMLElement | undefined} [item]
   */
  markPeople(index, item = index === this.bench.session.open ? this.editorItem : this.elements.get(index)) {
    item?.querySelector(':scope > .here')?.remove();
    const names = index === null ? undefined : this.people.get(index);
    if (!item || !names) return;
    const told = t('people.here', {names: names.join(', ')});
    item.append(h('span.here', {title: told}, h('span', {'aria-hidden': 'true'}, initials(names)), sr(told)));
  }

  /**
   * Repaints a row. A row that does not match the filter any more stays until the filter changes. A longer text above the
   * editor does not move the editor.
   * @param {Row} row
   */
  updateRow(row) {
    const item = this.elements.get(row.index);
    if (!item || row.index === this.bench.session.open) return;
    const hadFocus = item.contains(document.activeElement);
    const isAbove =
      this.nearRows.has(row.index) && item.compareDocumentPosition(this.editorItem) & Node.DOCUMENT_POSITION_FOLLOWING;
    const height = isAbove ? item.offsetHeight : 0; // others have one line, or move nothing
    this.paintItem(item, row);
    if (isAbove) this.scroll.scrollTop += item.offsetHeight - height;
    if (hadFocus) item.firstChild.focus({preventScroll: true});
  }

  /**
   * Moves the editor to the open segment; the previous segment becomes a row again.
   * @param {number | null} previous
   * @param {HTMLElement} editor
   */
  moveEditor(previous, editor) {
    const {session, rows} = this.bench;
    this.selection.close(false);
    this.editorItem.replaceChildren(editor);
    this.markPeople(session.open);
    if (session.open !== null && !this.visible.includes(session.open)) {
      this.rebuild();
      return;
    }
    if (previous !== null && previous !== session.open) {
      const block = this.#ownBlock(previous);
      if (block?.isFilled) {
        const item = this.buildItem(previous);
        if (this.editorItem.parentElement === block.element) this.editorItem.replaceWith(item);
      }
    }
    const block = this.#ownBlock(session.open);
    if (block) {
      this.fill(block);
      const item = this.elements.get(session.open);
      if (item) {
        item.replaceWith(this.editorItem);
        this.elements.delete(session.open);
      }
    }
    const before = this.nearRows;
    this.#findNear();
    for (const index of new Set([...before, ...this.nearRows])) this.updateRow(rows[index]);
  }

  /** @param {number} index */
  #ownBlock(index) {
    return this.blocks.find(block => !block.document && block.indices.includes(index));
  }

  /** Finds the rows around the open segment, which show their whole text. */
  #findNear() {
    const at = this.visible.indexOf(this.bench.session.open);
    this.nearRows = new Set(this.visible.slice(Math.max(0, at - NUM_NEAR), at + NUM_NEAR + 1));
    const own = this.visible[at + 1] ?? this.visible[at - 1];
    const other = this.blocks.find(block => block.document);
    if (own !== undefined) this.tabStop = {document: null, index: own};
    else this.tabStop = other && {document: other.document, index: other.indices[0]};
  }

  /** The height of the heading that stays in view above the rows; 0 without the joined list. */
  #headingHeight() {
    return this.sections.headingHeight(this.bench.document.session);
  }

  /** Keeps the editor at the same height of the window: three rows above it, in a low window one. */
  scrollToOpen() {
    if (!this.editorItem.isConnected) return;
    this.scroll.scrollTop += this.tooLow();
    this.isArriving = true;
    this.showField();
  }

  /** How far below the upper edge of the list the editor begins, in pixels. */
  topOfEditor() {
    return Math.round(this.editorItem.getBoundingClientRect().top - this.scroll.getBoundingClientRect().top);
  }

  /** Scrolls the beginning of the editor out from under the heading of its document. */
  uncover() {
    this.scroll.scrollTop -= Math.max(0, this.#headingHeight() - this.topOfEditor());
  }

  /**
   * Scrolls so that the editor begins there again.
   * @param {number} top what `topOfEditor` returned
   */
  scrollBack(top) {
    this.scroll.scrollTop += this.topOfEditor() - top;
    this.isArriving = false; // or details that arrive later would scroll down to the end of the editor
    if (top >= 0 && top < this.scroll.clientHeight) this.showField();
  }

  /** In a low window or at large zoom, the edit field is more important than the elements above it. */
  showField() {
    const field = this.editorItem.querySelector('.field')?.getBoundingClientRect();
    const box = this.scroll.getBoundingClientRect();
    if (field)
      this.scroll.scrollTop += Math.max(
        0,
        Math.min(field.bottom - box.bottom, field.top - box.top - this.#headingHeight()),
      );
  }

  /** The pixels by which the editor is too low. Fewer rows are kept above it if its end would be hidden. */
  tooLow() {
    const position = this.visible.indexOf(this.bench.session.open);
    const wanted = innerHeight < 760 ? 1 : 3;
    const keep = Math.min(position, wanted);
    const room = this.scroll.clientHeight - this.editorItem.offsetHeight;
    let above = this.#headingHeight();
    for (let k = 1; k <= keep; k++) {
      const height = this.elements.get(this.visible[position - k])?.offsetHeight || 31;
      if (k > 1 && above + height > room) break;
      above += height;
    }
    const own = this.blocks.findIndex(block => !block.document);
    const before = Math.min(wanted - keep, this.blocks[own - 1]?.indices.length ?? 0); // rows of another document
    const height = before * 31 + this.#headingHeight();
    if (before > 0 && above + height <= room) above += height;
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
    return this.nextBelow(from, isOpen) ?? this.firstThat(from, isOpen);
  }

  /**
   * The next segment with a confirmed text that is not approved, in the list or in the document.
   * @param {number} from
   */
  nextToReview(from) {
    return this.nextBelow(from, isToReview) ?? this.firstThat(from, isToReview);
  }

  /**
   * The next such segment below this one in the list, or null.
   * @param {number} from
   * @param {(row: Row) => boolean} isWanted
   */
  nextBelow(from, isWanted) {
    const {rows} = this.bench;
    return this.visible.slice(this.visible.indexOf(from) + 1).find(index => isWanted(rows[index])) ?? null;
  }

  /**
   * The first other such segment of the document, or null.
   * @param {number} from
   * @param {(row: Row) => boolean} isWanted
   */
  firstThat(from, isWanted) {
    const {rows, order} = this.bench;
    return order.find(index => index !== from && isWanted(rows[index])) ?? null;
  }
}

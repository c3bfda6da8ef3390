/* The preview: the document as a reader sees it, with the translations that there are. It is built from the blocks that
   the server names and from texts of the list; only what is near the visible part is built. */
import {partsOf} from '../core/chips.js';
import {h, t, textIn} from '../core/dom.js';
import {shown} from '../core/unseen.js';

const CHUNK_BLOCKS = 40;
const NEAR = '600px 0px';
const LINE_PIXELS = 21; // a line of text, and the space between blocks, for chunks that are not built yet
const GAP_PIXELS = 8;
const LINE_CHARACTERS = 40;
const FROM_TOP = 0.3; // of the height of the panel: where the open segment is put
const MAX_LEVEL = 6;
const WITHOUT_SPACES = /^(zh|yue|ja|th|lo|km|my|bo)\b/; // as COUNTED_IN_CHARACTERS of the server
/** @type {Record<string, string>} */
const STYLES = {B: 'b', I: 'i', U: 'u', S: 's', sub: 'sub', sup: 'sup', link: 'span.link-text', code: 'code'};

/** @typedef {{blocks: PreviewBlock[], element: HTMLElement, indices: number[], isFilled: boolean}} Chunk */

/**
 * All segments of a block, in order.
 * @param {PreviewBlock} block
 */
export const segmentsOf = block => [...block.segments, ...(block.cells ?? []).flatMap(cell => cell.segments)];

/**
 * A text with its tags as formats; tags that a reader does not see are left out.
 * @param {string} text
 * @param {Tags} tags
 * @returns {HTMLElement[]}
 */
export const formatted = (text, tags) => {
  /** @type {HTMLElement[]} */
  const top = [];
  /** @type {{number: string, element: HTMLElement}[]} */
  const opened = [];
  for (const part of partsOf(text, tags)) {
    const host = opened.at(-1)?.element;
    const add = (/** @type {HTMLElement} */ node) => (host ? host.append(node) : top.push(node));
    const number = part.text.replace(/\D/g, '');
    if (!part.tag) add(h('span', shown(part.text)));
    else if (part.text.startsWith('{/')) {
      const at = opened.findIndex(each => each.number === number);
      if (at >= 0) opened.splice(at);
    } else if (part.tag.name === 'line break') add(h('br'));
    else if (text.includes(`{/${number}}`)) {
      const element = h(STYLES[part.tag.name] ?? 'span');
      add(element);
      opened.push({number, element});
    }
  }
  return top;
};

export class Preview {
  /**
   * @param {Pick<Bench, 'languages' | 'openSegment' | 'rows' | 'segment' | 'server' | 'session'>} bench
   * @param {HTMLElement} panel it scrolls
   */
  constructor(bench, panel) {
    this.bench = bench;
    this.panel = panel;
    /** @type {Chunk[]} */
    this.chunks = [];
    /** @type {Map<number, Chunk>} */
    this.chunkOf = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.elements = new Map(); // index -> element, for segments that are built
    this.isStale = true;
    this.number = 0; // of the newest question
    this.body = h('div.preview');
    panel.append(this.body);
    this.observer = new IntersectionObserver(
      entries =>
        entries.forEach(({target, isIntersecting}) => {
          const chunk = this.chunks[Number(target.getAttribute('data-chunk'))];
          if (chunk?.element !== target) return;
          if (isIntersecting) this.fill(chunk);
          else this.empty(chunk);
        }),
      {root: panel, rootMargin: NEAR},
    );
    this.body.addEventListener('click', event => {
      const seg = /** @type {HTMLElement} */ (event.target).closest('[data-seg]');
      if (seg && getSelection()?.isCollapsed !== false) bench.openSegment(Number(seg.getAttribute('data-seg')));
    });
  }

  /** True if the panel is on the screen. */
  get isShown() {
    return this.panel.getClientRects().length > 0;
  }

  /** Another document is shown. */
  forget() {
    this.lay([]);
    this.reload();
  }

  /** Segments were split or merged. */
  reload() {
    this.isStale = true;
    this.number++;
    if (this.isShown) this.show();
  }

  /** Loads the blocks if they are not those of the document, and scrolls to the open segment. */
  async show() {
    if (!this.isStale) {
      this.open(this.bench.session.open);
      return;
    }
    const number = ++this.number;
    const {token} = this.bench.session;
    if (!this.chunks.length) this.body.replaceChildren(h('p.lead', {role: 'status'}, t('preview.loading')));
    const reply = await this.bench.server.preview({token}).catch(() => null);
    if (number !== this.number || token !== this.bench.session.token) return;
    if (!reply?.ok) {
      this.lay([]);
      this.body.replaceChildren(h('p.lead', {role: 'alert'}, reply?.error?.message ?? t('alts.offline')));
      return;
    }
    this.isStale = false;
    this.lay(reply.result.blocks);
    this.open(this.bench.session.open);
  }

  /**
   * Lays out empty chunks of blocks, each with about the height that it will have.
   * @param {PreviewBlock[]} blocks
   */
  lay(blocks) {
    this.observer.disconnect();
    this.elements.clear();
    this.chunkOf.clear();
    this.chunks = [];
    for (let first = 0; first < blocks.length; first += CHUNK_BLOCKS) {
      const own = blocks.slice(first, first + CHUNK_BLOCKS);
      const element = h('div', {'data-chunk': this.chunks.length});
      const chunk = {blocks: own, element, indices: own.flatMap(segmentsOf), isFilled: false};
      element.style.blockSize = `${this.height(chunk)}px`;
      for (const index of chunk.indices) this.chunkOf.set(index, chunk);
      this.chunks.push(chunk);
    }
    this.body.replaceChildren(...this.chunks.map(chunk => chunk.element));
    for (const {element} of this.chunks) this.observer.observe(element);
  }

  /**
   * About how high a chunk will be, in pixels.
   * @param {Chunk} chunk
   */
  height({blocks, indices}) {
    const characters = indices.reduce((sum, index) => sum + (this.bench.rows[index]?.source.length ?? 0), 0);
    return Math.round((blocks.length / 2 + characters / LINE_CHARACTERS) * LINE_PIXELS + blocks.length * GAP_PIXELS);
  }

  /** @param {Chunk} chunk */
  fill(chunk) {
    if (chunk.isFilled) return;
    chunk.isFilled = true;
    chunk.element.style.blockSize = '';
    chunk.element.replaceChildren(...chunk.blocks.map(block => this.block(block)));
  }

  /**
   * Takes a chunk that is far away out of the page. Its height stays.
   * @param {Chunk} chunk
   */
  empty(chunk) {
    if (!chunk.isFilled || !this.isShown) return;
    const height = chunk.element.offsetHeight;
    chunk.isFilled = false;
    for (const index of chunk.indices) this.elements.delete(index);
    chunk.element.replaceChildren();
    chunk.element.style.blockSize = `${height}px`;
  }

  /** @param {PreviewBlock} block */
  block(block) {
    const {kind, label, cells, text} = block;
    if (kind === 'code') return h('pre.pv-code', {dir: 'auto'}, shown(text ?? ''));
    if (kind === 'part') return h('div.pv-part', {dir: 'auto'}, shown(label ?? ''));
    if (kind === 'row') {
      const row = h(
        'div.pv-row',
        (cells ?? []).map(({column, segments}) => {
          const cell = h('div.pv-cell', this.line(segments));
          cell.style.gridColumn = String(column + 1);
          return cell;
        }),
      );
      row.style.gridTemplateColumns = `repeat(${block.num_columns}, minmax(5.5rem, 1fr))`;
      return row;
    }
    const level = Math.min(block.level ?? 1, MAX_LEVEL);
    const element = h(
      `div.pv-${kind}`,
      {'data-level': kind === 'heading' ? level : null},
      label ? h('div.pv-label', {dir: 'auto'}, shown(label)) : null,
      this.line(block.segments),
    );
    if (kind === 'item') element.style.marginInlineStart = `${level}rem`;
    return element;
  }

  /**
   * The segments of a block, with spaces between them.
   * @param {number[]} indices
   * @returns {Child[]}
   */
  line(indices) {
    const gap = WITHOUT_SPACES.test(this.bench.languages.target) ? '' : ' ';
    return indices.flatMap((index, at) => {
      const element = h('span.pv-seg', {'data-seg': index});
      this.elements.set(index, element);
      this.draw(index);
      return at ? [gap, element] : [element];
    });
  }

  /**
   * Shows the text of a segment again, if it is built.
   * @param {number} index
   */
  draw(index) {
    const element = this.elements.get(index);
    const row = this.bench.rows[index];
    if (!element || !row) return;
    const {segment, session, languages} = this.bench;
    const isOpen = index === session.open;
    const typed = isOpen && segment.index === index && segment.text.isDirty ? segment.text.value : null;
    const target = typed ?? row.target;
    const attributes = target ? textIn(languages.target) : textIn(languages.source);
    element.lang = attributes.lang;
    element.dir = attributes.dir;
    element.classList.toggle('untranslated', !target);
    element.classList.toggle('open', isOpen);
    element.replaceChildren(...formatted(target || row.source, row.tags));
  }

  /**
   * Marks the open segment and scrolls to it, if it is not well in view.
   * @param {number | null} index
   */
  open(index) {
    const before = this.body.querySelector('.pv-seg.open');
    before?.classList.remove('open');
    const chunk = index === null ? undefined : this.chunkOf.get(index);
    if (index === null || !chunk || !this.isShown || this.isStale) return;
    const at = this.chunks.indexOf(chunk);
    for (const near of this.chunks.slice(Math.max(0, at - 1), at + 2)) this.fill(near);
    this.draw(index);
    const element = this.elements.get(index);
    if (!element) return;
    const box = this.panel.getBoundingClientRect();
    const {top, bottom} = element.getBoundingClientRect();
    const margin = box.height / 8;
    if (top < box.top + margin || bottom > box.bottom - margin)
      this.panel.scrollTop += top - box.top - box.height * FROM_TOP;
  }
}

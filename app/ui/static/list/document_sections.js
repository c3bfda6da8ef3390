/* The sections of the joined list: one for each document, with a heading that stays in view above its rows. */
import {button, count, h, icon, setText, t} from '../core/dom.js';

/** "2 of 5 confirmed" @param {Pick<JoinedDocument, 'numConfirmed' | 'numSegments'>} document */
export const figuresOf = ({numConfirmed, numSegments}) =>
  t('doctabs.confirmed', {confirmed: count(numConfirmed), total: count(numSegments)});

export class DocumentSections {
  /** @type {Map<number, {element: HTMLElement, heading: HTMLElement, name: HTMLElement, figures: HTMLElement, bar: HTMLElement}>} */
  #sections = new Map(); // by session

  /** @param {(document: JoinedDocument) => unknown} onLoad the person wants the rows of a document */
  constructor(onLoad) {
    this.onLoad = onLoad;
  }

  clear() {
    this.#sections.clear();
  }

  /**
   * A document with its heading and its blocks. Where rows are still on their way, there is room for them, unless a filter
   * or a search leaves out an unknown part.
   * @param {JoinedDocument} document
   * @param {ListBlock[]} blocks
   * @param {{isOpen: boolean, isNarrow: boolean}} list
   */
  make(document, blocks, {isOpen, isNarrow}) {
    const id = `pinpoint-joined-${document.session}`;
    const [name, figures, bar] = [h('span.nm', {dir: 'auto'}), h('span.n.num'), h('i')];
    const heading = h('h2.dochead', {id}, name, figures, h('span.bar', {'aria-hidden': 'true'}, bar));
    const element = h('section', {'aria-labelledby': id}, heading);
    element.append(...blocks.map(block => block.element));
    const isMissing = !isOpen && !document.rows;
    if (isMissing && document.isBeyond)
      element.append(h('p.coming', button('.link', {onclick: () => this.onLoad(document)}, t('joined.load'))));
    else if (isMissing && !isNarrow) {
      const room = h('p.coming', t('joined.coming'));
      room.style.blockSize = `calc(${document.numRows} * var(--row))`;
      element.append(room);
    }
    element.hidden = !isOpen && !blocks.length && isNarrow && !(isMissing && document.isBeyond); // nothing was found in it
    this.#sections.set(document.session, {element, heading, name, figures, bar});
    this.paint(document);
    return element;
  }

  /** @param {number} session */
  of(session) {
    return this.#sections.get(session)?.element;
  }

  /** Shows the name and the progress of a document. @param {JoinedDocument} document */
  paint({session, name, numConfirmed, numSegments}) {
    const section = this.#sections.get(session);
    if (!section) return;
    setText(section.name, name);
    const isDone = numSegments > 0 && numConfirmed >= numSegments;
    section.figures.replaceChildren(isDone ? icon('confirmed', true) : '', figuresOf({numConfirmed, numSegments}));
    section.bar.style.inlineSize = `${numSegments ? (100 * numConfirmed) / numSegments : 0}%`;
  }

  /** The height of a heading; 0 without one. @param {number} session */
  headingHeight(session) {
    return this.#sections.get(session)?.heading.offsetHeight ?? 0;
  }
}

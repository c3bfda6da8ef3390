/* The frame of a page that covers list and panel: title, actions, the way back to the document, body. */
import {h, setText, t} from './dom.js';

export const HOME = '#document'; // the address of the list with its open segment

export class Page {
  /**
   * @param {object} options
   * @param {string} options.name its title has the id `pinpoint-NAME`
   * @param {string} options.title
   * @param {string} [options.classes] such as '.gloss'
   * @param {Child} [options.lead] a sentence under the title
   * @param {Child} [options.actions] buttons before the way back
   * @param {Child} [options.primary] the main button, after it
   * @param {Child} options.body
   * @param {[label: string, address: string]} [options.back] the way back, if not to the document
   * @param {() => void} [options.onClose] called when the page is left
   */
  constructor({
    name,
    title,
    classes = '',
    lead,
    actions,
    primary,
    body,
    back = [t('pages.back'), HOME],
    onClose = () => {},
  }) {
    const [label, address] = back;
    this.title = title;
    this.back = address;
    this.onClose = onClose;
    /** @type {() => HTMLElement} where the focus goes when the page is shown */
    this.first = () => this.element;
    this.body = h('div.pagebody', body);
    const id = `pinpoint-${name}`;
    this.heading = h('h1', {id}, title);
    this.lead = h('p.muted', lead);
    this.element = h(
      `section.page${classes}`,
      {'aria-labelledby': id, tabindex: -1},
      h(
        'div.pagein',
        h(
          'div.pagehead',
          h('div', this.heading, this.lead),
          h('div.acts', actions, h('a.btn', {href: address}, label, h('kbd', {'aria-hidden': 'true'}, 'Esc')), primary),
        ),
        this.body,
      ),
    );
  }

  /** @param {string} title */
  setTitle(title) {
    this.title = title;
    setText(this.heading, title);
  }

  focus() {
    this.first().focus({preventScroll: true});
  }
}

/* The frame of a page that covers list and panel: title, actions, the way back to the document, body. */
import {h, t} from './dom.js';

export const HOME = '#document'; // the address of the list with its open segment

export class Page {
  /**
   * @param {object} options
   * @param {string} options.name its title has the id `pinpoint-NAME`
   * @param {string} options.title
   * @param {string} [options.classes] such as '.gloss'
   * @param {Child} [options.lead] a sentence under the title
   * @param {Child} [options.actions] buttons beside the way back
   * @param {Child} options.body
   * @param {() => void} [options.onClose] called when the page is left
   */
  constructor({name, title, classes = '', lead, actions, body, onClose = () => {}}) {
    this.title = title;
    this.onClose = onClose;
    /** @type {() => HTMLElement} where the focus goes when the page is shown */
    this.first = () => this.element;
    this.body = h('div.pagebody', {}, body);
    this.lead = h('p.muted', {}, lead);
    const id = `pinpoint-${name}`;
    this.element = h(
      `section.page${classes}`,
      {'aria-labelledby': id, tabindex: -1},
      h(
        'div.pagein',
        {},
        h(
          'div.pagehead',
          {},
          h('div', {}, h('h1', {id}, title), this.lead),
          h(
            'div.acts',
            {},
            actions,
            h('a.btn', {href: HOME}, t('pages.back'), h('kbd', {'aria-hidden': 'true'}, 'Esc')),
          ),
        ),
        this.body,
      ),
    );
  }

  focus() {
    this.first().focus({preventScroll: true});
  }
}

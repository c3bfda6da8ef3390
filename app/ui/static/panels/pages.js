/* The pages of the window: the document, its report and its glossaries. Each has an address, so that the browser's back,
   forward and reload work. A page covers the list and the panel, which stay as they are: text, caret, scroll position. */
import {h, t} from '../core/dom.js';
import {HOME} from '../core/page.js';
import {openGlossaries} from '../pages/glossary.js';
import {openImport} from '../pages/glossary_import.js';
import {openReport} from '../pages/report.js';

/** @typedef {import('../core/page.js').Page} Page */
/** @type {[name: string, open: (bench: Bench, places: string[]) => Page][]} */
const PAGES = [
  ['report', openReport],
  [
    'glossaries',
    (bench, places) => (places[0] === 'import' ? openImport(bench, Number(places[1])) : openGlossaries(bench, places)),
  ],
];

export class Pages {
  /**
   * @param {Bench} bench
   * @param {HTMLElement[]} covered the parts of the window that a page covers; a page comes after the last one
   */
  constructor(bench, covered) {
    this.bench = bench;
    this.covered = covered;
    /** @type {Page | null} */
    this.page = null;
    this.address = '';
    this.documentName = '';
    this.scrollTop = 0;
    /** @type {HTMLElement | null} */
    this.left = null; // what had the focus in the document
    this.links = [HOME.slice(1), ...PAGES.map(([name]) => name)].map(name =>
      h('a', {href: `#${name}`, 'aria-current': name === HOME.slice(1) ? 'page' : null}, t(`pages.${name}`)),
    );
    this.nav = h('nav.nav', {'aria-label': t('pages.label')}, this.links);
    for (const part of covered)
      part.addEventListener('focusin', event => {
        this.left = event.target;
      });
    window.addEventListener('hashchange', () => this.show());
    document.addEventListener('keydown', event => this.onKey(event));
  }

  get isOpen() {
    return this.page !== null;
  }

  /** Shows the page of the window's address; without one, or with an unknown one, the document. */
  show() {
    const address = location.hash.slice(1);
    if (address === this.address) return;
    this.address = address;
    const [name, ...places] = address.split('/');
    const open = PAGES.find(([known]) => known === name)?.[1];
    const wasOpen = this.isOpen;
    this.close();
    if (open) this.cover(name, open(this.bench, places), wasOpen);
    else if (wasOpen) this.uncover();
  }

  /**
   * @param {string} name
   * @param {Page} page
   * @param {boolean} wasOpen whether another page was shown before
   */
  cover(name, page, wasOpen) {
    if (!wasOpen) this.scrollTop = this.bench.list.scroll.scrollTop;
    this.page = page;
    this.mark(name);
    this.covered.at(-1)?.after(page.element);
    for (const part of this.covered) part.inert = true;
    this.setTitle();
    page.focus();
    this.bench.presence.update();
  }

  uncover() {
    this.mark(HOME.slice(1));
    for (const part of this.covered) part.inert = false;
    this.setTitle();
    if (this.left?.isConnected) this.left.focus({preventScroll: true});
    else this.bench.focusEditor();
    this.bench.list.scroll.scrollTop = this.scrollTop;
    this.bench.presence.update();
  }

  close() {
    const {page} = this;
    this.page = null;
    page?.element.remove();
    page?.onClose();
  }

  /**
   * Shows the page of an address at once.
   * @param {string} address
   */
  go(address) {
    location.hash = address;
    this.show();
  }

  /** Goes back to the document. */
  leave() {
    if (this.isOpen) this.go(HOME);
  }

  /** Shows the open page again, with what has changed. */
  refresh() {
    if (!this.isOpen) return;
    this.address = '';
    this.show();
  }

  /**
   * Changes the address of the open page, such as to one of its tabs, without a step for the browser's back.
   * @param {string} address
   */
  note(address) {
    this.address = address;
    history.replaceState(history.state, '', `#${address}`);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const {key, target, isComposing, defaultPrevented} = event;
    if (key !== 'Escape' || !this.isOpen || isComposing || defaultPrevented) return;
    if (this.bench.root.querySelector('dialog[open]')) return;
    if (target instanceof HTMLInputElement && target.type === 'search' && target.value) return; // Escape empties it
    event.preventDefault();
    this.go(this.page?.back ?? HOME);
  }

  /** @param {string} name the page that is shown */
  mark(name) {
    for (const link of this.links)
      if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
  }

  /** @param {string} [documentName] */
  setTitle(documentName = this.documentName) {
    this.documentName = documentName;
    document.title = [this.page?.title, documentName, 'Pinpoint'].filter(Boolean).join(' \u2013 ');
  }
}

/* A small input over words of the proposal: the phrase typed there is required in their place. Nothing else moves. */
import {h, t, textIn} from '../core/dom.js';

const MAX_CHARACTERS = 300; // as for pins

export class PhraseInput {
  /** @type {(text: string) => void} */
  #onEnter = () => {};
  #onClose = (/** @type {boolean} */ _goesBack) => {};

  constructor() {
    this.element = h('input.overtype', {
      type: 'text',
      hidden: true,
      maxlength: MAX_CHARACTERS,
      autocomplete: 'off',
      spellcheck: 'false',
      onkeydown: event => this.onKey(event),
      // Another window may be in front for a moment; what was typed stays.
      onblur: () => document.hasFocus() && this.close(false),
    });
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /**
   * words: the elements of the words; text: what the input contains at first, selected.
   * @param {HTMLElement[]} words
   * @param {object} options
   * @param {string} options.name the words as text
   * @param {string} options.text
   * @param {string} options.lang
   * @param {(text: string) => void} options.onEnter
   * @param {(goesBack: boolean) => void} options.onClose `goesBack`: the focus goes back to the words
   */
  open(words, {name, text, lang, onEnter, onClose}) {
    const {element} = this;
    this.#onEnter = onEnter;
    this.#onClose = onClose;
    Object.assign(element, {value: text, ...textIn(lang)});
    element.setAttribute('aria-label', t('overtype.label', {text: name}));
    element.title = t('overtype.title');
    element.hidden = false;
    this.place(words);
    element.focus({preventScroll: true});
    element.select();
  }

  /**
   * Over the words, as far as they are on one line.
   * @param {HTMLElement[]} words
   */
  place(words) {
    const {element} = this;
    const host = element.offsetParent?.getBoundingClientRect();
    const boxes = words.flatMap(word => [...word.getClientRects()]);
    if (!host || !boxes.length) return;
    const [first] = boxes;
    const line = boxes.filter(box => Math.abs(box.top - first.top) < first.height / 2);
    const left = Math.min(...line.map(box => box.left)) - host.left;
    const right = Math.max(...line.map(box => box.right)) - host.left;
    const isRtl = getComputedStyle(words[0]).direction === 'rtl';
    element.style.top = `${first.top - host.top - 3}px`;
    element.style.minInlineSize = `${right - left + 12}px`;
    element.style.maxInlineSize = `${isRtl ? right + 6 : host.width - left + 6}px`;
    element.style.insetInlineStart = '';
    element.style.left = isRtl ? 'auto' : `${left - 6}px`;
    element.style.right = isRtl ? `${host.width - right - 6}px` : 'auto';
  }

  /** Requires the phrase, as Enter does. */
  enter() {
    const text = this.element.value.trim();
    this.element.hidden = true;
    if (text) this.#onEnter(text);
    else this.#onClose(true);
  }

  /** @param {boolean} goesBack whether the focus goes back to the words */
  close(goesBack) {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.#onClose(goesBack);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Enter') this.enter();
    else if (event.key === 'Escape') this.close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

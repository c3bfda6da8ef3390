/* The words selected in the source: whole words, by the pointer or by Shift and the arrow keys. They can be pinned with the
   translation that the person types, made a term, and looked up. */
import {h, t} from '../core/dom.js';

/**
 * The offset of a place in the source, in UTF-16 units; the terms above the words do not count.
 * @param {HTMLElement} host
 * @param {Selection} selection
 */
export const selectedOffset = (host, selection) => {
  const range = document.createRange();
  range.setStart(host, 0);
  range.setEnd(selection.anchorNode ?? host, selection.anchorOffset);
  const copy = h('div', range.cloneContents());
  copy.querySelectorAll('.an, .sr').forEach(element => element.remove());
  return copy.textContent.length;
};

export class SourceSelection {
  /** @type {SourceWords | null} the words that were selected last, also when the selection is elsewhere now */
  last = null;
  /** @type {SourceWords | null} the words whose translation the person types */
  #asked = null;

  /**
   * @param {HTMLElement} host the element around the source's line
   * @param {HTMLInputElement} input where the translation is typed
   * @param {{current: Readonly<CurrentSegment>, text: TargetText}} parts
   */
  constructor(host, input, {current, text}) {
    this.host = host;
    this.input = input;
    this.current = current;
    this.text = text;
    this.label = h('span.of', {hidden: true});
    this.input.before(this.label);
    this.input.addEventListener('blur', () => this.input.value.trim() || this.#ask(null));
    document.addEventListener('selectionchange', () => {
      const isSelected = this.#range() !== null;
      if (isSelected) this.last = this.chosen();
      if (isSelected || this.#wasSelected) host.dispatchEvent(new CustomEvent('selectionchange'));
      this.#wasSelected = isSelected;
    });
  }

  #wasSelected = false;

  /** The selection, if it is in the source. */
  #range() {
    const selection = getSelection();
    const isHere = selection && !selection.isCollapsed && this.host.contains(selection.anchorNode);
    return isHere ? selection.getRangeAt(0) : null;
  }

  /** The words that are selected at least in part, else the word in focus; null if the person is not in the source. */
  chosen() {
    const range = this.#range();
    const words = [...this.host.querySelectorAll('[data-word]')].filter(word =>
      range ? overlaps(range, word) : word === document.activeElement,
    );
    const numbers = words.map(word => Number(word.dataset.word));
    return numbers.length ? this.#between(Math.min(...numbers), Math.max(...numbers)) : null;
  }

  /**
   * The source from one word to another.
   * @param {number} first
   * @param {number} last
   * @returns {SourceWords | null}
   */
  #between(first, last) {
    const runs = this.current.detail?.source ?? [];
    const from = runs.findIndex(({w}) => w === first);
    const to = runs.findLastIndex(({w}) => w === last);
    if (from < 0 || to < 0) return null;
    const [before, text] = [runs.slice(0, from), runs.slice(from, to + 1)].map(part => part.map(({t}) => t).join(''));
    const start = [...before].length;
    return {text, start, end: start + [...text].length};
  }

  /**
   * Where the selected words are, for the bar.
   * @returns {BarPlace | null}
   */
  place() {
    const range = this.#range();
    const [words] = range?.getClientRects() ?? [];
    const [first] = this.host.querySelector('[data-word]')?.getClientRects() ?? [];
    if (!words || !first || !this.chosen()) return null;
    return {words, text: {top: first.top, bottom: this.host.getBoundingClientRect().bottom}};
  }

  /** Asks for the translation of the chosen words, below the source; suggests the words selected in the field. */
  askTranslation() {
    const words = this.chosen();
    if (!words) return;
    this.#ask(words);
    this.input.value = this.text.field.chosen().trim();
    this.input.focus();
    this.input.select();
  }

  /** The source words whose translation was typed, or null; they are asked for no longer. */
  takeAsked() {
    const asked = this.#asked;
    this.#ask(null);
    return asked;
  }

  /** Asks for no translation. */
  cancel() {
    if (this.takeAsked()) this.input.value = '';
  }

  /** @param {SourceWords | null} words */
  #ask(words) {
    this.#asked = words;
    this.label.hidden = !words;
    this.label.textContent = words ? `${words.text} \u2192` : '';
    this.label.title = words?.text ?? '';
    this.input.placeholder = t(words ? 'pins.of.placeholder' : 'pins.add.placeholder');
    this.input.setAttribute('aria-label', words ? t('pins.of', {source: words.text}) : t('pins.add.label'));
  }

  /** Another segment is opened. */
  forget() {
    this.last = null;
    this.cancel();
  }
}

/**
 * True if a range has some text of an element.
 * @param {Range} range
 * @param {Element} element
 */
const overlaps = (range, element) => {
  if (!range.intersectsNode(element)) return false;
  const part = document.createRange();
  part.selectNodeContents(element);
  if (part.compareBoundaryPoints(Range.START_TO_START, range) < 0)
    part.setStart(range.startContainer, range.startOffset);
  if (part.compareBoundaryPoints(Range.END_TO_END, range) > 0) part.setEnd(range.endContainer, range.endOffset);
  return String(part) !== '';
};

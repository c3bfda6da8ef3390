/* The translation of a match as words to press: a click or Space pins a word or releases its pin, dragging or Shift
   selects a phrase. */
import {placesOf} from '../core/boundaries.js';
import {h, t, textIn} from '../core/dom.js';
import {withoutMarks, wordStarts} from '../core/words.js';

/**
 * [start, end] of each word, without the punctuation around it.
 * @param {string} text
 * @returns {[number, number][]}
 */
export const wordsOf = text => {
  const starts = [0, ...wordStarts(text)];
  return starts.flatMap((start, i) => {
    const chunk = text.slice(start, starts[i + 1]);
    const word = withoutMarks(chunk.trim());
    const from = start + chunk.indexOf(word);
    return word ? [/** @type {[number, number]} */ ([from, from + word.length])] : [];
  });
};

export class MatchWords {
  /** @type {string[]} */
  #pins = [];
  #current = 0; // the word that Tab reaches
  /** @type {number | null} */
  #anchor = null; // where a phrase begins with Shift
  /** @type {{from: number, to: number} | null} */
  #dragged = null;

  /**
   * @param {[string, string][]} runs joined, their texts are the translation; "i" was adapted to the segment
   * @param {object} options
   * @param {string} options.lang
   * @param {(text: string, replaced: string[]) => void} options.onPin `replaced`: pins that overlap the new one
   * @param {(text: string) => void} options.onUnpin
   * @param {() => void} options.onLeave
   */
  constructor(runs, {lang, onPin, onUnpin, onLeave}) {
    this.text = runs.map(([, text]) => text).join('');
    this.onPin = onPin;
    this.onUnpin = onUnpin;
    this.onLeave = onLeave;
    this.words = wordsOf(this.text);
    let end = 0;
    const adapted = runs.flatMap(([kind, text]) => {
      end += text.length;
      return kind === 'i' ? [[end - text.length, end]] : [];
    });
    this.elements = this.words.map(([from, to], word) =>
      h(
        `span.w${adapted.some(([start, stop]) => from < stop && start < to) ? '.adapted' : ''}`,
        {role: 'button', tabindex: word ? -1 : 0, 'aria-pressed': 'false', 'data-word': word},
        this.text.slice(from, to),
      ),
    );
    const between = this.words.map(([from], word) => this.text.slice(word ? this.words[word - 1][1] : 0, from));
    this.element = h(
      'p.mwords',
      {...textIn(lang), role: 'group', 'aria-label': t('memory.words'), title: t('memory.words.keys')},
      this.elements.map((element, word) => [between[word], element]),
      this.text.slice(this.words.at(-1)?.[1] ?? 0),
    );
    this.element.addEventListener('mousedown', event => this.#onDown(event));
    this.element.addEventListener('mouseover', event => this.#onOver(event));
    this.element.addEventListener('keydown', event => this.#onKey(event));
  }

  /**
   * Marks the words of the segment's pins.
   * @param {string[]} pins
   */
  mark(pins) {
    this.#pins = pins;
    this.elements.forEach((element, word) => {
      const isPinned = this.#pinAt(word) !== undefined;
      element.classList.toggle('pinned', isPinned);
      element.setAttribute('aria-pressed', String(isPinned));
    });
  }

  /** Pins the words selected, or the word in focus; returns whether the focus is here. */
  pinFocused() {
    if (!this.element.contains(document.activeElement)) return false;
    this.#press(this.#anchor ?? this.#current, this.#current);
    return true;
  }

  /** @param {number} word */
  #pinAt(word) {
    const [from, to] = this.words[word];
    return this.#pins.find(pin => [...placesOf(this.text, pin)].some(([start, end]) => start <= from && to <= end));
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  #press(from, to) {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    this.#anchor = null;
    this.#select(null);
    const pinned = from === to ? this.#pinAt(from) : undefined;
    if (pinned !== undefined) {
      this.onUnpin(pinned);
      return;
    }
    const words = Array.from({length: last - first + 1}, (_, i) => this.#pinAt(first + i));
    const replaced = [...new Set(words.filter(pin => pin !== undefined))];
    this.onPin(this.text.slice(this.words[first][0], this.words[last][1]), replaced);
  }

  /**
   * Marks the words from one to another as selected; null marks none.
   * @param {number | null} from
   * @param {number} [to]
   */
  #select(from, to = from ?? 0) {
    this.elements.forEach((element, word) =>
      element.classList.toggle('range', from !== null && Math.min(from, to) <= word && word <= Math.max(from, to)),
    );
  }

  /** @param {number} word */
  #focus(word) {
    this.elements[this.#current].tabIndex = -1;
    this.#current = Math.max(0, Math.min(word, this.words.length - 1));
    this.elements[this.#current].tabIndex = 0;
    this.elements[this.#current].focus({preventScroll: true});
  }

  /** @param {Event} event */
  #wordOf({target}) {
    return this.elements.indexOf(/** @type {HTMLElement} */ (target));
  }

  /** @param {MouseEvent} event */
  #onDown(event) {
    const word = this.#wordOf(event);
    if (event.button || word < 0) return;
    event.preventDefault();
    if (event.detail > 1) return; // the second half of a double click would release the pin again
    this.#dragged = {from: event.shiftKey ? this.#current : word, to: word};
    this.#focus(word);
    this.#select(this.#dragged.from, word);
    const onUp = () => {
      if (this.#dragged) this.#press(this.#dragged.from, this.#dragged.to);
      this.#dragged = null;
    };
    document.addEventListener('mouseup', onUp, {once: true});
  }

  /** @param {MouseEvent} event */
  #onOver(event) {
    const word = this.#wordOf(event);
    if (!this.#dragged || word < 0) return;
    this.#dragged.to = word;
    this.#select(this.#dragged.from, word);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const {key, shiftKey} = event;
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const forward = getComputedStyle(this.element).direction === 'rtl' ? -1 : 1;
    /** @type {Record<string, number>} */
    const targets = {
      ArrowRight: this.#current + forward,
      ArrowLeft: this.#current - forward,
      Home: 0,
      End: this.words.length - 1,
    };
    if (key in targets) {
      this.#anchor = shiftKey ? (this.#anchor ?? this.#current) : null;
      this.#focus(targets[key]);
      this.#select(this.#anchor, this.#current);
    } else if (key === ' ' || key === 'Enter') this.pinFocused();
    else if (key === 'Escape') {
      this.#anchor = null;
      this.#select(null);
      this.onLeave();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

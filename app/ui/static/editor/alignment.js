/* Word alignment of source and translation: aligned words are marked on both sides while the pointer is on one of them, and
   in the source while the caret is on a word or the focus on a word of the source. */

export class Alignment {
  /** @type {[number, number][]} */
  #pairs = [];

  /**
   * source: the element around the source's line.
   * @param {HTMLElement} source
   * @param {{text: TargetText, marks: WordMarks}} parts
   */
  constructor(source, {text, marks}) {
    this.source = source;
    this.text = text;
    this.marks = marks;
    const {area} = text.field;
    for (const host of [source, area]) {
      host.addEventListener('mouseover', event => this.#show(this.#wordOf(event.target) ?? this.#inFocus()));
      host.addEventListener('mouseleave', () => this.#show(this.#inFocus()));
    }
    for (const name of ['focusin', 'focusout']) source.addEventListener(name, () => this.#show(this.#inFocus()));
    for (const name of ['selectionchange', 'focus', 'blur'])
      area.addEventListener(name, () => this.#show(this.#inFocus()));
    source.addEventListener('keydown', event => this.#onKey(event));
  }

  /**
   * pairs: [[word of the source, word of the proposal], ...] by their numbers.
   * @param {[number, number][]} pairs
   */
  update(pairs) {
    this.#pairs = pairs;
    this.#show(this.#inFocus());
  }

  /**
   * {side, word}: which word of the source (side 0) or of the translation (side 1) an element belongs to, or null.
   * @param {EventTarget | null} element
   */
  #wordOf(element) {
    const word = element instanceof Element ? element.closest('[data-word]') : null;
    const side = [this.source, this.text.field.area].findIndex(host => word && host.contains(word));
    return side < 0 ? null : {side, word: Number(word?.getAttribute('data-word')), isAtCaret: false};
  }

  #inFocus() {
    const {area} = this.text.field;
    if (document.activeElement !== area) return this.#wordOf(document.activeElement);
    const word = area.selectionStart < area.value.length ? this.marks.wordAt(area.selectionStart) : null;
    return word === null ? null : {side: 1, word, isAtCaret: true};
  }

  /** @param {WordSide} options */
  #partners({side, word}) {
    return this.#pairs.filter(pair => pair[side] === word).map(pair => pair[1 - side]);
  }

  /** @param {(WordSide & {isAtCaret: boolean}) | null} at */
  #show(at) {
    const partners = at ? this.#partners(at) : [];
    /** @type {number[][]} */
    const marked = [[], []];
    if (at && partners.length) {
      marked[at.side] = at.isAtCaret ? [] : [at.word];
      marked[1 - at.side] = partners;
    }
    this.source
      .querySelectorAll('[data-word]')
      .forEach(element => element.classList.toggle('aligned', marked[0].includes(Number(element.dataset.word))));
    this.marks.align(marked[1]);
  }

  /** Moves the focus to the source: to the word aligned with that at the caret, else to the first word. */
  focusSource() {
    const word = this.marks.wordAt(this.text.field.area.selectionStart);
    const [partner = 0] = word === null ? [] : this.#partners({side: 1, word});
    this.source.querySelector(`[data-word="${partner}"]`)?.focus({preventScroll: true});
  }

  /** Moves the focus to the field, with the caret at the word aligned with that in focus. */
  focusField() {
    const at = this.#wordOf(document.activeElement);
    const place = at && this.marks.placeOf(this.#partners(at)[0]);
    this.text.focus();
    if (place !== null) this.text.field.area.setSelectionRange(place, place);
  }

  /**
   * Arrow keys go from word to word of the source and to the tags between them, with Shift they select; Enter on a tag
   * inserts it.
   * @param {KeyboardEvent} event
   */
  #onKey(event) {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    /** @type {HTMLElement[]} */
    const stops = [...this.source.querySelectorAll('[data-word], .chip')];
    const at = stops.indexOf(/** @type {HTMLElement} */ (event.target));
    if (at < 0) return;
    const forward = getComputedStyle(this.source).direction === 'rtl' ? -1 : 1;
    const last = stops.length - 1;
    /** @type {Record<string, number>} */
    const targets = {ArrowRight: at + forward, ArrowLeft: at - forward, Home: 0, End: last};
    const target = targets[event.key];
    if (target !== undefined) {
      const to = stops[Math.max(0, Math.min(target, last))];
      to.focus({preventScroll: true});
      if (event.shiftKey) this.#extend(stops, at, to);
      else getSelection()?.removeAllRanges();
    } else if (event.shiftKey) return;
    else if (stops[at].matches('.chip') && ['Enter', ' '].includes(event.key)) stops[at].click();
    else if (['Enter', ' ', 'ArrowDown', 'Escape'].includes(event.key)) this.focusField();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Selects the words from where the selection began, else from stop number `at`, up to another.
   * @param {HTMLElement[]} stops
   * @param {number} at
   * @param {HTMLElement} to
   */
  #extend(stops, at, to) {
    const selection = getSelection();
    if (!selection) return;
    const begun = selection.isCollapsed ? -1 : stops.findIndex(stop => stop.contains(selection.anchorNode));
    const from = stops[begun < 0 ? at : begun];
    const isBackward = stops.indexOf(to) < stops.indexOf(from);
    const [first, second] = isBackward ? [from.childNodes.length, 0] : [0, to.childNodes.length];
    selection.setBaseAndExtent(from, first, to, second);
  }
}

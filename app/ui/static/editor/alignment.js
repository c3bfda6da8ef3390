/* Word alignment of source and proposal: aligned words are marked on both sides while the pointer or the focus is on
   one of them. Keys move the focus between the words of the proposal and those of the source. */

export class Alignment {
  /**
   * source: the element around the source's line.
   * @param {HTMLElement} source
   * @param {Proposal} proposal
   */
  constructor(source, proposal) {
    this.source = source;
    this.proposal = proposal;
    /** @type {HTMLElement[]} */
    this.hosts = [source, proposal.line];
    /** @type {[number, number][]} */
    this.pairs = [];
    for (const host of this.hosts) {
      host.addEventListener('mouseover', event => this.show(this.wordOf(event.target) ?? this.inFocus()));
      host.addEventListener('mouseleave', () => this.show(this.inFocus()));
      host.addEventListener('focusin', event => this.show(this.wordOf(event.target)));
      host.addEventListener('focusout', () => this.show(null));
    }
    source.addEventListener('keydown', event => this.onKey(event));
  }

  /**
   * pairs: [[word of the source, word of the proposal], ...] by their numbers.
   * @param {[number, number][]} pairs
   */
  update(pairs) {
    this.pairs = pairs;
    this.show(this.inFocus());
  }

  /**
   * {side, word}: which word of the source (side 0) or of the proposal (side 1) an element belongs to, or null.
   * @param {EventTarget | null} element
   */
  wordOf(element) {
    const word = element instanceof Element ? element.closest('[data-word]') : null;
    const side = this.hosts.findIndex(host => word && host.contains(word));
    return side < 0 ? null : {side, word: Number(word?.getAttribute('data-word'))};
  }

  inFocus() {
    return this.wordOf(document.activeElement);
  }

  /** @param {WordSide} options */
  partners({side, word}) {
    return this.pairs.filter(pair => pair[side] === word).map(pair => pair[1 - side]);
  }

  /** @param {WordSide | null} at */
  show(at) {
    const partners = at ? this.partners(at) : [];
    /** @type {number[][]} */
    const marked = [[], []];
    if (at && partners.length) {
      marked[at.side] = [at.word];
      marked[1 - at.side] = partners;
    }
    this.hosts.forEach((host, side) =>
      host
        .querySelectorAll('[data-word]')
        .forEach(element => element.classList.toggle('aligned', marked[side].includes(Number(element.dataset.word)))),
    );
  }

  /** Moves the focus from the proposal to the source: to the aligned word, else to the first word. */
  focusSource() {
    if (this.inFocus()?.side !== 0) this.focusWord(this.partners({side: 1, word: this.proposal.current})[0] ?? 0);
  }

  /** @param {number} word */
  focusWord(word) {
    this.source.querySelector(`[data-word="${word}"]`)?.focus({preventScroll: true});
  }

  /**
   * Arrow keys go from word to word of the source and to the tags between them; Enter on a tag inserts it.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    /** @type {HTMLElement[]} */
    const stops = [...this.source.querySelectorAll('[data-word], .chip')];
    const at = stops.indexOf(/** @type {HTMLElement} */ (event.target));
    if (at < 0) return;
    const forward = getComputedStyle(this.source).direction === 'rtl' ? -1 : 1;
    const last = stops.length - 1;
    /** @type {Record<string, number>} */
    const targets = {ArrowRight: at + forward, ArrowLeft: at - forward, Home: 0, End: last};
    const target = targets[event.key];
    const word = this.wordOf(event.target);
    if (target !== undefined) stops[Math.max(0, Math.min(target, last))].focus({preventScroll: true});
    else if (stops[at].matches('.chip') && ['Enter', ' '].includes(event.key)) stops[at].click();
    else if (['Enter', ' ', 'ArrowDown', 'Escape'].includes(event.key))
      this.proposal.focusWord((word && this.partners(word)[0]) ?? this.proposal.current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

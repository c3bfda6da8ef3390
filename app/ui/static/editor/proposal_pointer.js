/* The mouse on the proposal: a click or a drag over words pins them, Shift extends the phrase, Alt bans, a double click
   types over a word, and a pin is dragged to another place. */
import {h} from '../core/dom.js';
import {unitsOf} from '../core/pin_places.js';

const MIN_DRAG = 5; // pixels; less is a click
const MAX_AWAY = 60; // pixels above or below the line; a pin dropped further away stays

export class ProposalPointer {
  /** @type {{from: number, to: number | null} | null} words marked while the button is down; `to` after the first move */
  #range = null;
  /** @type {{unit: number, word: number | null, x: number, y: number, place: {to: number, isAfter: boolean} | null, isMoving: boolean} | null} */
  #pin = null;
  /** @type {number | null} */
  #anchor = null; // the word pressed last, where a phrase begins with Shift
  /** @type {{tokens: Run[], word: number} | null} the proposal before a click, for a second click in the same place */
  #clicked = null;

  /** @param {Proposal} proposal */
  constructor(proposal) {
    this.proposal = proposal;
    this.mark = h('span.dropmark', {hidden: true});
    const {line} = proposal;
    line.addEventListener('mousedown', event => this.onDown(event));
    line.addEventListener('mouseover', event => this.onOver(event));
    document.addEventListener('mousemove', event => this.onMove(event));
    document.addEventListener('mouseup', event => this.onUp(event));
  }

  get isMoving() {
    return Boolean(this.#pin?.isMoving);
  }

  /** The words have other numbers. */
  forget() {
    this.cancel();
    this.#anchor = null;
  }

  /** Nothing is marked or moved. */
  cancel() {
    this.#range = this.#pin = null;
    this.mark.hidden = true;
    this.proposal.line.classList.remove('moving');
    this.proposal.markRange(null);
  }

  /** @param {MouseEvent} event */
  onDown(event) {
    const {proposal} = this;
    const word = proposal.wordOf(event.target);
    const pin = /** @type {Element} */ (event.target).closest('.pin');
    const clicked = this.#clicked;
    this.#clicked = null;
    if (event.button || (word === null && !pin && !clicked)) return;
    event.preventDefault();
    if (clicked && event.detail === 2 && !event.shiftKey && !event.altKey) {
      proposal.takeBack(clicked.tokens);
      proposal.typeOver(clicked.word, clicked.word);
      return;
    }
    if (word !== null && event.altKey) {
      proposal.focusWord(word);
      proposal.ban(word, word);
      return;
    }
    proposal.anchor = null;
    if (!event.shiftKey) this.#anchor = word;
    const first = word ?? proposal.wordOf(pin?.querySelector('.w') ?? null);
    if (first !== null) proposal.focusWord(first);
    if (pin && !event.shiftKey) {
      const unit = unitsOf(proposal.tokens).findIndex(({words}) => first !== null && words.includes(first));
      this.#pin = {unit, word, x: event.clientX, y: event.clientY, place: null, isMoving: false};
    } else if (word !== null) this.#range = {from: word, to: null};
  }

  /** @param {MouseEvent} event */
  onOver(event) {
    const word = this.proposal.wordOf(event.target);
    if (word === null || !this.#range) return;
    if (word !== this.#range.from || this.#range.to !== null) this.#range.to = word;
    this.proposal.markRange(this.#range.from, word);
  }

  /** @param {MouseEvent} event */
  onMove({clientX: x, clientY: y}) {
    const pin = this.#pin;
    if (!pin || (!pin.isMoving && Math.hypot(x - pin.x, y - pin.y) < MIN_DRAG)) return;
    pin.isMoving = true;
    this.proposal.line.classList.add('moving');
    pin.place = this.placeAt(pin.unit, x, y);
  }

  /** @param {MouseEvent} event */
  onUp(event) {
    const {proposal} = this;
    const [pin, range] = [this.#pin, this.#range];
    if (!pin && !range) return;
    const word = proposal.wordOf(event.target);
    this.cancel();
    if (pin?.isMoving) {
      if (pin.place) proposal.movePin(pin.unit, pin.place.to, pin.place.isAfter);
    } else if (pin) {
      if (pin.word !== null) this.click(pin.word);
    } else if (range) {
      // Released beside the line: the words that are marked count.
      const to = word ?? range.to ?? (proposal.line.contains(/** @type {Node} */ (event.target)) ? range.from : null);
      if (to === null) return;
      const from = event.shiftKey && this.#anchor !== null ? this.#anchor : range.from;
      if (from === to) this.click(to);
      else proposal.press(from, to);
    }
  }

  /** @param {number} word */
  click(word) {
    const tokens = structuredClone(this.proposal.tokens);
    this.proposal.press(word, word);
    this.#clicked = {tokens, word};
  }

  /**
   * The place between words that is nearest to the pointer, which is marked, or null.
   * @param {number} moved
   * @param {number} x
   * @param {number} y
   */
  placeAt(moved, x, y) {
    const {proposal, mark} = this;
    const isRtl = getComputedStyle(proposal.line).direction === 'rtl';
    let least = Number.POSITIVE_INFINITY;
    let place = null;
    unitsOf(proposal.tokens).forEach(({words}, to) => {
      for (const box of words.flatMap(word => [...(proposal.elementOf(word)?.getClientRects() ?? [])])) {
        const away = Math.max(0, box.top - y, y - box.bottom);
        const distance = 100 * away + Math.max(0, box.left - x, x - box.right);
        if (to === moved || away > MAX_AWAY || distance >= least) continue;
        least = distance;
        const isRight = x > (box.left + box.right) / 2;
        place = {to, isAfter: isRight !== isRtl, box, isRight};
      }
    });
    mark.hidden = !place;
    if (!place) return null;
    /** @type {{to: number, isAfter: boolean, box: DOMRect, isRight: boolean}} */
    const {to, isAfter, box, isRight} = place;
    const host = mark.offsetParent?.getBoundingClientRect();
    mark.style.left = `${(isRight ? box.right : box.left - 2) - (host?.left ?? 0)}px`;
    mark.style.top = `${box.top - (host?.top ?? 0)}px`;
    mark.style.blockSize = `${box.height}px`;
    return {to, isAfter};
  }
}

/* The proposal as a sentence of words to press: click or Space pins, dragging or Shift selects a phrase, Delete or
   Alt+click bans, typing requires another phrase in place of the words, and pins can be moved. */
import {h, t, textIn} from '../core/dom.js';
import {movedPin, pinned, textOf, typedOver, unitsOf} from '../core/pin_places.js';
import {PhraseInput} from './phrase_input.js';
import {ProposalPointer} from './proposal_pointer.js';
import {proposalNodes} from './proposal_words.js';

export class Proposal {
  /**
   * @param {object} options
   * @param {(text: string, replaced: string[], follow?: string) => void} options.onPin `replaced`: pins that are part
   *   of the new one; `follow`: the proposal with the new pin in its place, if the model did not propose its words
   * @param {(text: string) => void} options.onUnpin
   * @param {(follow: string) => void} options.onMove `follow`: the proposal with a pin in another place
   * @param {() => void} options.onTakeBack takes back what the first click of a double click did
   * @param {(text: string) => void} options.onBan
   * @param {() => void} options.onLeave
   */
  constructor({onPin, onUnpin, onMove, onTakeBack, onBan, onLeave}) {
    this.onPin = onPin;
    this.onUnpin = onUnpin;
    this.onMove = onMove;
    this.onTakeBack = onTakeBack;
    this.onBan = onBan;
    this.onLeave = onLeave;
    this.line = h('p.hyp', {
      role: 'group',
      'aria-label': t('proposal.label'),
      'aria-description': t('proposal.keys'),
      dir: 'auto',
    });
    /** @type {Tags} */
    this.tags = {};
    this.signature = '';
    this.placeholder = '';
    /** @type {Run[]} */
    this.tokens = [];
    /** @type {number[]} */
    this.confidence = []; // of each word, 0 to 1
    this.showsConfidence = false;
    /** @type {string[]} */
    this.origins = []; // where each word comes from; '' for the model's own
    /** @type {number | null} */
    this.anchor = null; // the word where a phrase begins
    this.current = 0; // the word that Tab reaches
    this.input = new PhraseInput();
    /** @type {(() => void) | null} */
    this.waiting = null; // the rendering that waits until the input is closed
    this.pointer = new ProposalPointer(this);
    this.element = h('div.hypbox', {}, this.line, this.pointer.mark, this.input.element);
    this.line.addEventListener('focusin', event => {
      const word = this.wordOf(event.target);
      if (word !== null && word !== this.current) this.focusWord(word);
    });
    this.line.addEventListener('keydown', event => this.onKey(event));
  }

  /** The proposal as it is shown, which may be newer than the server's answer. */
  get text() {
    return textOf(this.tokens);
  }

  /** @param {EventTarget | null} target */
  wordOf(target) {
    const element = target instanceof HTMLElement ? target.closest('.w') : null;
    return element && this.line.contains(element) ? Number(element.getAttribute('data-word')) : null;
  }

  numWords() {
    return this.tokens.reduce((n, token) => (token.w === undefined ? n : token.w + 1), 0);
  }

  /**
   * tokens: joined, their texts are the proposal; {t: '', ban} marks the place of a banned word.
   * @param {Run[]} tokens
   * @param {{lang: string, isBusy?: boolean, placeholder?: string, confidence?: number[], origins?: string[]}} options
   */
  render(tokens, {lang, isBusy, placeholder, confidence = this.confidence, origins}) {
    this.setBusy(isBusy);
    origins ??= textOf(tokens) === this.text ? this.origins : [];
    const signature = JSON.stringify([tokens, lang, placeholder, this.showsConfidence && confidence, origins]);
    if (signature === this.signature) return; // elements under the pointer are not replaced
    if (this.input.isOpen) {
      this.waiting = () => this.render(tokens, {lang, isBusy, placeholder, confidence, origins});
      return;
    }
    this.signature = signature;
    const held = this.pinInFocus();
    const hadFocus = this.line.contains(document.activeElement);
    if (textOf(tokens) !== this.text) {
      this.anchor = null;
      this.pointer.forget();
    }
    this.tokens = tokens;
    this.confidence = confidence;
    this.origins = origins;
    this.placeholder = placeholder ?? '';
    const isHeld = held === null || tokens.some(token => token.w === this.current && token.pin === held);
    const place = isHeld ? null : tokens.find(token => token.pin === held && token.w !== undefined)?.w;
    this.current = Math.max(0, Math.min(place ?? this.current, this.numWords() - 1)); // the focus stays with its pin
    // The placeholder is in the language of the page.
    Object.assign(this.line, textIn(tokens.length ? lang : document.documentElement.lang));
    this.line.classList.toggle('none', !tokens.length);
    this.line.classList.toggle('long', tokens.length > 400);
    const nodes = proposalNodes(tokens, {
      tags: this.tags,
      current: this.current,
      confidence: this.showsConfidence ? confidence : null,
      origins,
    });
    this.line.replaceChildren(...(tokens.length ? nodes : [placeholder || '']));
    if (hadFocus) this.focusWord(this.current);
  }

  /** @param {boolean} isShown */
  showConfidence(isShown) {
    this.showsConfidence = isShown;
    this.render(this.tokens, {
      lang: this.line.lang,
      isBusy: this.line.classList.contains('busy'),
      placeholder: this.placeholder,
    });
  }

  /** @param {boolean} [isBusy] */
  setBusy(isBusy) {
    this.line.classList.toggle('busy', Boolean(isBusy));
    this.line.setAttribute('aria-busy', String(Boolean(isBusy)));
  }

  /** The pin that contains the word in focus, or null. */
  pinInFocus() {
    const isIn = this.line.contains(document.activeElement);
    return (isIn && this.tokens.find(token => token.w === this.current && token.pin !== undefined)?.pin) || null;
  }

  /** @param {number} word */
  elementOf(word) {
    return this.line.querySelector(`[data-word="${word}"]`);
  }

  /** @param {number} word */
  focusWord(word) {
    this.elementOf(this.current)?.setAttribute('tabindex', '-1');
    this.current = Math.max(0, Math.min(word, this.numWords() - 1));
    const element = this.elementOf(this.current);
    element?.setAttribute('tabindex', '0');
    element?.focus({preventScroll: true});
    return Boolean(element);
  }

  /**
   * @param {number | null} from
   * @param {number | null} [to]
   */
  markRange(from, to = from) {
    const first = Math.min(from ?? 0, to ?? 0);
    const last = Math.max(from ?? 0, to ?? 0);
    this.line.querySelectorAll('.w').forEach(element => {
      const word = Number(element.dataset.word);
      element.classList.toggle('range', from !== null && word >= first && word <= last);
    });
  }

  /**
   * Pins a word, or removes the pin that contains it. Pins several words as one phrase, with the pins that they touch.
   * @param {number} from
   * @param {number} to
   */
  press(from, to) {
    const pin = from === to && this.tokens.find(token => token.w === from)?.pin;
    if (typeof pin === 'string') {
      this.onUnpin(pin);
      return;
    }
    const after = pinned(this.tokens, from, to);
    if (!after) return;
    this.tokens = after.tokens; // shown at once, before the server answers
    this.signature = '';
    this.onPin(after.phrase, after.replaced);
  }

  /**
   * Opens an input over the words from one to another; the phrase typed there is required in their place.
   * @param {number} from
   * @param {number} to
   * @param {string} [text] what the input contains at first
   */
  typeOver(from, to, text = this.textOf(from, to)) {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const words = [...this.line.querySelectorAll('.w')].filter(element => {
      const word = Number(element.dataset.word);
      return word >= first && word <= last;
    });
    if (!words.length) return;
    this.markRange(first, last);
    const close = () => {
      this.anchor = null;
      this.markRange(null);
    };
    this.input.open(words, {
      name: this.textOf(first, last),
      text,
      lang: this.line.lang,
      onEnter: typed => {
        close();
        this.waiting = null;
        const after = typedOver(this.tokens, first, last, typed);
        if (!after) return;
        this.show(after.tokens, after.word);
        this.onPin(after.phrase, after.replaced, this.text);
      },
      onClose: goesBack => {
        close();
        const {waiting} = this;
        this.waiting = null;
        waiting?.();
        if (goesBack) this.focusWord(this.current);
      },
    });
  }

  /**
   * Moves a pin before or behind another word or pin; the numbers are those of `unitsOf`.
   * @param {number} unit
   * @param {number} to
   * @param {boolean} isAfter
   */
  movePin(unit, to, isAfter) {
    const after = movedPin(this.tokens, unit, to, isAfter);
    if (!after) return;
    this.show(after.tokens, after.word);
    this.onMove(this.text);
  }

  /**
   * Moves the pin in focus past the next word or pin.
   * @param {number} step 1 or -1
   */
  movePinInFocus(step) {
    const units = unitsOf(this.tokens);
    const unit = units.findIndex(({words}) => words.includes(this.current));
    if (units[unit]?.isPin) this.movePin(unit, unit + step, step > 0);
  }

  /**
   * Shows the proposal as it was before a click that turned out to be half of a double click.
   * @param {Run[]} tokens
   */
  takeBack(tokens) {
    this.onTakeBack();
    this.show(tokens, this.current);
  }

  /**
   * Shows other words before the server has answered, with the focus on one of them.
   * @param {Run[]} tokens
   * @param {number} word
   */
  show(tokens, word) {
    this.render(tokens, {lang: this.line.lang, isBusy: true, placeholder: this.placeholder});
    this.focusWord(word);
  }

  /** Another segment is open: nothing is typed, marked or moved. */
  reset() {
    this.waiting = null;
    this.input.close(false);
    this.pointer.forget();
    this.anchor = null;
    this.current = 0;
  }

  /**
   * The number of the word at a character of the proposal, or of the last word before it, or null.
   * @param {number} offset
   */
  wordAt(offset) {
    let start = 0;
    let before = null;
    for (const token of this.tokens) {
      const end = start + token.t.length;
      if (token.w !== undefined && start <= offset && offset < end) return token.w;
      if (token.w !== undefined && end <= offset) before = token.w;
      start = end;
    }
    return before;
  }

  /**
   * The text from one word to another.
   * @param {number} from
   * @param {number} to
   */
  textOf(from, to) {
    const first = this.tokens.findIndex(token => token.w === Math.min(from, to));
    const last = this.tokens.findLastIndex(token => token.w === Math.max(from, to));
    return first < 0
      ? ''
      : this.tokens
          .slice(first, last + 1)
          .map(token => token.t)
          .join('');
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  ban(from, to) {
    const text = this.textOf(from, to);
    this.anchor = null;
    this.markRange(null);
    if (text) this.onBan(text);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const word = this.wordOf(event.target);
    if (word === null || event.isComposing) return;
    const isText =
      [...event.key].length === 1 && event.key !== ' ' && !event.metaKey && (!event.ctrlKey || isAltGr(event));
    if (isText && (!event.altKey || isAltGr(event))) {
      this.typeOver(this.anchor ?? word, word, ''); // the letter goes into the input, which has the focus now
      event.stopPropagation();
      return;
    }
    const forward = getComputedStyle(this.line).direction === 'rtl' ? -1 : 1;
    const step = {ArrowRight: forward, ArrowLeft: -forward}[event.key];
    if (event.altKey && event.shiftKey && step && !event.ctrlKey && !event.metaKey) this.movePinInFocus(step);
    else if (event.altKey || event.ctrlKey || event.metaKey) return;
    else if (!this.onPlainKey(event, word, step)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * A key without Alt or Ctrl. Returns whether it does something here.
   * @param {KeyboardEvent} event
   * @param {number} word
   * @param {number | undefined} step
   */
  onPlainKey({key, shiftKey}, word, step) {
    const target = step ? word + step : {Home: 0, End: this.numWords() - 1}[key];
    const from = this.anchor ?? word;
    if (target !== undefined) {
      this.anchor = shiftKey ? from : null;
      this.focusWord(target);
      this.markRange(this.anchor, this.current);
    } else if (key === ' ') {
      this.anchor = null;
      this.markRange(null);
      this.press(from, word);
    } else if (key === 'Enter' || key === 'F2') this.typeOver(from, word);
    else if (key === 'Delete') this.ban(from, word);
    else if (key === 'Escape' && this.pointer.isMoving) this.pointer.cancel();
    else if (key === 'Escape' || key === 'ArrowDown') {
      this.anchor = null;
      this.markRange(null);
      this.onLeave();
    } else return false;
    return true;
  }
}

/** @param {KeyboardEvent} event */
const isAltGr = event => event.getModifierState('AltGraph');

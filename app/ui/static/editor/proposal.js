/* The proposal as a sentence of words to press: click or Space pins, dragging or Shift selects a phrase, Delete or
   Alt+click bans. */
import {chip, tagOf, withChips} from '../core/chips.js';
import {h, icon, sr, t, textIn} from '../core/dom.js';
import {percent} from '../core/texts.js';
import {shown} from '../core/unseen.js';

const DOUBTS = [0.25, 0.5, 0.8]; // below each, a word is underlined more heavily

export class Proposal {
  /**
   * @param {object} options
   * @param {(text: string, replaced: string[]) => void} options.onPin `replaced`: pins that are part of the new one
   * @param {(text: string) => void} options.onUnpin
   * @param {(text: string) => void} options.onBan
   * @param {() => void} options.onLeave
   */
  constructor({onPin, onUnpin, onBan, onLeave}) {
    this.onPin = onPin;
    this.onUnpin = onUnpin;
    this.onBan = onBan;
    this.onLeave = onLeave;
    this.line = h('p.hyp', {role: 'group', 'aria-label': t('proposal.label'), dir: 'auto'});
    /** @type {Tags} */
    this.tags = {};
    this.signature = '';
    this.placeholder = '';
    /** @type {Run[]} */
    this.tokens = [];
    /** @type {number[]} */
    this.confidence = []; // of each word, 0 to 1
    this.showsConfidence = false;
    /** @type {number | null} */
    this.drag = null; // the word where the button was pressed
    /** @type {number | null} */
    this.anchor = null; // the word where a phrase begins
    this.current = 0; // the word that Tab reaches
    this.line.addEventListener('mousedown', event => {
      const word = this.wordOf(event.target);
      if (word === null || event.button) return;
      event.preventDefault();
      if (event.altKey) {
        this.focusWord(word);
        this.ban(word, word);
        return;
      }
      this.drag = word;
      if (!event.shiftKey) this.anchor = word;
      this.focusWord(word);
    });
    this.line.addEventListener('mouseover', event => {
      const word = this.wordOf(event.target);
      if (word !== null && this.drag !== null) this.markRange(this.drag, word);
    });
    this.line.addEventListener('mouseup', event => {
      const word = this.wordOf(event.target);
      const start = this.drag;
      this.drag = null;
      this.markRange(null);
      if (start === null || word === null) return;
      this.press(event.shiftKey && this.anchor !== null ? this.anchor : start, word);
    });
    document.addEventListener('mouseup', () => {
      if (this.drag !== null) {
        this.drag = null;
        this.markRange(null);
      }
    });
    this.line.addEventListener('keydown', event => this.onKey(event));
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
   * @param {{lang: string, isBusy?: boolean, placeholder?: string, confidence?: number[]}} options
   */
  render(tokens, {lang, isBusy, placeholder, confidence = this.confidence}) {
    this.setBusy(isBusy);
    const signature = JSON.stringify([tokens, lang, placeholder, this.showsConfidence && confidence]);
    if (signature === this.signature) return; // elements under the pointer are not replaced
    this.signature = signature;
    this.drag = this.anchor = null; // the word numbers have changed
    const hadFocus = this.line.contains(document.activeElement);
    this.tokens = tokens;
    this.confidence = confidence;
    this.placeholder = placeholder ?? '';
    this.current = Math.max(0, Math.min(this.current, this.numWords() - 1));
    // The placeholder is in the language of the page.
    Object.assign(this.line, textIn(tokens.length ? lang : document.documentElement.lang));
    this.line.classList.toggle('none', !tokens.length);
    this.line.classList.toggle('long', tokens.length > 400);
    const nodes = [];
    for (let i = 0; i < tokens.length; ) {
      if (tokens[i].pin === undefined) {
        nodes.push(this.piece(tokens[i], i));
        i++;
        continue;
      }
      const first = i;
      const {pin, at} = tokens[i];
      while (i < tokens.length && tokens[i].pin === pin && tokens[i].at === at) i++;
      const [head, ...rest] = tokens.slice(first, i);
      nodes.push(
        h(
          'span.pin',
          {title: t('proposal.pinned.title')},
          h('span.nw', {}, icon('lock'), sr(t('proposal.pinned.sr')), this.piece(head, first)),
          rest.map((token, k) => this.piece(token, first + 1 + k)),
        ),
      );
    }
    this.line.replaceChildren(...(tokens.length ? nodes : [placeholder || '']));
    if (hadFocus) this.focusWord(this.current);
  }

  /**
   * @param {Run} token
   * @param {number} at
   */
  piece(token, at) {
    if (token.ban)
      return h(
        'span.nw.struck',
        {},
        h('span.banned', {title: t('bans.struck')}, icon('ban'), sr(t('bans.sr')), token.ban),
        ' ',
      );
    const tag = tagOf(token.t, this.tags);
    if (token.w === undefined)
      return tag
        ? chip(token.t, tag)
        : token.tag
          ? h('span.asis', {title: t('kept.title'), dir: 'ltr'}, token.t)
          : token.t.includes('{')
            ? h('span', {}, withChips(token.t, this.tags))
            : document.createTextNode(token.t);
    const isFirst = this.tokens.findIndex(other => other.w === token.w) === at;
    return h(
      `span.w${token.kept && !tag ? '.asis' : ''}${token.new ? '.new' : ''}`,
      {
        'data-word': token.w,
        dir: token.kept ? 'ltr' : null,
        role: 'button',
        tabindex: isFirst && token.w === this.current ? 0 : -1,
        'aria-pressed': String(token.pin !== undefined),
        title: token.new ? t('proposal.new.title') : null,
        ...(token.kept ? {} : this.doubt(token.w)),
      },
      tag ? chip(token.t, tag) : shown(token.t),
      token.terms && h('span.mk', {title: t('proposal.term.title')}, icon('check'), sr(t('proposal.term.sr'))),
    );
  }

  /**
   * The model's confidence in a word, as attributes: a pattern under the word, and the percentage.
   * @param {number} word
   */
  doubt(word) {
    const probability = this.confidence[word];
    if (!this.showsConfidence || probability === undefined) return {};
    const label = t('confidence.word', {percent: percent(probability)});
    const level = DOUBTS.findIndex(limit => probability < limit);
    return {title: label, 'aria-description': label, 'data-doubt': level < 0 ? null : DOUBTS.length - level};
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
    let first = this.tokens.findIndex(token => token.w === Math.min(from, to));
    let last = this.tokens.findLastIndex(token => token.w === Math.max(from, to));
    if (first < 0 || last < 0) return;
    const pinned = this.tokens.slice(first, last + 1).find(token => token.pin !== undefined)?.pin;
    if (from === to && pinned !== undefined) {
      this.onUnpin(pinned);
      return;
    }
    /**
     * @param {number} a
     * @param {number} b
     */
    const isSame = (a, b) =>
      this.tokens[a]?.pin !== undefined &&
      this.tokens[a].pin === this.tokens[b]?.pin &&
      this.tokens[a].at === this.tokens[b].at;
    while (isSame(first, first - 1)) first--;
    while (isSame(last, last + 1)) last++;
    const covered = this.tokens.slice(first, last + 1);
    const replaced = [
      ...new Map(
        covered.flatMap(({at, pin}) => (pin === undefined ? [] : [/** @type {const} */ ([at, pin])])),
      ).values(),
    ];
    const text = covered.map(token => token.t).join('');
    covered.forEach(token => {
      token.pin = text; // shown at once, before the server answers
      token.at = 'new';
    });
    this.signature = '';
    this.onPin(text, replaced);
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
    if (word === null || event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const forward = getComputedStyle(this.line).direction === 'rtl' ? -1 : 1;
    const target = {ArrowRight: word + forward, ArrowLeft: word - forward, Home: 0, End: this.numWords() - 1}[
      event.key
    ];
    if (target !== undefined) {
      if (!event.shiftKey) this.anchor = null;
      else this.anchor ??= word;
      this.focusWord(target);
      this.markRange(event.shiftKey ? this.anchor : null, this.current);
    } else if (event.key === ' ' || event.key === 'Enter') {
      const from = this.anchor ?? word;
      this.anchor = null;
      this.markRange(null);
      this.press(from, word);
    } else if (event.key === 'Delete') {
      this.ban(this.anchor ?? word, word);
    } else if (event.key === 'Escape' || event.key === 'ArrowDown') {
      this.anchor = null;
      this.markRange(null);
      this.onLeave();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

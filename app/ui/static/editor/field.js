/* The edit field: a text area above a mirror of its text, and the record of changes made in it. */
import {Changes, originOf} from '../core/changes.js';
import {partsOf, sideOf, tagLabel} from '../core/chips.js';
import {h, isRightToLeft, setText, t} from '../core/dom.js';
import {oneLine} from '../core/unseen.js';
import {wholeWords, withoutMarks, wordAround} from '../core/words.js';

export class Field {
  /**
   * onInput(kind): the person changed the text; onLoss(codes): the text lost characters that cannot be stored.
   * @param {object} options
   * @param {(kind: string) => void} options.onBeforeInput
   * @param {(kind: string) => void} options.onInput
   * @param {() => void} options.onBlur
   * @param {(codes: string[]) => void} options.onLoss
   */
  constructor({onBeforeInput, onInput, onBlur, onLoss}) {
    this.ghost = ''; // the completion shown behind the text
    /** @type {number[][]} */
    this.marks = []; // [start, end] of the words that an offer would change
    /** @type {Tags} */
    this.tags = {}; // those of the source
    this.isComposing = false; // an input method composes letters
    this.changes = new Changes();
    this.mirror = h('div.mirror', {'aria-hidden': 'true'});
    this.area = h('textarea', {
      id: 'pinpoint-edit',
      rows: 1,
      spellcheck: 'true',
      autocomplete: 'off',
      'aria-label': t('field.label'),
    });
    this.element = h('div.field', {}, this.mirror, this.area);
    this.tagNote = h('span.tagnote', {'aria-hidden': 'true', dir: 'auto'}); // what the tag at the caret is
    this.area.addEventListener('beforeinput', event => {
      if (event.inputType === 'historyUndo' || event.inputType === 'historyRedo') {
        event.preventDefault();
        return;
      }
      if (event.inputType === 'insertLineBreak' || event.inputType === 'insertParagraph') {
        event.preventDefault();
        return;
      }
      /** @type {[number, number]} */
      this.selected = [this.area.selectionStart, this.area.selectionEnd];
      if (!event.isComposing) onBeforeInput(kindOf(event));
    });
    this.area.addEventListener('compositionstart', () => {
      this.isComposing = true;
      onBeforeInput('type-insert'); // a composition is one step
    });
    this.area.addEventListener('input', event => {
      const {text, codes} = oneLine(this.area.value);
      if (text !== this.area.value) {
        const {selectionStart} = this.area;
        this.area.value = text;
        this.area.setSelectionRange(selectionStart, selectionStart);
        if (codes.length) onLoss(codes);
      }
      this.marks = [];
      this.grow();
      if (!event.isComposing)
        this.changes.note(this.area.value, originOf(event), this.area.selectionEnd, this.selected);
      onInput(kindOf(event));
    });
    this.area.addEventListener('compositionend', () => {
      this.isComposing = false;
      this.changes.note(this.area.value, 'typed', this.area.selectionEnd);
    });
    this.area.addEventListener('blur', onBlur);
    this.area.addEventListener('pointermove', event => this.describe(event));
    this.area.addEventListener('selectionchange', () => this.describeAtCaret());
  }

  get text() {
    return this.area.value;
  }

  /**
   * Replaces the text; without `start` caret and selection keep their place, and an end at the text's end stays there.
   * @param {string} text
   * @param {number | null} [start]
   * @param {number | null} [end]
   */
  set(text, start = null, end = start) {
    const {selectionStart, selectionEnd, value} = this.area;
    if (value !== text) {
      this.ghost = '';
      this.marks = [];
      this.area.value = text;
      this.changes.begin(text);
      if (start === null)
        [start, end] = [selectionStart, selectionEnd].map(at => (at >= value.length ? text.length : at));
    }
    if (start !== null) this.area.setSelectionRange(Math.min(start, text.length), Math.min(end ?? start, text.length));
    this.grow();
  }

  /** Updates the mirror, which gives the field its height and shows the completion. U+200C keeps the text and the
      completion apart where letters join, as in Arabic. */
  grow() {
    const {value} = this.area;
    let place = 0;
    const marked = this.marks.flatMap(([start, end]) => {
      const pieces = [value.slice(place, start), h(`mark${start === end ? '.gap' : ''}`, {}, value.slice(start, end))];
      place = end;
      return pieces;
    });
    this.mirror.replaceChildren(
      ...marked,
      ...partsOf(value.slice(place), this.tags).map(({text, tag}) =>
        tag ? h(`span.intag.${sideOf(text)}`, {'data-label': tagLabel(text, tag)}, text) : text,
      ),
      this.ghost && '\u200c',
      h('span.ghost', {}, this.ghost),
      '\u200b',
    );
  }

  /**
   * Shows what the tag under the pointer is. The mirror has the tags where the text area has their letters.
   * @param {PointerEvent} event
   */
  describe({clientX: x, clientY: y}) {
    const tag = [...this.mirror.querySelectorAll('.intag')].find(element =>
      [...element.getClientRects()].some(box => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom),
    );
    const label = tag?.dataset.label ?? '';
    if (this.area.title !== label) this.area.title = label;
  }

  /** Shows what the tag at the caret is, to screen readers too. */
  describeAtCaret() {
    let end = 0;
    const {selectionStart: caret} = this.area;
    const at = partsOf(this.area.value, this.tags).find(({text}) => {
      end += text.length;
      return caret < end;
    });
    this.area.ariaDescription = at?.tag ? tagLabel(at.text, at.tag) : null;
    setText(this.tagNote, this.area.ariaDescription ?? '');
    this.tagNote.title = this.tagNote.textContent;
  }

  /**
   * Marks stretches of the text; the next change of the text removes the marks.
   * @param {number[][]} spans
   */
  mark(spans) {
    this.marks = spans;
    this.grow();
  }

  /** @param {string} text */
  showGhost(text) {
    this.ghost = text;
    this.grow();
  }

  /**
   * Sets the language, and with it the direction of text and mirror.
   * @param {string} lang
   */
  setLanguage(lang) {
    for (const element of [this.area, this.mirror])
      Object.assign(element, {lang, dir: isRightToLeft(lang) ? 'rtl' : 'ltr'});
  }

  /** The selected text, or ''. */
  chosen() {
    return this.area.value.slice(this.area.selectionStart, this.area.selectionEnd);
  }

  /** The words that are selected at least in part, else the word at the caret; without spaces around them. */
  selection() {
    const [start, end] = wholeWords(this.area.value, ...this.range());
    const text = this.area.value.slice(start, end).trim();
    return this.area.selectionStart === this.area.selectionEnd ? withoutMarks(text) : text;
  }

  /**
   * [start, end] of the selection, else of the word at the caret with its punctuation.
   * @returns {[number, number]}
   */
  range() {
    const {selectionStart: start, selectionEnd: end, value} = this.area;
    if (start !== end) return [start, end];
    return wordAround(value, start);
  }
}

/** @param {{inputType?: string}} event */
const kindOf = event =>
  event.inputType?.startsWith('delete')
    ? 'type-delete'
    : event.inputType === 'insertFromPaste' || event.inputType === 'insertFromDrop'
      ? 'paste'
      : 'type-insert';

/* The edit field: a text area over a mirror of its text, and the changes that the person makes in it. */
import {Changes, originOf} from '../core/changes.js';
import {h, isRightToLeft, t} from '../core/dom.js';
import {oneLine} from '../core/unseen.js';
import {wholeWords, withoutMarks, wordAround} from '../core/words.js';

export class Field {
  /**
   * onInput(kind): the person changed the text; onBlur(): left it; onLoss(codes): it had characters that cannot be kept.
   * @param {{onBeforeInput: (kind: string) => void, onInput: (kind: string) => void, onBlur: () => void, onLoss: (codes: string[]) => void}} options
   */
  constructor({onBeforeInput, onInput, onBlur, onLoss}) {
    this.ghost = ''; // offered behind the text, not part of it
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
    this.area.addEventListener('compositionstart', () => onBeforeInput('type-insert')); // what is composed is one step
    this.area.addEventListener('input', event => {
      const {text, codes} = oneLine(this.area.value);
      if (text !== this.area.value) {
        const {selectionStart} = this.area;
        this.area.value = text;
        this.area.setSelectionRange(selectionStart, selectionStart);
        if (codes.length) onLoss(codes);
      }
      this.grow();
      if (!event.isComposing)
        this.changes.note(this.area.value, originOf(event), this.area.selectionEnd, this.selected);
      onInput(kindOf(event));
    });
    this.area.addEventListener('compositionend', () =>
      this.changes.note(this.area.value, 'typed', this.area.selectionEnd),
    );
    this.area.addEventListener('blur', onBlur);
  }

  get text() {
    return this.area.value;
  }

  /**
   * Replaces the text; the caret stays where it is, or goes where it is told.
   * @param {string} text
   * @param {number | null} [start]
   * @param {number | null} [end]
   */
  set(text, start = null, end = start) {
    const {selectionStart, selectionEnd, value} = this.area;
    if (value !== text) {
      this.ghost = '';
      const wasAtEnd = selectionStart >= value.length;
      this.area.value = text;
      this.changes.begin(text);
      if (start === null) [start, end] = wasAtEnd ? [text.length, text.length] : [selectionStart, selectionEnd];
    }
    if (start !== null) this.area.setSelectionRange(Math.min(start, text.length), Math.min(end ?? start, text.length));
    this.grow();
  }

  /** The mirror under the text gives the field its height, and shows what is offered behind the text; the letters of the
      one do not join those of the other, as the text above has its last letter without any behind it. */
  grow() {
    this.mirror.replaceChildren(this.area.value, this.ghost && '\u200c', h('span.ghost', {}, this.ghost), '\u200b');
  }

  /** @param {string} text */
  showGhost(text) {
    this.ghost = text;
    this.grow();
  }

  /**
   * Letters and mirror run the same way, whatever the text begins with: that of the language.
   * @param {string} lang
   */
  setLanguage(lang) {
    for (const element of [this.area, this.mirror])
      Object.assign(element, {lang, dir: isRightToLeft(lang) ? 'rtl' : 'ltr'});
  }

  /** The selected text, or nothing. */
  chosen() {
    return this.area.value.slice(this.area.selectionStart, this.area.selectionEnd);
  }

  /** The words that are selected, be it in part, else the word at the caret; without spaces around it. */
  selection() {
    const [start, end] = wholeWords(this.area.value, ...this.range());
    const text = this.area.value.slice(start, end).trim();
    return this.area.selectionStart === this.area.selectionEnd ? withoutMarks(text) : text;
  }

  /**
   * Where that stands, with the marks at the word.
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

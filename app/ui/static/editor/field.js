/* The edit field: its text, the note on the tag at the caret, and the record of changes made in it. */
import {Changes, originOf} from '../core/changes.js';
import {partsOf, tagLabel} from '../core/chips.js';
import {h, isRightToLeft, setText, t} from '../core/dom.js';
import {wholeWords, wordAround, wordAt} from '../core/words.js';
import {TextBox} from './text_box.js';

export class Field {
  /**
   * onBeforeInput(kind): the person is about to change the text; onInput(): the person changed it; onLoss(codes): the text
   * lost characters that cannot be stored.
   * @param {object} options
   * @param {(kind: string) => void} options.onBeforeInput
   * @param {() => void} options.onInput
   * @param {() => void} options.onBlur
   * @param {(codes: string[]) => void} options.onLoss
   */
  constructor({onBeforeInput, onInput, onBlur, onLoss}) {
    this.changes = new Changes();
    this.box = new TextBox({
      attributes: {
        id: 'pinpoint-edit',
        spellcheck: 'true',
        autocorrect: 'on',
        autocapitalize: 'sentences',
        'aria-label': t('field.label'),
        'aria-multiline': 'false',
      },
      onBeforeInput: input => onBeforeInput(kindOf(input)),
      onInput: (input, selected) => {
        const {area, isComposing} = this.box;
        if (!isComposing) this.changes.note(area.value, originOf(input), area.selectionEnd, selected);
        onInput();
      },
      onLoss,
    });
    this.area = this.box.area;
    this.element = h('div.field', this.box.element);
    this.tagNote = h('span.tagnote', {'aria-hidden': 'true', dir: 'auto'}); // what the tag at the caret is
    this.area.addEventListener('composed', () => this.changes.note(this.text, 'typed', this.area.selectionEnd));
    this.area.addEventListener('blur', onBlur);
    this.area.addEventListener('selectionchange', () => this.describeAtCaret());
  }

  get text() {
    return this.area.value;
  }

  /** The completion shown behind the text. */
  get ghost() {
    return this.box.ghost;
  }

  get isComposing() {
    return this.box.isComposing;
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
      this.box.ghost = '';
      this.box.offered = [];
      this.box.replace(text);
      this.changes.begin(text);
      if (start === null)
        [start, end] = [selectionStart, selectionEnd].map(at => (at >= value.length ? text.length : at));
    }
    if (start !== null) this.area.setSelectionRange(start, end ?? start);
  }

  /** Shows what the tag at the caret is, to screen readers too. */
  describeAtCaret() {
    let end = 0;
    const {selectionStart: caret, value} = this.area;
    const at = partsOf(value, this.box.tags).find(({text}) => {
      end += text.length;
      return caret < end;
    });
    const label = at?.tag ? tagLabel(at.text, at.tag) : '';
    this.box.describe({'aria-description': label});
    setText(this.tagNote, label);
    this.tagNote.title = label;
  }

  /**
   * Shows what would change in the text; the next change of the text removes it.
   * @param {OfferedChange[]} offered
   */
  offer(offered) {
    this.box.offered = offered;
    this.box.repaint();
  }

  /** @param {string} text */
  showGhost(text) {
    this.box.ghost = text;
    this.box.repaint();
  }

  /**
   * Sets the language, and with it the direction, and the tags that are shown as chips.
   * @param {string} lang
   * @param {Tags} tags those of the source
   */
  setLanguage(lang, tags) {
    this.box.tags = tags;
    this.box.describe({lang, dir: isRightToLeft(lang) ? 'rtl' : 'ltr'});
    this.box.repaint();
  }

  /** The selected text, or ''. */
  chosen() {
    return this.area.value.slice(this.area.selectionStart, this.area.selectionEnd);
  }

  /**
   * [start, end] of the words that are selected at least in part, else of the word at the caret; without spaces around them.
   * @returns {[number, number]}
   */
  words() {
    const {selectionStart, selectionEnd, value} = this.area;
    if (selectionStart === selectionEnd) return wordAt(value, selectionStart);
    const [start, end] = wholeWords(value, selectionStart, selectionEnd);
    const chosen = value.slice(start, end);
    const from = start + chosen.length - chosen.trimStart().length;
    return [from, from + chosen.trim().length];
  }

  /** The text of `words`. */
  selection() {
    return this.area.value.slice(...this.words());
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

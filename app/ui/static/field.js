/* The edit field and the history of one segment: text and constraints go back and forth together. */
import {Changes, originOf} from './changes.js';
import {h, isRightToLeft, t} from './dom.js';
import {storable} from './unseen.js';
import {wholeWords, wordAround} from './words.js';

const TYPING_PAUSE_MS = 1000;
const MAX_STEPS = 500;
const MARKS = /^["'(\[„“‚‘»«›‹¿¡「『（《]+|["')\].,;:!?…“”‘’«»‹›。，、！？：；」』）》]+$/g;   // around a word, not part of it

/** Undo and redo over snapshots {text, pins, termsOff, bans, beginning, locked, start, end}; text null stands for "as proposed". */
export class History {
  constructor() { this.past = []; this.future = []; this.lastKind = null; this.lastAt = 0; }

  /** Call before a change; letters typed in one go make one step. */
  record(snapshot, kind) {
    const now = performance.now();
    const isContinued = kind.startsWith('type') && kind === this.lastKind && now - this.lastAt < TYPING_PAUSE_MS && !this.future.length;
    this.lastKind = kind;
    this.lastAt = now;
    if (isContinued) return;
    this.past.push({...snapshot, at: now});
    if (this.past.length > MAX_STEPS) this.past.shift();
    this.future = [];
  }

  /** What is typed from here on is another step: the segment was left or confirmed. */
  pause() { this.lastKind = null; }

  /** What undo goes back to where the person has done nothing yet. */
  begin(snapshot) { if (!this.past.length && !this.future.length) this.record(snapshot, 'begin'); }

  /** The snapshot that a step would take, or undefined; `at` is when it was kept. */
  newest(isUndo) { return (isUndo ? this.past : this.future).at(-1); }

  /** The snapshot to go back (or forth) to, or null. */
  step(current, isUndo) {
    const [from, to] = isUndo ? [this.past, this.future] : [this.future, this.past];
    if (!from.length) return null;
    to.push({...current, at: performance.now()});
    this.lastKind = null;
    return from.pop();
  }
}

export class Field {
  /** onInput(kind): the person changed the text; onBlur(): left it; onLoss(codes): it had characters that cannot be kept. */
  constructor({onBeforeInput, onInput, onBlur, onLoss}) {
    this.ghost = '';                                  // offered behind the text, not part of it
    this.changes = new Changes();
    this.mirror = h('div.mirror', {'aria-hidden': 'true'});
    this.area = h('textarea', {id: 'pinpoint-edit', rows: 1, spellcheck: 'true', autocomplete: 'off', 'aria-label': t('field.label')});
    this.element = h('div.field', {}, this.mirror, this.area);
    this.area.addEventListener('beforeinput', event => {
      if (event.inputType === 'historyUndo' || event.inputType === 'historyRedo') { event.preventDefault(); return; }
      if (event.inputType === 'insertLineBreak' || event.inputType === 'insertParagraph') { event.preventDefault(); return; }
      this.selected = [this.area.selectionStart, this.area.selectionEnd];
      if (!event.isComposing) onBeforeInput(kindOf(event));
    });
    this.area.addEventListener('compositionstart', () => onBeforeInput('type-insert'));   // what is composed is one step
    this.area.addEventListener('input', event => {
      const {text, codes} = storable(this.area.value.replace(/\r\n|[\r\n\u2028\u2029]/g, ' '));   // a segment is one line
      if (text !== this.area.value) {
        const {selectionStart} = this.area;
        this.area.value = text;
        this.area.setSelectionRange(selectionStart, selectionStart);
        if (codes.length) onLoss(codes);
      }
      this.grow();
      if (!event.isComposing) this.changes.note(this.area.value, originOf(event), this.area.selectionEnd, this.selected);
      onInput(kindOf(event));
    });
    this.area.addEventListener('compositionend', () => this.changes.note(this.area.value, 'typed', this.area.selectionEnd));
    this.area.addEventListener('blur', onBlur);
  }

  get text() { return this.area.value; }

  /** Replaces the text; the caret stays where it is, or goes where it is told. */
  set(text, start = null, end = start) {
    const {selectionStart, selectionEnd, value} = this.area;
    if (value !== text) {
      this.ghost = '';
      const wasAtEnd = selectionStart >= value.length;
      this.area.value = text;
      this.changes.begin(text);
      if (start === null) [start, end] = wasAtEnd ? [text.length, text.length] : [selectionStart, selectionEnd];
    }
    if (start !== null) this.area.setSelectionRange(Math.min(start, text.length), Math.min(end, text.length));
    this.grow();
  }

  /** The mirror under the text gives the field its height, and shows what is offered behind the text; the letters of the
      one do not join those of the other, as the text above has its last letter without any behind it. */
  grow() {
    this.mirror.replaceChildren(this.area.value, this.ghost && '\u200c', h('span.ghost', {}, this.ghost), '\u200b');
  }

  showGhost(text) {
    this.ghost = text;
    this.grow();
  }

  /** Letters and mirror run the same way, whatever the text begins with: that of the language. */
  setLanguage(lang) {
    for (const element of [this.area, this.mirror]) Object.assign(element, {lang, dir: isRightToLeft(lang) ? 'rtl' : 'ltr'});
  }

  /** The selected text, or nothing. */
  chosen() { return this.area.value.slice(this.area.selectionStart, this.area.selectionEnd); }

  /** The words that are selected, be it in part, else the word at the caret; without spaces around it. */
  selection() {
    const [start, end] = wholeWords(this.area.value, ...this.range());
    return this.area.value.slice(start, end).trim().replace(this.area.selectionStart === this.area.selectionEnd ? MARKS : '', '');
  }

  /** Where that stands, with the marks at the word. */
  range() {
    const {selectionStart: start, selectionEnd: end, value} = this.area;
    if (start !== end) return [start, end];
    return wordAround(value, start);
  }
}

/** The first of the source's placeholders that stands in the text less often than asked for, or undefined. */
export const nextPlaceholder = (placeholders, text) => {
  const asked = new Map();
  return placeholders.find(placeholder => {
    asked.set(placeholder, (asked.get(placeholder) ?? 0) + 1);
    return text.split(placeholder).length - 1 < asked.get(placeholder);
  });
};

/** The text in the case that comes next: small letters, a capital at each word, all capitals. */
export const nextCase = (text, lang) => {
  const small = text.toLocaleLowerCase(lang), large = text.toLocaleUpperCase(lang);
  const capitals = small.replace(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, letter => letter.toLocaleUpperCase(lang));
  if (text === small) return capitals;
  return text === capitals && capitals !== large ? large : small;
};

const kindOf = event => (event.inputType?.startsWith('delete') ? 'type-delete'
  : event.inputType === 'insertFromPaste' || event.inputType === 'insertFromDrop' ? 'paste' : 'type-insert');

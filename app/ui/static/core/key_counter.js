/* Counts the keys pressed in the edit field by class, and tells the server now and then. Which keys they were and where
   the caret stood is noted only where the person has agreed to it. */
import {countOf} from './changes.js';

export const MAX_KEY_CHARACTERS = 20; // of a key's name, as the server accepts it
const TELL_AFTER_MS = 10000;
const MAX_NOTED = 4000; // between two tellings; the server takes a few more
const NAVIGATION = /^(Arrow|Home|End|Page|Tab|Escape|F\d)/;

/**
 * "character", "delete", "navigation", "command", or null for a key that does nothing by itself.
 * @param {KeyboardEvent} event
 */
export const keyClass = event => {
  if (['Control', 'Alt', 'Shift', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Unidentified'].includes(event.key))
    return null;
  if (event.key === 'Backspace' || event.key === 'Delete') return 'delete';
  if (
    event.key.length === 1 &&
    (event.getModifierState('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey))
  )
    return 'character';
  if (NAVIGATION.test(event.key) && !event.altKey) return 'navigation';
  return 'command';
};

export class KeyCounter {
  /**
   * tell({counts, presses, carets}) is called a while after the first key, and by flush(); hasConsent(): whether single keys are noted.
   * @param {HTMLTextAreaElement} area
   * @param {{tell: (noted: KeyCounts) => void, hasConsent: () => boolean}} options
   */
  constructor(area, {tell, hasConsent}) {
    this.area = area;
    this.tell = tell;
    this.hasConsent = hasConsent;
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
    // On the window and before anybody else: a key that is a command is kept from the field.
    window.addEventListener(
      'keydown',
      event => {
        if (document.activeElement === area) this.count(event);
      },
      true,
    );
    document.addEventListener('selectionchange', () => {
      if (document.activeElement === area) this.noteCaret();
    });
  }

  /** @type {Counts} */
  counts = {};
  /** @type {[number, string][]} */
  presses = [];
  /** @type {[number, number, number][]} */
  carets = [];
  /** @type {number | null} */
  since = null;

  forget() {
    this.counts = {};
    this.presses = [];
    this.carets = [];
    this.since = null;
  }

  /** @param {KeyboardEvent} event */
  count(event) {
    const name = keyClass(event);
    if (!name) return;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    if (this.hasConsent() && this.presses.length < MAX_NOTED)
      this.presses.push([this.at(), event.key.slice(0, MAX_KEY_CHARACTERS)]);
    this.timer ??= setTimeout(() => this.flush(), TELL_AFTER_MS);
  }

  noteCaret() {
    if (!this.hasConsent() || this.carets.length >= MAX_NOTED) return;
    const {value, selectionStart: start, selectionEnd: end} = this.area;
    this.carets.push([this.at(), countOf(value.slice(0, start)), countOf(value.slice(0, end))]);
    this.timer ??= setTimeout(() => this.flush(), TELL_AFTER_MS);
  }

  /** Milliseconds since the first that is noted. */
  at() {
    this.since ??= performance.now();
    return Math.round(performance.now() - this.since);
  }

  flush() {
    clearTimeout(this.timer ?? undefined);
    this.timer = null;
    const {counts, presses, carets} = this;
    this.forget();
    if (Object.keys(counts).length || carets.length) this.tell({counts, presses, carets});
  }
}

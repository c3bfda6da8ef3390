/* Counts the keys pressed in the edit field by class and reports them now and then. Single keys and positions of the
   caret are recorded only with the person's consent. */
import {countOf} from './changes.js';

export const MAX_KEY_CHARACTERS = 20; // of a key's name; the server has the same limit
const SEND_AFTER_MS = 10000;
const MAX_NOTED = 4000; // between two reports; the server accepts a few more
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
   * onCount({counts, presses, carets}): called a while after the first key, and by flush(); hasConsent(): whether
   * single keys are recorded.
   * @param {TextAreaLike} area
   * @param {{onCount: (counted: KeyCounts) => void, hasConsent: () => boolean}} options
   */
  constructor(area, {onCount, hasConsent}) {
    this.area = area;
    this.onCount = onCount;
    this.hasConsent = hasConsent;
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
    // On the window and first of all listeners: keys of commands do not reach the field.
    window.addEventListener(
      'keydown',
      event => {
        if (document.activeElement === area) this.count(event);
      },
      true,
    );
    area.addEventListener('selectionchange', () => {
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
    this.timer ??= setTimeout(() => this.flush(), SEND_AFTER_MS);
  }

  noteCaret() {
    if (!this.hasConsent() || this.carets.length >= MAX_NOTED) return;
    const {value, selectionStart: start, selectionEnd: end} = this.area;
    this.carets.push([this.at(), countOf(value.slice(0, start)), countOf(value.slice(0, end))]);
    this.timer ??= setTimeout(() => this.flush(), SEND_AFTER_MS);
  }

  /** Milliseconds since the first key or position that is recorded. */
  at() {
    this.since ??= performance.now();
    return Math.round(performance.now() - this.since);
  }

  flush() {
    clearTimeout(this.timer ?? undefined);
    this.timer = null;
    const {counts, presses, carets} = this;
    this.forget();
    if (Object.keys(counts).length || carets.length) this.onCount({counts, presses, carets});
  }
}

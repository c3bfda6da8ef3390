/* The text of the open segment: the edit field, its text that is not stored yet, and sending it. A draft in the browser
   protects typed text until the server has stored it. */
import {joinedEdits} from '../core/changes.js';
import {t} from '../core/dom.js';
import {drafts} from '../core/storage.js';
import {Field} from './field.js';

const SAVE_PAUSE_MS = 300;
const NOTICED_MS = 600; // a letter typed sooner was meant for the field as it was
const END_LENGTH = 12; // characters in which an end sign is expected, before quotes and brackets
const END_SIGN = /[.!?\u2026:;\u3002\uff01\uff1f\u061f\u06d4\u0964][^\p{L}\p{N}]*$/u;
/**
 * True if a text, typed up to its end, is not yet a translation of the whole source: it lacks an end sign like the
 * source's, or half of its length if the source has none.
 * @param {string} text
 * @param {string} source
 */
export const isHalfTyped = (text, source) => (hasEndSign(source) ? !hasEndSign(text) : text.length < source.length / 2);
/** @param {string} text */
const hasEndSign = text => END_SIGN.test(text.slice(-END_LENGTH));

export class TargetText {
  isDirty = false; // the field contains text that was not sent yet
  isTyped = false; // the field contains the person's own words
  /** @type {string | null} the text of the newest edit command; null for the proposal */
  sent = null;
  visit = 0; // counts the openings of segments
  #filled = Number.NEGATIVE_INFINITY; // when the empty field got the machine's text
  #wasUntouched = false; // it had the machine's text when the person began to type
  /** @type {string | null} the confirmed text, if the segment was confirmed when the person began to type */
  #confirmed = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;

  /**
   * record(kind): records a step of undo before a change; onTyped(): the person changed the text; onChange(): the text
   * or its state changed; onAnswer(): the server answered an edit.
   * @param {Pick<Bench, 'connection' | 'session' | 'say'>} page
   * @param {Readonly<CurrentSegment>} current
   * @param {{record: (kind: string) => void, onTyped: () => void, onChange: () => void, onAnswer: () => void}} options
   */
  constructor(page, current, {record, onTyped, onChange, onAnswer}) {
    this.page = page;
    this.current = current;
    this.record = record;
    this.onTyped = onTyped;
    this.onChange = onChange;
    this.onAnswer = onAnswer;
    this.field = new Field({
      onBeforeInput: record,
      onInput: () => this.typed(),
      onBlur: () => this.flush(),
      onLoss: codes => page.say('warn', t('field.lost', {codes: codes.join(', ')})),
    });
    this.field.area.addEventListener('keydown', event => this.onKey(event));
    this.field.area.addEventListener('pointerdown', () => {
      this.#filled = Number.NEGATIVE_INFINITY; // the person has seen the text
    });
  }

  get value() {
    return this.field.text;
  }

  /** True while the person is in the middle of the sentence. */
  get isHalfTyped() {
    const {area} = this.field;
    const isWriting = this.isTyped && document.activeElement === area && area.selectionEnd === area.value.length;
    return isWriting && isHalfTyped(this.value, this.current.source);
  }

  /** True if the field shows a text that the server has not stored. */
  get isUnsaved() {
    return this.isDirty || this.current.isPending('edit');
  }

  /**
   * A letter typed right after an empty field was filled begins the person's own text: the one that came is given up.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    const isLetter = [...event.key].length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey;
    const {selectionStart, value} = this.field.area;
    const isUnseen = performance.now() - this.#filled < NOTICED_MS && selectionStart === value.length;
    if (isLetter && isUnseen) this.field.set('');
    if (!['Shift', 'AltGraph'].includes(event.key)) this.#filled = Number.NEGATIVE_INFINITY;
  }

  /** Another segment is open; the list knows its text. */
  reset() {
    const text = this.current.row.target ?? '';
    this.visit++;
    this.#wasUntouched = false;
    this.#confirmed = null;
    this.isDirty = false;
    this.isTyped = false;
    this.#filled = Number.NEGATIVE_INFINITY;
    this.field.set(text, text.length);
  }

  /**
   * Shows the server's text, unless the person's is newer. Returns whether it does.
   * @param {Detail} detail
   */
  adopt(detail) {
    if (this.isUnsaved) return false;
    const wasEmpty = !this.value;
    this.field.set(detail.target ?? detail.machine_text ?? '');
    if (wasEmpty && this.value) this.#filled = performance.now();
    this.isTyped = detail.origin === 'typed';
    return true;
  }

  /** {text, isConfirmed, start, end} for undo; `text` is null while the field shows the proposal. */
  snapshot() {
    const {row, detail} = this.current;
    const isPending = this.current.isPending('edit');
    const stored = detail
      ? detail.target
      : ['edited', 'confirmed'].includes(row.state) || row.is_from_memory
        ? row.target
        : null;
    const isOwn = this.isDirty || (isPending ? this.sent : stored) != null;
    const {selectionStart: start, selectionEnd: end} = this.field.area;
    return {
      text: isOwn ? this.value : null,
      isConfirmed: !this.isDirty && !isPending && !this.current.isPending('reopen') && row.state === 'confirmed',
      start,
      end,
    };
  }

  typed() {
    const {text, isConfirmed} = this.snapshot();
    if (text === null) this.#wasUntouched = true;
    if (isConfirmed) this.#confirmed = this.current.row.target;
    this.isDirty = true;
    this.isTyped = true;
    this.keepDraft(this.value);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), SAVE_PAUSE_MS);
    this.onTyped();
    this.onChange();
  }

  /** @param {string} text */
  keepDraft(text) {
    drafts.keep(this.page.session.token, this.current.index, text, this.current.detail?.target);
  }

  /** Sends typed text without waiting for a pause; the machine's or the confirmed text that is typed again is that. */
  flush() {
    clearTimeout(this.timer);
    const {index, detail} = this.current;
    if (!this.isDirty || index === null) return;
    const isBack = this.#wasUntouched && this.value === detail?.machine_text;
    const reported = this.field.changes.take(this.value);
    if (isBack || this.#confirmed === this.value) drafts.drop(this.page.session.token, index, this.value);
    if (isBack) {
      this.isTyped = false;
      this.send(null, 'proposal');
    } else if (this.#confirmed !== this.value) this.send(this.value, 'typed', {reported});
    else this.#confirmAgain(reported);
  }

  /**
   * The confirmed text that was typed again is confirmed as it was; without an edit in between, there is nothing to send.
   * @param {EditReport} reported
   */
  #confirmAgain(reported) {
    const {row, index} = this.current;
    const isStored = row.state === 'confirmed' && !this.current.isPending('edit');
    this.isDirty = false;
    if (!isStored) {
      this.send(this.value, 'typed', {reported});
      this.page.connection.send('confirm', {segment: index, text: this.value, origin: 'undo'});
    }
    this.onChange();
  }

  /** The person took the confirmation back: the text that was confirmed is a text like others. */
  reopen() {
    this.#confirmed = null;
  }

  /**
   * @param {string | null} text null for the proposal
   * @param {string} origin
   * @param {CommandArgs} [more]
   */
  async send(text, origin, more = {}) {
    const {connection, session} = this.page;
    const {token} = session; // another document may be shown when the answer comes
    const {visit} = this;
    const {index} = this.current;
    this.isDirty = false; // from here on the pending command protects the field
    this.sent = text;
    const reply = await connection.send('edit', {segment: index, text, origin, ...more}, `edit:${index}`, joinedEdits);
    const isOpen = visit === this.visit; // a segment that was opened again shows the stored text
    if (!reply.ok && isOpen && this.value === text) this.isDirty = true; // not stored: sent again with the next flush
    if (!reply.ok && isOpen && more.reported) this.field.changes.putBack(more.reported);
    if (text !== null && reply.ok) drafts.drop(token, index, text);
    this.onAnswer();
  }

  /** Takes the server's text instead of the person's. */
  giveUp() {
    clearTimeout(this.timer);
    this.isDirty = false;
    if (this.current.detail) this.adopt(this.current.detail);
    this.onChange();
  }

  /**
   * Shows a text that another command already sends.
   * @param {string} text
   */
  show(text) {
    this.field.set(text, text.length);
    this.isTyped = true;
    this.onChange();
  }

  /**
   * Puts a text into the field and sends it; without `caret` the caret keeps its place.
   * @param {string} text
   * @param {string} origin where the text comes from
   * @param {{step?: string, caret?: number, isTyped?: boolean, more?: CommandArgs}} [options] `step`: undo takes it back
   *   as one step of that kind; `isTyped`: it counts as the person's own words; `more`: for the command
   */
  replace(text, origin, {step, caret, isTyped = false, more = {}} = {}) {
    if (this.current.refusesChanges()) return;
    if (step) this.record(step);
    this.flush();
    this.field.set(text, caret ?? this.field.area.selectionStart);
    this.isTyped = isTyped;
    this.keepDraft(text);
    this.send(text, origin, more);
    this.onChange();
  }

  /**
   * Puts a whole text into the field, as if typed; one step of undo.
   * @param {string} text
   * @param {string} origin
   * @param {CommandArgs} [more] for the command
   */
  insert(text, origin, more = {}) {
    if (this.value !== text || this.current.detail?.target == null)
      this.replace(text, origin, {step: origin, caret: text.length, isTyped: true, more});
    this.focus();
  }

  /**
   * Returns to the text of a step; null shows `proposal` and follows it.
   * @param {Snapshot} snapshot
   * @param {string} proposal
   * @param {string} origin
   */
  restore({text, start, end}, proposal, origin) {
    this.#confirmed = null;
    if (text === this.snapshot().text) return;
    this.field.set(text ?? proposal, start, end);
    this.isTyped = text !== null;
    if (text !== null) this.keepDraft(text);
    this.send(text, origin);
  }

  /** The field shows the proposal again, until the person types. */
  followProposal() {
    this.send(null, 'proposal');
  }

  focus() {
    this.field.area.focus({preventScroll: true});
  }
}

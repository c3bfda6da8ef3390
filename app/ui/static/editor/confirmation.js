/* Confirming the open segment. The text that is confirmed is the text that was seen: while a new proposal is on its way
   into the field, a confirmation waits for it, and is given up if the text changes. It also waits for the checks, and a
   second press does without them where they take long. */

import {isMetBy} from '../core/constraints.js';
import {h, setText, t, tn} from '../core/dom.js';
import {speltFor} from '../core/key_bindings.js';
import {listed} from '../core/steps.js';
import {drafts} from '../core/storage.js';

export class Confirmation {
  /** @type {string | null} the text seen when the key was pressed, while the proposal that follows it is awaited */
  #seen = null;
  #numPresses = 0; // the one that is being handled, and those after it
  #approves = false;
  /** @type {(() => void) | null} shows the next document, once the last segment of this one is done */
  #goOn = null;

  /**
   * snapshot(): the segment as a step of undo; onConfirmed(): undo begins a new step.
   * @param {Bench} bench
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {ConstraintSet} parts.constraints
   * @param {import('./checks.js').Checks} parts.checks
   * @param {() => Snapshot} parts.snapshot
   * @param {() => void} parts.onConfirmed
   */
  constructor(bench, {current, text, constraints, checks, snapshot, onConfirmed}) {
    this.bench = bench;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.checks = checks;
    this.snapshot = snapshot;
    this.onConfirmed = onConfirmed;
    this.status = h('span.waits', {role: 'status'});
  }

  /**
   * Ctrl+Enter. A press while an earlier one is checked is handled after it, unless there is something to look at; if the
   * check takes long, the press does without it. With `approves`, a reviewer approves the text.
   * @param {boolean} [approves]
   */
  async press(approves = false) {
    if (this.current.refusesChanges()) return;
    if (!this.#numPresses) this.#approves = approves;
    if (this.checks.skip()) return;
    this.#numPresses++;
    if (this.#numPresses > 1) return;
    try {
      while (this.#numPresses) this.#numPresses = (await this.#confirm()) ? this.#numPresses - 1 : 0;
    } finally {
      this.#numPresses = 0;
    }
  }

  /** Another segment is open, or the person has changed the text: nothing waits any more. */
  forget() {
    this.#seen = null;
    this.#goOn = null;
    setText(this.status, '');
  }

  /** New details arrived: confirms the text that waits if it is still the same, and asks otherwise. */
  settle() {
    if (this.#seen === null || this.#isAwaited()) return;
    const seen = this.#seen;
    this.forget();
    if (this.text.value === seen && isMetBy(seen, this.constraints.now)) this.press(this.#approves);
    else setText(this.status, t('confirm.changed'));
  }

  /** True if the field follows a proposal that a newer one is about to replace. */
  #isAwaited() {
    const {current, text} = this;
    return current.awaitsProposal() && text.snapshot().text === null;
  }

  /** Sends the text; returns false if the person must look at something first. */
  async #confirm() {
    const {bench, checks} = this;
    const {index} = this.current;
    const text = this.text.value;
    const isDone = this.snapshot().isConfirmed && (!this.#approves || this.current.row.review === 'approved');
    const goOn = bench.joined.isOn ? () => bench.joined.goOn(index, this.#approves) : this.#goOn;
    if (goOn && isDone) {
      goOn();
      return false;
    }
    if (!text.trim()) {
      bench.say('warn', t('confirm.empty'));
      bench.focusEditor();
      return false;
    }
    if (this.#seen !== text && this.#isAwaited()) {
      this.#seen = text;
      setText(this.status, t('confirm.waiting'));
      return false;
    }
    this.forget();
    const before = this.snapshot();
    const {token} = bench.session;
    const n = bench.numberOf(index);
    const tell = (/** @type {string} */ key) => setText(this.status, key && t(key));
    if (!checks.isFine() && !(await checks.agrees(index, text, tell))) return false;
    if (bench.session.token !== token) {
      bench.say('warn', t('confirm.failed', {n})); // during the check, another document was shown
      return false;
    }
    const isOpen = index === this.current.index;
    if (isOpen && this.text.value !== text) {
      setText(this.status, t('confirm.changed')); // typed during the check
      return false;
    }
    if (isOpen) {
      this.text.flush();
      this.onConfirmed();
      this.text.keepDraft(text);
    }
    const approves = this.#approves;
    const next = approves ? bench.list.nextToReview(index) : bench.list.nextUnconfirmed(index);
    const sent = approves
      ? bench.connection.send('review', {segment: index, decision: 'approved', text})
      : bench.connection.send('confirm', {segment: index, text});
    if (approves) bench.steps.review('approved', index, {text, sent});
    else if (!before.isConfirmed) bench.steps.confirmation(true, index, {text, before: before.text, sent});
    if (isOpen && bench.joined.isOn) bench.joined.goOn(index, approves);
    else if (isOpen && next !== null) bench.openSegment(next);
    else if (isOpen) this.#offerNextDocument(approves);
    this.#finish(index, text, sent);
    return true;
  }

  /**
   * Nothing waits in this document any more: offers the next one of the project in which something does. The next press
   * shows it.
   * @param {boolean} toReview
   */
  async #offerNextDocument(toReview) {
    const {bench} = this;
    const {token} = bench.session;
    const {index} = this.current;
    const key = 'next document';
    bench.notes.say('info', t(toReview ? 'review.none' : 'confirm.all'), [], {key});
    const reply = await bench.connection.send('next_document', {to_review: toReview});
    const found = reply.ok && reply.result.document;
    if (!found || bench.session.token !== token || this.current.index !== index) return;
    this.#goOn = () => bench.goOn(found.session, toReview);
    const {num_confirmed, num_segments, num_locked, num_approved, name} = found;
    const left = toReview ? num_confirmed - num_approved : num_segments - num_locked - num_confirmed;
    const keys = speltFor(toReview ? 'approve' : 'confirm');
    bench.notes.say(
      'info',
      tn(toReview ? 'next_document.review' : 'next_document.open', left, {name, keys}),
      [[t('next_document.show'), this.#goOn]],
      {key},
    );
  }

  /**
   * @param {number} index
   * @param {string} text
   * @param {Promise<ReplyTo<'confirm'>> | Promise<ReplyTo<'review'>>} sent
   */
  async #finish(index, text, sent) {
    const {bench} = this;
    const {token} = bench.session;
    const reply = await sent;
    if (!reply.ok) return;
    drafts.drop(token, index, text);
    if (!reply.result || bench.session.token !== token) return;
    const {step, segments} = reply.result;
    bench.steps.batch(step, tn('propagated', segments.length, {where: listed(segments, bench)}));
  }
}

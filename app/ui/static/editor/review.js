/* Review of the open segment: the reviewer's decision, and the conversation of translator and reviewer about it. Shown
   only in projects with review. */
import {button, h, icon, setText, t} from '../core/dom.js';
import {shortcut} from '../core/key_bindings.js';
import {dayAndTime} from '../core/texts.js';
import {MAX_CHARACTERS} from './comment.js';

export class Review {
  /** @type {Map<string, string>} remarks that were typed and not sent, by document and segment */
  #unsent = new Map();
  #isSending = false;

  /**
   * @param {Bench} bench
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {import('./confirmation.js').Confirmation} parts.confirmation
   */
  constructor(bench, {current, text, confirmation}) {
    this.bench = bench;
    this.current = current;
    this.text = text;
    this.confirmation = confirmation;
    this.isReturning = false; // Enter returns the segment with the remark
    this.list = h('ol', {'aria-label': t('review.remarks')});
    this.area = h('textarea', {
      rows: 1,
      maxlength: MAX_CHARACTERS,
      dir: 'auto',
      spellcheck: 'true',
      'aria-label': t('review.remark'),
      oninput: () => this.#grow(),
      onkeydown: event => this.#onKey(event),
    });
    this.sendButton = button('.btn.small', {onclick: () => this.#send()}, t('review.send'));
    this.element = h('div.review', {hidden: true}, this.list, h('div.say', this.area, this.sendButton));
    this.approveButton = button(
      '.btn.approve',
      {onclick: () => this.approve(), title: t('keys.approve'), ...shortcut('approve')},
      icon('confirmed'),
      t('review.approve'),
    );
    this.returnButton = button(
      '.btn',
      {onclick: () => this.return(), title: t('keys.return'), ...shortcut('return')},
      icon('undo'),
      t('review.return'),
    );
  }

  /** True if the document's project is reviewed. */
  get isOn() {
    return Boolean(this.bench.document?.project.has_review);
  }

  get mayReview() {
    return this.isOn && this.bench.document.project.may_review;
  }

  /** Another segment is open: keeps what was typed for the one before. */
  leave() {
    if (this.current.index === null) return;
    if (this.area.value.trim()) this.#unsent.set(this.#key, this.area.value);
    else this.#unsent.delete(this.#key);
  }

  get #key() {
    return `${this.bench.session.token}:${this.current.index}`;
  }

  reset() {
    this.isReturning = false;
    this.area.value = this.#unsent.get(this.#key) ?? '';
    this.list.replaceChildren();
    this.update();
  }

  /** Another document is open, and no segment yet. */
  forget() {
    this.area.value = '';
  }

  update() {
    const {detail} = this.current;
    const remarks = (this.isOn && detail?.remarks) || [];
    this.list.replaceChildren(
      ...remarks.map(({person, wall_ms, text, returned}) =>
        h(
          'li',
          h('b', person || (this.bench.person ? t('people.owner') : t('review.you'))),
          h('time.muted', {datetime: new Date(wall_ms).toISOString()}, dayAndTime(wall_ms)),
          h('p', {dir: 'auto'}, text),
          returned && returned !== detail?.target
            ? h('p.muted', {dir: 'auto'}, t('review.returned_text', {text: returned}))
            : null,
        ),
      ),
    );
    this.list.hidden = !remarks.length;
    this.approveButton.hidden = this.returnButton.hidden = !this.mayReview;
    this.approveButton.disabled = detail?.review === 'approved' && !this.text.isDirty;
    const isWaiting = this.mayReview && detail?.state === 'confirmed' && detail.review !== 'approved';
    this.approveButton.parentElement?.classList.toggle('reviewing', isWaiting && !this.text.isDirty);
    this.returnButton.disabled = detail?.state !== 'confirmed' || this.text.isDirty;
    this.#show();
  }

  /** Ctrl+Shift+Enter: approves the text, which is confirmed with it if necessary, and goes on to the next. */
  approve() {
    if (this.mayReview) this.confirmation.press(true);
  }

  /** Alt+Shift+R: returns the segment to the translator; asks for the reason first. */
  return() {
    if (!this.mayReview) return;
    if (this.returnButton.disabled) {
      this.bench.say('warn', t('review.unconfirmed'));
      return;
    }
    this.isReturning = true;
    if (this.area.value.trim()) this.#send();
    else this.#ask();
  }

  /** Alt+Shift+K: writes a remark. */
  edit() {
    if (!this.isOn) return;
    this.isReturning = false;
    this.#ask();
  }

  /** Opens the next segment with a confirmed text that is not approved. */
  next() {
    if (!this.isOn) return;
    const {joined} = this.bench;
    const next = this.bench.list.nextToReview(this.current.index);
    if (joined.isOn) joined.goOn(this.current.index, true);
    else if (next === null) this.bench.say('info', t('review.none'));
    else this.bench.openSegment(next);
  }

  #ask() {
    this.#show(true);
    this.area.focus();
  }

  /** @param {boolean} [isAsked] */
  #show(isAsked = false) {
    const isSaying = isAsked || Boolean(this.area.value) || document.activeElement === this.area;
    this.element.hidden = !this.isOn || !(isSaying || !this.list.hidden);
    this.area.placeholder = t(this.isReturning ? 'review.why' : 'review.placeholder');
    setText(this.sendButton, t(this.isReturning ? 'review.return' : 'review.send'));
    this.#grow();
  }

  #grow() {
    this.area.style.blockSize = 'auto';
    this.area.style.blockSize = `${this.area.scrollHeight}px`;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      this.isReturning = false;
      this.text.focus();
      this.update();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      this.#send();
    }
  }

  /** Sends the remark, or returns the segment with it. The text stays in the field if the server refuses it. */
  async #send() {
    const {bench} = this;
    const {index} = this.current;
    const comment = this.area.value.trim();
    if (!comment || this.#isSending) {
      this.area.focus();
      return;
    }
    const {isReturning} = this;
    const key = this.#key;
    const text = this.text.value;
    const sent = isReturning
      ? bench.connection.send('review', {segment: index, decision: 'returned', text, comment})
      : bench.connection.send('remark', {segment: index, text: comment});
    this.#isSending = true;
    const reply = await sent;
    this.#isSending = false;
    if (!reply.ok) return;
    this.#unsent.delete(key);
    if (this.#key === key) {
      this.area.value = '';
      this.isReturning = false;
      this.text.focus();
      this.update();
    }
    if (!isReturning) return;
    bench.steps.review('returned', index, {text, sent});
    const next = bench.list.nextToReview(index);
    if (this.#key === key && bench.joined.isOn) bench.joined.goOn(index, true);
    else if (this.#key === key && next !== null) bench.openSegment(next);
  }
}

/* A completion of the sentence, in grey behind the caret. It comes by itself with each letter typed at the end of the text
   if it is expected to save time, or by key, and is taken word by word or as a whole. Typing what it says keeps it without
   asking again. It changes neither the text nor the caret; an answer that comes after the text has changed is dropped. */
import {h, setText, t} from '../core/dom.js';
import {nameOf, speltFor} from '../core/key_bindings.js';
import {readStored, writeStored} from '../core/storage.js';
import {firstWord} from '../core/words.js';

const SWITCH_KEY = 'pinpoint:completion';
const MAX_REPEATS = 3; // of a question that an older one overtook on its way to the server
const ANNOUNCE_PAUSE_MS = 700; // a screen reader is told what is offered when the person pauses

/**
 * The rest of the completion of `before` after the text has become `text`; empty if other letters were typed.
 * @param {string} before
 * @param {string} completion
 * @param {string} text
 */
export const leftOf = (before, completion, text) =>
  text.startsWith(before) && (before + completion).startsWith(text) ? (before + completion).slice(text.length) : '';

export class Completion {
  number = 0; // of the newest question
  isAsked = false; // the person waits for an answer
  before = ''; // the text that the completion shown belongs to
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;

  /**
   * @param {Pick<Bench, 'connection' | 'server' | 'session' | 'say'>} page
   * @param {{current: Readonly<CurrentSegment>, text: TargetText}} parts
   */
  constructor(page, {current, text}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.field = text.field;
    this.isOn = readStored('local', SWITCH_KEY) !== 'off';
    const keys = [
      ['Tab', t('completion.word')],
      ['End', t('completion.all')],
      ['Escape', t('completion.none_of_it')],
    ];
    this.hint = h(
      'span.hint.completion',
      {hidden: true},
      ...keys.map(([key, does]) => h('span', h('kbd', nameOf(key)), ` ${does} `)),
    );
    this.announcement = h('span.sr', {role: 'status'});
    this.field.area.addEventListener('composed', () => this.typed());
    this.field.area.addEventListener('blur', () => this.dismiss());
  }

  get isShown() {
    return Boolean(this.field.ghost);
  }

  /** True if the caret is where the grey text begins, or would begin. */
  get isAtCaret() {
    const {area} = this.field;
    return area.selectionStart === area.value.length;
  }

  /** The arrow that leads on in the text, as the caret moves. */
  get forward() {
    return this.field.area.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  }

  /** Alt+C: completes the text up to the caret; the text behind the caret becomes the completion. */
  complete() {
    const {area, text} = this.field;
    this.text.focus();
    const left = text.slice(0, area.selectionStart);
    if (!text.slice(left.length).trim()) {
      this.text.flush();
      this.dismiss();
      this.ask(true);
      return;
    }
    this.text.replace(left, 'typed', {step: 'completion', caret: left.length, isTyped: true});
    this.show(text.slice(left.length));
  }

  /** Alt+Shift+C: switches completion while typing on or off, in this browser. */
  toggle() {
    this.isOn = !this.isOn;
    writeStored('local', SWITCH_KEY, this.isOn ? 'on' : 'off');
    if (!this.isOn) this.dismiss();
    this.page.say('info', t(this.isOn ? 'completion.on' : 'completion.off', {keys: speltFor('complete')}));
  }

  /** The person typed: keeps what still fits, else asks again. */
  typed() {
    const {field} = this;
    const left = this.isShown && this.isAtCaret ? leftOf(this.before, field.ghost, field.text) : '';
    this.dismiss();
    if (left) this.show(left);
    else this.continue();
  }

  /** Asks without being asked to, where the person may want to go on typing, and while the server answers. */
  continue() {
    const isPossible = this.isOn && this.page.connection.isOnline;
    if (isPossible && this.isAtCaret && !this.field.isComposing) this.ask(false);
  }

  /**
   * @param {boolean} isByPerson whether the person asked and wants to hear of a failure
   * @param {number} [repeats] how often the question is asked again if the server takes an older one for the newest
   */
  async ask(isByPerson, repeats = MAX_REPEATS) {
    const {page, current, field} = this;
    const {index} = current;
    const {text} = field;
    const number = ++this.number;
    this.isAsked = isByPerson;
    let answer;
    try {
      answer = await page.server.completion({
        token: page.session.token,
        segment: index,
        text,
        is_requested: isByPerson,
      });
    } catch {
      answer = null;
    }
    if (number !== this.number) return;
    this.isAsked = false;
    if (index !== current.index || field.text !== text) return;
    if (answer?.is_overtaken) {
      if (repeats > 0) this.ask(isByPerson, repeats - 1);
      return;
    }
    if (answer?.ok && answer.completion) this.show(answer.completion);
    else if (isByPerson && !answer?.ok) page.say('warn', answer?.error?.message ?? t('alts.offline'));
    else if (isByPerson) page.say('info', answer.reason || t('completion.none'));
  }

  /** @param {string} completion */
  show(completion) {
    this.before = this.field.text;
    this.field.showGhost(completion);
    this.hint.hidden = !completion;
    clearTimeout(this.timer);
    const announced = completion ? t('completion.sr', {text: completion}) : '';
    if (!announced) this.announcement.textContent = '';
    else this.timer = setTimeout(() => setText(this.announcement, announced), ANNOUNCE_PAUSE_MS);
  }

  /**
   * Takes the completion, or its first word, into the text; at its end asks how the text goes on.
   * @param {boolean} isWord
   */
  take(isWord) {
    const {ghost, text: before} = this.field;
    const taken = isWord ? firstWord(ghost) : ghost;
    const text = before + taken;
    this.text.replace(text, 'completion', {step: 'completion', caret: text.length, isTyped: true});
    this.dismiss();
    if (taken.length < ghost.length) this.show(ghost.slice(taken.length));
    else this.continue();
  }

  /** Drops a completion of a text that the field no longer has, such as after a match of the memory was inserted. */
  settle() {
    if (!this.hint.hidden && (!this.isShown || this.before !== this.field.text)) this.show('');
  }

  /** Removes the completion; an answer on its way is dropped. */
  dismiss() {
    this.number++;
    this.isAsked = false;
    if (!this.hint.hidden) this.show('');
  }
}

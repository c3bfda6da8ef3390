/* How the sentence could go on, in grey behind the caret: asked for by key, taken whole or word by word, gone at the
   next letter. It never moves the caret, and an answer that comes after the text has changed is dropped. */
import {h, setText, t} from '../core/dom.js';
import {nameOf, speltFor} from '../core/key_bindings.js';
import {firstWord} from '../core/words.js';

export class Completion {
  /** @param {Segment} segment */
  constructor(segment) {
    this.segment = segment;
    this.number = 0;
    this.isAsked = false; // an answer is on its way
    this.arrow = h('kbd', {});
    this.hint = h(
      'span.hint',
      {hidden: true},
      h('kbd', {}, 'Tab'),
      ` ${t('completion.take')} `,
      this.arrow,
      ` ${t('completion.word')}`,
    );
    this.said = h('span.sr', {role: 'status'});
  }

  get isShown() {
    return Boolean(this.segment.field.ghost);
  }

  /** Whether the grey text begins right at the caret. */
  get isAtCaret() {
    const {area} = this.segment.field;
    return this.isShown && area.selectionStart === area.value.length;
  }

  /** The arrow that leads on in the text, as the caret moves. */
  get forward() {
    return this.segment.field.area.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  }

  async ask() {
    const {segment} = this;
    const {bench, field, index} = segment;
    const {area, text} = field;
    segment.focusField();
    if (area.selectionEnd < text.trimEnd().length) {
      bench.say('info', t('completion.at_end', {keys: speltFor('rest')}));
      return;
    }
    segment.flush();
    this.dismiss();
    const asked = ++this.number;
    this.isAsked = true;
    let answer;
    try {
      answer = await bench.server.completion({token: bench.session.token, segment: index, text});
    } catch {
      answer = null;
    }
    if (asked !== this.number) return;
    this.isAsked = false;
    if (index !== segment.index || field.text !== text || answer?.is_overtaken) return;
    if (!answer?.ok) bench.say('warn', answer?.error?.message ?? t('alts.offline'));
    else if (!answer.completion) bench.say('info', answer.reason || t('completion.none'));
    else this.show(answer.completion);
  }

  /** @param {string} text */
  show(text) {
    this.segment.field.showGhost(text);
    this.hint.hidden = !text;
    setText(this.arrow, `${nameOf('Ctrl')} ${nameOf(this.forward)}`);
    this.said.textContent = text ? t('completion.sr', {text}) : '';
  }

  /**
   * All of it, or its first word, becomes the person's text.
   * @param {boolean} isWord
   */
  take(isWord) {
    const {segment} = this;
    const {field} = segment;
    const ghost = field.ghost;
    const taken = isWord ? firstWord(ghost) : ghost;
    const text = field.text + taken;
    segment.replaceText(text, 'completion', {step: 'completion', caret: text.length, isTyped: true});
    this.show(ghost.slice(taken.length));
  }

  /** Nothing is offered any more, nor will be by an answer on its way. */
  dismiss() {
    this.number++;
    this.isAsked = false;
    if (this.isShown) this.show('');
  }
}

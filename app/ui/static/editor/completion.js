/* A completion of the sentence, in grey behind the caret: requested by key, taken whole or word by word, removed by the
   next letter. It never moves the caret; an answer that comes after the text has changed is dropped. */
import {h, setText, t} from '../core/dom.js';
import {nameOf, speltFor} from '../core/key_bindings.js';
import {firstWord} from '../core/words.js';

export class Completion {
  /**
   * @param {Pick<Bench, 'server' | 'session' | 'say'>} page
   * @param {{current: Readonly<CurrentSegment>, text: TargetText}} parts
   */
  constructor(page, {current, text}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.field = text.field;
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
    this.announcement = h('span.sr', {role: 'status'});
  }

  get isShown() {
    return Boolean(this.field.ghost);
  }

  /** Whether the grey text begins right at the caret. */
  get isAtCaret() {
    const {area} = this.field;
    return this.isShown && area.selectionStart === area.value.length;
  }

  /** The arrow that leads on in the text, as the caret moves. */
  get forward() {
    return this.field.area.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  }

  async ask() {
    const {page, current, field} = this;
    const {index} = current;
    const {area, text} = field;
    this.text.focus();
    if (area.selectionEnd < text.trimEnd().length) {
      page.say('info', t('completion.at_end', {keys: speltFor('rest')}));
      return;
    }
    this.text.flush();
    this.dismiss();
    const asked = ++this.number;
    this.isAsked = true;
    let answer;
    try {
      answer = await page.server.completion({token: page.session.token, segment: index, text});
    } catch {
      answer = null;
    }
    if (asked !== this.number) return;
    this.isAsked = false;
    if (index !== current.index || field.text !== text || answer?.is_overtaken) return;
    if (!answer?.ok) page.say('warn', answer?.error?.message ?? t('alts.offline'));
    else if (!answer.completion) page.say('info', answer.reason || t('completion.none'));
    else this.show(answer.completion);
  }

  /** @param {string} text */
  show(text) {
    this.field.showGhost(text);
    this.hint.hidden = !text;
    setText(this.arrow, `${nameOf('Ctrl')} ${nameOf(this.forward)}`);
    this.announcement.textContent = text ? t('completion.sr', {text}) : '';
  }

  /**
   * Takes the completion, or its first word, into the text.
   * @param {boolean} isWord
   */
  take(isWord) {
    const {ghost, text: before} = this.field;
    const taken = isWord ? firstWord(ghost) : ghost;
    const text = before + taken;
    this.text.replace(text, 'completion', {step: 'completion', caret: text.length, isTyped: true});
    this.show(ghost.slice(taken.length));
  }

  /** Removes the completion; an answer on its way is dropped. */
  dismiss() {
    this.number++;
    this.isAsked = false;
    if (this.isShown) this.show('');
  }
}

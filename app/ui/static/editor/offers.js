/* What the model offers beside its proposal: the n-best list and other words for one word, and what becomes of the text
   and the pins when one of them is taken. */

import {pin} from '../core/constraints.js';
import {button, h, icon, t} from '../core/dom.js';
import {speltFor} from '../core/key_bindings.js';
import {Alternatives} from './alternatives.js';
import {Hypotheses} from './hypotheses.js';

export class Offers {
  /** @param {Segment} segment */
  constructor(segment) {
    const {bench} = segment;
    this.segment = segment;
    this.question = h('div.ask', {role: 'alertdialog', 'aria-labelledby': 'pinpoint-replace-text', hidden: true});
    this.alternatives = new Alternatives({
      ask: (word, text) => bench.server.alternatives({token: bench.session.token, segment: segment.index, word, text}),
      onTake: (row, answer) => this.takeAlternative(row, answer),
      onBan: text => segment.ban(text),
    });
    this.hypotheses = new Hypotheses({
      /** @param {Hypothesis} row */
      onTake: row => this.take(row),
      onLeave: () => segment.focusField(),
    });
  }

  /**
   * A hypothesis into the field: at once over untyped text, after a question over typed text.
   * @param {Hypothesis} row
   * @param {boolean} [isSure]
   */
  take(row, isSure = false) {
    const {segment} = this;
    const {field, detail} = segment;
    if (field.text === row.text && detail?.target != null) {
      segment.focusField();
      return;
    }
    if (segment.isTyped && !isSure && field.text.trim() && field.text !== row.text) {
      this.askWhether(row);
      return;
    }
    segment.replaceText(row.text, 'hypothesis', {step: 'take', rank: row.rank, caret: row.text.length});
    segment.focusField();
  }

  /** @param {Hypothesis} row */
  askWhether(row) {
    this.question.replaceChildren(
      icon('problem', true),
      h('span.q', {id: 'pinpoint-replace-text'}, t('replace.question', {n: row.rank + 1, keys: speltFor('undo')})),
      button(
        '.btn.small.primary',
        {
          onclick: () => {
            this.hideQuestion();
            this.take(row, true);
          },
        },
        t('replace.yes'),
      ),
      button(
        '.btn.small',
        {
          onclick: () => {
            this.hideQuestion();
            this.segment.focusField();
          },
        },
        t('replace.no'),
      ),
    );
    this.question.hidden = false;
    this.question.querySelector('button')?.focus();
  }

  hideQuestion() {
    this.question.hidden = true;
    this.question.replaceChildren();
  }

  /** Alt+A: what else could stand for the word in focus in the proposal, or at the caret where the field shows it. */
  askAlternatives() {
    const {segment} = this;
    const {bench, proposal, field, detail} = segment;
    const isInField = !proposal.line.contains(document.activeElement);
    const text = detail?.proposal?.text;
    const word = !text
      ? null
      : !isInField
        ? proposal.current
        : field.text === text
          ? proposal.wordAt(field.area.selectionStart)
          : null;
    const anchor = word === null ? null : proposal.elementOf(word);
    if (!detail?.proposal?.asked || word === null || !text || !anchor) {
      bench.say('info', t('alts.nowhere', {keys: speltFor('proposal')}));
      return;
    }
    const goBack = () => (isInField ? segment.focusField() : proposal.focusWord(proposal.current));
    const asked = detail.proposal.asked[word];
    const pressed = proposal.textOf(word, word);
    this.alternatives.open(anchor, {
      word: asked.number,
      name: pressed.startsWith(asked.text) ? pressed : asked.text,
      text,
      lang: bench.languages.target,
      goBack,
    });
  }

  /**
   * The word becomes a pin and its sentence the proposal. Typed text stays; a field that shows the proposal follows it.
   * @param {AlternativeRow} row
   * @param {Answer} answer
   */
  takeAlternative(row, answer) {
    const {segment} = this;
    const {field, detail} = segment;
    const clashing = pin(segment, row.word, answer.replaced);
    const isPinned = clashing.pins.slice(0, -1).includes(row.word);
    segment.rememberStep('constrain');
    if (detail?.target != null && !segment.isTyped && field.text === answer.text && detail.state !== 'confirmed')
      segment.followProposal();
    segment.constrain(
      {
        pins: isPinned ? clashing.pins.slice(0, -1) : clashing.pins,
        bans: clashing.bans,
        beginning: row.beginning,
        locked: segment.locked.filter(text => row.tail.includes(text)),
      },
      'alternative',
      false,
    );
  }
}

/* The n-best list and the alternatives for a word. Taking one of them changes the text or the constraints. */

import {withPin} from '../core/constraints.js';
import {button, h, icon, t} from '../core/dom.js';
import {speltFor} from '../core/key_bindings.js';
import {Alternatives} from './alternatives.js';
import {Hypotheses} from './hypotheses.js';

export class Offers {
  /**
   * @param {Pick<Bench, 'server' | 'session' | 'languages' | 'say'>} page
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {ConstraintSet} parts.constraints
   * @param {Proposal} parts.proposal
   * @param {(kind: string) => void} parts.record records a step of undo before a change
   * @param {() => void} parts.onToggle shows or hides the panel with the n-best list
   */
  constructor(page, {current, text, constraints, proposal, record, onToggle}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.proposal = proposal;
    this.record = record;
    this.question = h('div.ask', {role: 'alertdialog', 'aria-labelledby': 'pinpoint-replace-text', hidden: true});
    this.alternatives = new Alternatives({
      ask: (word, shown) =>
        page.server.alternatives({token: page.session.token, segment: current.index, word, text: shown}),
      onTake: (row, answer) => this.takeAlternative(row, answer),
      onBan: banned => constraints.ban(banned),
    });
    this.hypotheses = new Hypotheses({
      onTake: (row, number) => this.take(row, number),
      onLeave: () => text.focus(),
      onToggle: () => onToggle(),
    });
  }

  /**
   * Puts a hypothesis into the field; asks first if that replaces typed text.
   * @param {Hypothesis} row
   * @param {number} [number] as it is listed, from 1
   * @param {boolean} [isSure]
   */
  take(row, number = 1, isSure = false) {
    const {text, current} = this;
    if (text.value === row.text && current.detail?.target != null) {
      text.focus();
      return;
    }
    if (text.isTyped && !isSure && text.value.trim() && text.value !== row.text) {
      this.askWhether(row, number);
      return;
    }
    text.replace(row.text, 'hypothesis', {step: 'take', caret: row.text.length, more: {rank: row.rank}});
    text.focus();
  }

  /**
   * @param {Hypothesis} row
   * @param {number} number
   */
  askWhether(row, number) {
    this.question.replaceChildren(
      icon('problem', true),
      h('span.q', {id: 'pinpoint-replace-text'}, t('replace.question', {n: number, keys: speltFor('undo')})),
      button(
        '.btn.small.primary',
        {
          onclick: () => {
            this.hideQuestion();
            this.take(row, number, true);
          },
        },
        t('replace.yes'),
      ),
      button('.btn.small', {onclick: () => this.dismissQuestion()}, t('replace.no')),
    );
    this.question.hidden = false;
    this.question.querySelector('button')?.focus();
  }

  get isAsking() {
    return !this.question.hidden;
  }

  /** The typed text stays. */
  dismissQuestion() {
    this.hideQuestion();
    this.text.focus();
  }

  hideQuestion() {
    this.question.hidden = true;
    this.question.replaceChildren();
  }

  /** Alt+A: shows alternatives for the word in focus, or for the word at the caret if the field shows the proposal. */
  askAlternatives() {
    const {page, proposal, current, text} = this;
    const isInField = !proposal.line.contains(document.activeElement);
    const proposed = current.detail?.proposal;
    const word =
      !proposed?.text || proposed.text !== proposal.text
        ? null
        : !isInField
          ? proposal.current
          : text.value === proposed.text
            ? proposal.wordAt(text.field.area.selectionStart)
            : null;
    const anchor = word === null ? null : proposal.elementOf(word);
    if (!proposed?.asked || word === null || !anchor) {
      page.say('info', t('alts.nowhere', {keys: speltFor('proposal')}));
      return;
    }
    const goBack = () => (isInField ? text.focus() : proposal.focusWord(proposal.current));
    const asked = proposed.asked[word];
    const pressed = proposal.textOf(word, word);
    this.alternatives.open(anchor, {
      word: asked.number,
      name: pressed.startsWith(asked.text) ? pressed : asked.text,
      text: proposed.text,
      lang: page.languages.target,
      tags: current.row.tags,
      goBack,
    });
  }

  /**
   * Pins the chosen word; its sentence becomes the proposal. The field follows the proposal, unless it has typed text.
   * @param {AlternativeRow} row
   * @param {Answer} answer
   */
  takeAlternative(row, answer) {
    const {text, constraints, current} = this;
    const {detail} = current;
    const {pins, bans, locked} = withPin(constraints.now, row.word, answer.replaced).constraints;
    const isPinned = pins.slice(0, -1).includes(row.word);
    this.record('constrain');
    if (detail?.target != null && !text.isTyped && text.value === answer.text && detail.state !== 'confirmed')
      text.followProposal();
    constraints.change(
      {
        pins: isPinned ? pins.slice(0, -1) : pins,
        bans,
        prefix: row.prefix,
        follow: row.text,
        locked: locked.filter(one => row.tail.includes(one)),
      },
      'alternative',
      false,
    );
  }
}

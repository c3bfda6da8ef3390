/* The n-best list and the alternatives for a word. Taking one of them changes the text or the constraints. */

import {withPin} from '../core/constraints.js';
import {button, h, icon, t} from '../core/dom.js';
import {speltFor} from '../core/key_bindings.js';
import {wordAt} from '../core/words.js';
import {Alternatives} from './alternatives.js';
import {Hypotheses} from './hypotheses.js';

export class Offers {
  /**
   * @param {Pick<Bench, 'server' | 'session' | 'languages' | 'say'>} page
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {ConstraintSet} parts.constraints
   * @param {WordMarks} parts.marks
   * @param {(kind: string) => void} parts.record records a step of undo before a change
   * @param {() => void} parts.onToggle shows or hides the panel with the n-best list
   */
  constructor(page, {current, text, constraints, marks, record, onToggle}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.record = record;
    this.question = h('div.ask', {role: 'alertdialog', 'aria-labelledby': 'pinpoint-replace-text', hidden: true});
    this.alternatives = new Alternatives({
      ask: (before, shown) => {
        const {locked} = constraints.keptIn({text: shown, start: 0, end: before.length});
        const {token} = page.session;
        return page.server.alternatives({token, segment: current.index, text: shown, before, locked});
      },
      onTake: (row, answer, rank) => this.takeAlternative(row, answer, rank),
      onBan: banned => constraints.ban(banned),
      onMove: place => marks.ask(place),
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

  /** Alt+A: shows alternatives for the word at the caret, or for the first that is selected. */
  askAlternatives() {
    const {page, current, text} = this;
    if (current.refusesChanges()) return;
    const {area, box} = text.field;
    const [first, last] = text.field.words();
    const [start, end] = wordAt(text.value, first);
    if (first === last || !current.detail) {
      page.say('info', t('alts.nowhere'));
      return;
    }
    const {selectionStart, selectionEnd} = area;
    this.alternatives.open([start, end], {
      text: text.value,
      lang: page.languages.target,
      tags: current.row.tags,
      placeOf: () => box.placeOf(start),
      goBack: () => {
        text.focus();
        area.setSelectionRange(selectionStart, selectionEnd);
      },
    });
  }

  /**
   * Puts the chosen word and the rest of its sentence into a text of the person's own. In a text of the machine's, pins the
   * word: its sentence becomes the proposal.
   * @param {AlternativeRow} row
   * @param {Answer} answer
   * @param {number} rank from 0, as it is listed
   */
  takeAlternative(row, answer, rank) {
    const {text, constraints, current} = this;
    const {detail} = current;
    const {pins, bans, locked} = withPin(constraints.now, row.word, answer.replaced).constraints;
    const isPinned = pins.slice(0, -1).includes(row.word);
    const isOwn =
      text.isTyped || (detail?.target ?? answer.text) !== detail?.proposal?.text || detail?.state === 'confirmed';
    this.record('constrain');
    if (isOwn) {
      const kept = constraints.now.pins.filter(pin => !answer.replaced.includes(pin));
      text.replace(row.text, 'alternative', {caret: row.text.length - row.tail.length, isTyped: true, more: {rank}});
      if (kept.length < constraints.now.pins.length) constraints.change({pins: kept}, 'alternative', false);
      return;
    }
    if (detail?.target != null) text.followProposal();
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
      {rank},
    );
  }
}

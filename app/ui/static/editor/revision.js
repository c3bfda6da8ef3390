/* After an edit, and after a new pin or ban in a text of the person's own, offers the changes that the sentence then needs.
   The field shows them as a difference: the words that would go are struck through, with those that would come in grey behind
   them. Alt+Y takes all of them, Alt+Shift+Y or a click one. The offer changes neither the text nor the caret, and disappears
   with the next letter typed. */
import {h, setText, t} from '../core/dom.js';
import {hint, nameOf, speltFor} from '../core/key_bindings.js';

const PAUSE_MS = 500; // longer than between two letters of a word

/**
 * A text and its revision: `runs` joined are the revision; with `was` in place of `t`, the text.
 * @param {RevisionRun[]} runs
 */
export const textOf = runs => runs.map(run => run.was ?? run.t).join('');

/**
 * The runs after change number `taken` was made in the text; null makes all of them.
 * @param {RevisionRun[]} runs
 * @param {number | null} taken
 */
export const takenFrom = (runs, taken) => {
  let number = -1;
  return runs.map(run => {
    if (run.was === undefined) return run;
    number++;
    return taken === null || taken === number ? {t: run.t} : run;
  });
};

/**
 * The places where the text would change, as [start, end]; empty ranges where words would be added.
 * @param {RevisionRun[]} runs
 */
export const changedSpans = runs => {
  const spans = [];
  let place = 0;
  for (const run of runs) {
    const end = place + (run.was ?? run.t).length;
    if (run.was !== undefined) spans.push([place, end]);
    place = end;
  }
  return spans;
};

/**
 * The offset `caret` after `taken` was made: behind the same letters, or behind the change that it was in.
 * @param {RevisionRun[]} runs
 * @param {number | null} taken
 * @param {number} caret
 */
export const caretAfter = (runs, taken, caret) => {
  let before = 0;
  let after = 0;
  for (const [i, run] of takenFrom(runs, taken).entries()) {
    const length = (runs[i].was ?? runs[i].t).length;
    const isInside = caret < before + length || (caret === before && !length);
    if (isInside) return run === runs[i] || caret === before ? after + caret - before : after + run.t.length;
    before += length;
    after += (run.was ?? run.t).length;
  }
  return after + caret - before;
};

export class Revision {
  /** @type {RevisionRun[]} the offer; empty without one */
  runs = [];
  number = 0; // of the newest question
  isExpected = false; // constraints of a text of the person's own have changed, and are not answered yet
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;

  /**
   * @param {Pick<Bench, 'server' | 'session' | 'say' | 'languages'>} page
   * @param {{current: Readonly<CurrentSegment>, text: TargetText, constraints: ConstraintSet}} parts
   */
  constructor(page, {current, text, constraints}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.takeLabel = h('span');
    this.element = h(
      'span.offer',
      {hidden: true, title: t('revision.title')},
      h(
        'span.how',
        h('span', hint('revise'), ' ', this.takeLabel, ' '),
        h('span', h('kbd', nameOf('Escape')), ` ${t('revision.ignore')}`),
      ),
    );
    this.announcement = h('span.sr', {role: 'status'});
  }

  get isOffered() {
    return this.runs.length > 0;
  }

  /** The person typed: drops the offer, and asks again after a pause. */
  typed() {
    this.dismiss();
    this.timer = setTimeout(() => this.ask(), PAUSE_MS);
  }

  /** Drops an offer for a text that the field no longer has, such as after a match of the memory was inserted. */
  settle() {
    if (this.isOffered && textOf(this.runs) !== this.text.value) this.dismiss();
  }

  /** The constraints have changed: their answer is offered once it is there. */
  expect() {
    this.isExpected = this.text.isTyped;
  }

  /** New details arrived, with the newest constraints. */
  answered() {
    if (!this.isExpected || this.current.awaitsProposal()) return;
    this.isExpected = false;
    this.ask(true);
  }

  dismiss() {
    this.isExpected = false;
    this.number++;
    clearTimeout(this.timer);
    if (this.isOffered) this.show([]);
  }

  /**
   * Asks what would change behind the caret; what was edited there stays, too.
   * @param {boolean} [isEverywhere] also before the caret
   */
  async ask(isEverywhere = false) {
    const {current, text, constraints, page} = this;
    const {value} = text;
    const {detail} = current;
    const proposal = detail?.proposal?.text;
    const end = isEverywhere ? 0 : text.field.area.selectionEnd;
    if (!proposal || !text.isTyped || (value === proposal && !isEverywhere) || !value.slice(end).trim()) return;
    const before = isEverywhere ? constraints.now : {...constraints.now, prefix: ''};
    const kept = constraints.keptIn({text: value, start: end, end}, before);
    const number = ++this.number;
    const {index} = current;
    let answer;
    try {
      answer = await page.server.revision({token: page.session.token, segment: index, text: value, ...kept});
    } catch {
      return; // offline: the text does not change
    }
    if (number !== this.number || index !== current.index || text.value !== value) return;
    if (answer?.ok && answer.runs && textOf(answer.runs) === value) this.show(answer.runs);
  }

  /** @param {RevisionRun[]} runs */
  show(runs) {
    const changes = runs.filter(run => run.was !== undefined);
    this.runs = changes.length ? runs : [];
    this.element.hidden = !changes.length;
    setText(this.takeLabel, t(changes.length > 1 ? 'revision.take_all' : 'revision.take'));
    this.text.field.offer(
      changedSpans(this.runs).map(([start, end], number) => ({
        start,
        end,
        text: changes[number].t.trim(),
        take: () => this.take(number),
      })),
    );
    this.announcement.textContent = changes.length
      ? t('revision.sr', {changes: changes.map(run => run.t.trim() || '–').join(', '), keys: speltFor('revise')})
      : '';
  }

  /**
   * Makes one of the offered changes, or all of them; the caret stays behind the same letters.
   * @param {number | null} number
   */
  take(number) {
    const {text, runs} = this;
    if (!this.isOffered) {
      this.page.say('info', t('revision.none'));
      return;
    }
    const left = takenFrom(runs, number);
    const caret = caretAfter(runs, number, text.field.area.selectionEnd);
    this.dismiss();
    text.replace(textOf(left), 'revision', {step: 'revision', caret, isTyped: true});
    text.focus();
    this.show(left);
  }
}

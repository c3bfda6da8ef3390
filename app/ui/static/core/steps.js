/* Undo and redo of steps beyond the text and the constraints of the open segment: confirmations, changes of many
   segments, splits and merges, terms of the document. A step whose effect is not visible is reported in a notice with
   an undo button. */
import {t, tn} from './dom.js';
import {History, PerDocument} from './history.js';

const MAX_LISTED = 8;
/** The text of the notice. */
const DIVIDED = {split: 'split.done', merge: 'merge.done'};
/**
 * "3, 7, 9, \u2026": segments by their numbers.
 * @param {number[]} indices
 * @param {Pick<Bench, 'numberOf'>} bench
 */
export const listed = (indices, bench) =>
  indices
    .slice(0, MAX_LISTED)
    .map(index => bench.numberOf(index))
    .join(', ') + (indices.length > MAX_LISTED ? ', \u2026' : '');

export class Steps {
  /**
   * @param {Pick<Bench, 'connection' | 'joined' | 'list' | 'notes' | 'numberOf' | 'numbers' | 'openSegment' | 'rows' |
   *   'segment' | 'session'>} bench
   */
  constructor(bench) {
    this.bench = bench;
    /** @type {{past: Step[], future: Step[]}} those of the document that is shown */
    this.own = {past: [], future: []};
    /** @type {PerDocument<{past: Step[], future: Step[]}>} */
    this.kept = new PerDocument(() => ({past: [], future: []}));
  }

  get past() {
    return this.own.past;
  }

  set past(steps) {
    this.own.past = steps;
  }

  get future() {
    return this.own.future;
  }

  set future(steps) {
    this.own.future = steps;
  }

  /**
   * Another document is shown, or the same one anew: then nothing can be undone.
   * @param {string} token
   */
  show(token) {
    this.own = this.kept.show(token);
  }

  /**
   * A command was sent: a change of a segment ends redo.
   * @param {{name: string, args: CommandArgs}} options
   */
  onCommand({name, args}) {
    if (['edit', 'constrain', 'confirm', 'reopen', 'review'].includes(name) && !['undo', 'redo'].includes(args.origin))
      this.future = [];
  }

  /**
   * The step that undo or redo takes next. Drops steps that are no longer possible; a step whose command is not
   * answered yet stays, as the rows do not show it yet.
   * @param {boolean} isUndo
   */
  newest(isUndo) {
    const steps = isUndo ? this.past : this.future;
    for (let step = steps.at(-1); step && !step.numPending && step.isOver(isUndo); step = steps.at(-1)) steps.pop();
    return steps.at(-1);
  }

  /**
   * Records a step, and shows `text` unless it is empty. run(isUndo) undoes or redoes the step and returns the notice
   * to show, or an empty string if the server refused: then the step is dropped. With `sent`, the command of the step
   * is not answered yet; an error drops the step.
   * @param {string} text
   * @param {Step['run']} run
   * @param {{isOver?: Step['isOver'], sent?: Promise<Reply>}} [options]
   */
  done(text, run, {isOver = () => false, sent} = {}) {
    const step = {run, isOver, at: performance.now(), numPending: 0};
    const undone = this.future;
    this.past.push(step);
    this.future = [];
    if (sent) this.follow(step, sent, undone);
    this.report(step, text);
    this.bench.segment.view.paintState();
    return step;
  }

  /**
   * Shows a notice that a step was made, with an undo button, unless the step was undone already.
   * @param {Step} step
   * @param {string} text
   */
  report(step, text) {
    if (text && this.past.includes(step)) this.notify(text, [[t('steps.undo'), () => this.undo(step)]]);
  }

  /**
   * Waits for the answer to a step's command. If the server refuses, drops the step; redo is again as before.
   * @param {Step} step
   * @param {Promise<Reply>} sent
   * @param {Step[]} undone the steps that redo had before
   */
  async follow(step, sent, undone) {
    step.numPending++;
    const reply = await sent;
    step.numPending--;
    if (!reply.ok) {
      if (this.past.at(-1) === step && !this.future.length) this.future = undone;
      this.drop(step);
    }
    this.bench.segment.view.paintState();
  }

  /** @param {Step} step */
  drop(step) {
    [this.past, this.future] = [this.past, this.future].map(steps => steps.filter(other => other !== step));
  }

  /**
   * The reply to a command, as `{ok: false}` if another document is shown when it comes: then segments have other numbers.
   * @template {Reply} R
   * @param {Promise<R>} sent
   * @returns {Promise<R>}
   */
  async #here(sent) {
    const {session} = this.bench;
    const {token} = session;
    const reply = await sent;
    return session.token === token ? reply : /** @type {any} */ ({ok: false});
  }

  /**
   * Shows a notice about a step; it replaces the one about another step.
   * @param {string} text
   * @param {NoteAction[]} [actions]
   */
  notify(text, actions = []) {
    this.bench.notes.say('info', text, actions, {key: 'step'});
  }

  /**
   * Undoes a step, which need not be the newest one.
   * @param {Step} step
   */
  undo(step) {
    if (!this.past.includes(step)) return;
    this.past = this.past.filter(other => other !== step);
    this.future.push(step);
    this.run(step, true);
  }

  /**
   * Undoes or redoes the newest step.
   * @param {boolean} isUndo
   */
  step(isUndo) {
    const step = this.newest(isUndo);
    if (!step) return;
    if (isUndo) this.undo(step);
    else {
      this.future.pop();
      this.past.push(step);
      this.run(step, false);
    }
  }

  /**
   * @param {Step} step
   * @param {boolean} isUndo
   */
  async run(step, isUndo) {
    step.at = performance.now();
    step.numPending++;
    const notice = await step.run(isUndo);
    step.numPending--;
    this.bench.segment.earlier.forget();
    if (notice) this.notify(notice);
    else this.drop(step);
    this.bench.segment.view.paintState();
  }

  /* ---- the kinds of steps ---- */
  /**
   * A change of many segments, which the server stores under a number.
   * @param {number} number
   * @param {string} text
   * @param {'step' | 'lock_step'} [command] undoes and redoes it
   */
  batch(number, text, command = 'step') {
    this.done(text, async isUndo => {
      const reply = await this.bench.connection.send(command, {step: number, is_undo: isUndo});
      if (!reply.ok) return '';
      const {num_segments: n, num_left: left} = reply.result;
      return tn(isUndo ? 'steps.undone' : 'steps.redone', n) + (left ? ` ${tn('steps.left', left)}` : '');
    });
  }

  /**
   * Changes of many segments in one or several documents, which are undone and redone together.
   * @param {{session: number, step: number}[]} made
   * @param {string} text the notice
   */
  batches(made, text) {
    const {joined} = this.bench;
    const showOthers = () => joined.isOn && joined.documents.refresh();
    showOthers();
    this.done(text, async isUndo => {
      let [n, left, isAny] = [0, 0, false];
      for (const {session, step} of made) {
        const reply = await this.bench.connection.send('step', {step, is_undo: isUndo, session});
        if (!reply.ok) continue; // the page shows why
        isAny = true;
        n += reply.result.num_segments;
        left += reply.result.num_left;
      }
      showOthers();
      if (!isAny) return '';
      return tn(isUndo ? 'steps.undone' : 'steps.redone', n) + (left ? ` ${tn('steps.left', left)}` : '');
    });
  }

  /**
   * Puts the source into segments, or empties them; says how many stay, as they are locked or assigned to others.
   * @param {number[]} segments
   * @param {boolean} isSource
   */
  async putTexts(segments, isSource) {
    const {bench} = this;
    const reply = await this.#here(bench.connection.send('put_texts', {segments, is_source: isSource}));
    if (!reply.ok) return reply;
    const {step, segments: changed} = reply.result;
    const said = tn(isSource ? 'put.source' : 'put.empty', changed.length, {segments: listed(changed, bench)});
    const left = segments.length - changed.length;
    if (changed.length) this.batch(step, left ? `${said} ${tn('put.left', left)}` : said);
    else this.notify(t('put.none'));
    return reply;
  }

  /**
   * Locks segments, or unlocks them. Returns the reply.
   * @param {number[]} segments
   * @param {boolean} isLocked
   */
  async lock(segments, isLocked) {
    const {bench} = this;
    const reply = await this.#here(bench.connection.send('lock_segments', {segments, is_locked: isLocked}));
    if (!reply.ok) return reply;
    const {step, segments: changed} = reply.result;
    const said = `${isLocked ? 'lock.done' : 'lock.undone'}`;
    if (changed.length) this.batch(step, tn(said, changed.length, {segments: listed(changed, bench)}), 'lock_step');
    else this.notify(t(isLocked ? 'lock.none' : 'lock.none_locked'));
    return reply;
  }

  /**
   * Splits a segment, or merges it with the next. The whole segment and its part have different undo histories; the
   * other one returns with undo.
   * @param {'split' | 'merge'} command
   * @param {number} segment
   * @param {CommandArgs} [args]
   */
  async divide(command, segment, args = {}) {
    const {bench} = this;
    const {connection} = bench;
    const n = bench.numberOf(segment);
    let other = new History();
    const swap = () => {
      other = bench.segment.histories.exchange(segment, other);
    };
    const sent = connection.send(command, {segment, ...args});
    const step = this.done(
      '',
      async isUndo => {
        const first = await sent;
        if (!first.ok) return '';
        const again = await this.#here(connection.send('division_step', {step: first.result.step, is_undo: isUndo}));
        if (!again.ok) return '';
        swap();
        bench.openSegment(again.result.open);
        return t(isUndo ? 'division.undone' : 'division.redone');
      },
      {sent},
    );
    const reply = await this.#here(sent);
    if (!reply.ok) {
      bench.segment.focusField();
      return;
    }
    swap();
    bench.openSegment(reply.result.open);
    this.report(step, t(DIVIDED[command], {n, next: n + 1}));
  }

  /**
   * A segment is confirmed, or with `isConfirmed` false reopened: a step at once, so that undo does not wait for the
   * answer `sent`. Undo opens the segment; `before` is its text before the confirmation, null for the proposal.
   * @param {boolean} isConfirmed
   * @param {number} segment
   * @param {{text: string, before?: string | null, sent: Promise<Reply>}} options
   */
  confirmation(isConfirmed, segment, {text, before = text, sent}) {
    const {bench} = this;
    const {connection} = bench;
    this.done(
      '',
      async isUndo => {
        const confirms = isUndo !== isConfirmed;
        const origin = isUndo ? 'undo' : 'redo';
        const reply = await this.#here(
          confirms
            ? connection.send('confirm', {segment, text, origin})
            : before === null
              ? connection.send('edit', {segment, text: null, origin}, `edit:${segment}`)
              : connection.send('reopen', {segment, origin}),
        );
        if (!reply.ok) return '';
        bench.openSegment(isUndo || !confirms ? segment : (bench.list.nextUnconfirmed(segment) ?? segment));
        return t(confirms ? 'confirm.redone' : 'confirm.undone', {n: bench.numberOf(segment)});
      },
      {
        isOver: isUndo =>
          !bench.numbers.has(segment) || (bench.rows[segment].state === 'confirmed') !== (isUndo === isConfirmed),
        sent,
      },
    );
  }

  /**
   * A reviewer has approved or returned a text. Undo takes the decision back; a remark with it stays.
   * @param {'approved' | 'returned'} decision
   * @param {number} segment
   * @param {{text: string, sent: Promise<Reply>}} options
   */
  review(decision, segment, {text, sent}) {
    const {bench} = this;
    this.done(
      '',
      async isUndo => {
        const now = isUndo ? '' : decision;
        const origin = isUndo ? 'undo' : 'redo';
        const reply = await this.#here(bench.connection.send('review', {segment, decision: now, text, origin}));
        if (!reply.ok) return '';
        bench.openSegment(segment);
        return t(isUndo ? 'review.undone' : `review.redone.${decision}`, {n: bench.numberOf(segment)});
      },
      {
        isOver: isUndo =>
          !bench.numbers.has(segment) ||
          (isUndo
            ? bench.rows[segment].review !== decision
            : bench.rows[segment].state !== 'confirmed' || bench.rows[segment].target !== text),
        sent,
      },
    );
  }

  /**
   * Makes a pin a term of the document or of a glossary; with `isAdded` false, removes a term of the document.
   * @param {boolean} isAdded
   * @param {{segment: number, source: string, target: string, scope: 'document' | 'glossary' | 'project'}} options
   */
  async term(isAdded, {segment, source, target, scope}) {
    const {bench} = this;
    const {connection} = bench;
    /** @type {Partial<ReplyResult<'add_term'>>} */
    let added = {}; // the number of the term in the glossary
    /** @param {boolean} isAddition */
    const send = isAddition =>
      isAddition
        ? connection.send('add_term', {segment, source, target, scope})
        : scope === 'document'
          ? connection.send('remove_term', {source, target})
          : connection.send('term_remove', {glossary: added.glossary_id, number: added.number});
    /**
     * @param {boolean} isAddition
     * @param {Reply} reply
     */
    const notice = (isAddition, reply) => {
      if (!reply.ok) return '';
      if (isAddition) added = reply.result;
      return tn(isAddition ? `scope.${scope}.done` : 'scope.undone', reply.result.num_retranslated, {
        source,
        target,
        glossary: added.glossary ?? '',
      });
    };
    const sent = send(isAdded);
    const reported = sent.then(reply => notice(isAdded, reply));
    const step = this.done(
      '',
      async isUndo => {
        if (!(await reported)) return '';
        const isAddition = isUndo !== isAdded;
        return notice(isAddition, await send(isAddition));
      },
      {sent},
    );
    this.report(step, await reported);
  }
}

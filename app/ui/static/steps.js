/* Steps that changed many segments at once: each is told with a way to take it back, and undone and redone as one. */
import {t, tn} from './dom.js';

const MAX_LISTED = 8;
const DIVIDED = {split: 'split.done', merge: 'merge.done'};
/** "3, 7, 9, \u2026": segments by their numbers. */
export const listed = (indices, bench) => indices.slice(0, MAX_LISTED).map(index => bench.numberOf(index)).join(', ') + (indices.length > MAX_LISTED ? ', \u2026' : '');

export class Steps {
  constructor(bench) {
    this.bench = bench;
    this.clear();
  }

  clear() { Object.assign(this, {past: [], future: []}); }

  /** Splits a segment, or merges it with the next. What was typed in it before stands in the log; its own undo begins anew. */
  async divide(command, segment, args = {}) {
    const {connection, segment: open} = this.bench, n = this.bench.numberOf(segment);
    const reply = await connection.send(command, {segment, ...args});
    if (!reply.ok) { open.focusField(); return; }
    open.histories.delete(segment);
    this.bench.openSegment(reply.result.open);
    this.done(reply.result.step, t(DIVIDED[command], {n, next: n + 1}), 'division_step');
  }

  /** What is done anew in one segment ends what could be done again in many. */
  noticed({name, args}) {
    if (['edit', 'constrain', 'confirm', 'reopen'].includes(name) && !['undo', 'redo'].includes(args.origin)) this.future = [];
  }

  newest(isUndo) { return (isUndo ? this.past : this.future).at(-1); }

  /** A step was made: it is told, and can be taken back. */
  done(number, text, command = 'step') {
    const step = {number, command, at: performance.now()};
    this.past.push(step);
    this.future = [];
    this.note = this.bench.notes.say('info', text, [[t('steps.undo'), () => this.undo(step)]], {key: `${command} ${number}`});
    this.bench.segment.paintState();
  }

  /** A step, be it the newest or not, is taken back. */
  undo(step) {
    if (!this.past.includes(step)) return;
    this.past = this.past.filter(other => other !== step);
    this.future.push(step);
    this.run(step, true);
  }

  /** The newest step, back or forth. */
  step(isUndo) {
    const step = this.newest(isUndo);
    if (isUndo) this.undo(step);
    else { this.past.push(this.future.pop()); this.run(step, false); }
  }

  async run(step, isUndo) {
    step.at = performance.now();
    this.note?.remove();
    const reply = await this.bench.connection.send(step.command, {step: step.number, is_undo: isUndo});
    if (!reply.ok) return;
    if (step.command === 'division_step') {
      this.bench.openSegment(reply.result.open);
      this.bench.say('info', t(isUndo ? 'division.undone' : 'division.redone'));
      return;
    }
    const {num_segments: n, num_left: left} = reply.result;
    this.bench.say('info', tn(isUndo ? 'steps.undone' : 'steps.redone', n) + (left ? ' ' + tn('steps.left', left) : ''));
    this.bench.segment.paintState();
  }
}

/* Steps that changed many segments at once: each is told with a way to take it back, and undone and redone as one. */
import {t, tn} from './dom.js';

const MAX_LISTED = 8;
/** "3, 7, 9, \u2026": segments by their numbers. */
export const listed = indices => indices.slice(0, MAX_LISTED).map(index => index + 1).join(', ') + (indices.length > MAX_LISTED ? ', \u2026' : '');

export class Steps {
  constructor(bench) {
    this.bench = bench;
    this.clear();
  }

  clear() { Object.assign(this, {past: [], future: []}); }

  newest(isUndo) { return (isUndo ? this.past : this.future).at(-1); }

  /** A step was made: it is told, and can be taken back. */
  done(number, text) {
    const step = {number, at: performance.now()};
    this.past.push(step);
    this.future = [];
    this.note = this.bench.notes.say('info', text, [[t('steps.undo'), () => this.undo(step)]], `step ${number}`);
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
    const reply = await this.bench.connection.send('step', {step: step.number, is_undo: isUndo});
    if (!reply.ok) return;
    const {num_segments: n, num_left: left} = reply.result;
    this.bench.say('info', tn(isUndo ? 'steps.undone' : 'steps.redone', n) + (left ? ' ' + tn('steps.left', left) : ''));
    this.bench.segment.paintState();
  }
}

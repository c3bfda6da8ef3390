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
    this.note = this.bench.notes.say('info', text, [[t('steps.undo'), () => { if (this.newest(true) === step) this.step(true); else this.run(step, true); }]], `step ${number}`);
    this.bench.segment.paintState();
  }

  /** The newest step, back or forth. */
  step(isUndo) {
    const [from, to] = isUndo ? [this.past, this.future] : [this.future, this.past];
    const step = from.pop();
    if (!step) return;
    to.push(step);
    this.run(step, isUndo);
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

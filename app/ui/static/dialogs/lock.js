/* The dialog in which those who may lock segments lock or unlock many of them. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t} from '../core/dom.js';
import {segmentRange} from './segment_range.js';

/** @param {Bench} bench */
export const openLocking = bench => {
  const range = segmentRange(bench);
  const problem = h('p.wrong', {role: 'alert'});
  /** @param {boolean} isLocked */
  const change = async isLocked => {
    const segments = range.chosen();
    if (!segments.length) {
      setText(problem, t('range.none'));
      range.first.focus();
      return;
    }
    bench.segment.flush();
    const reply = await bench.steps.lock(segments, isLocked);
    if (reply.ok) {
      dialog.close();
      return;
    }
    bench.notes.take(reply.error.message); // it is said here
    setText(problem, reply.error.message);
  };
  const dialog = new Dialog({
    name: 'lock',
    title: t('lock.dialog'),
    classes: '.small.projectform',
    body: [h('p.muted', t('lock.lead')), ...range.elements, problem],
    buttons: [
      button('.btn', {onclick: () => dialog.close()}, t('cancel')),
      button('.btn', {onclick: () => change(false)}, t('lock.unlock.short')),
      h('button.btn.primary', {type: 'submit'}, t('lock.lock.short')),
    ],
    onSubmit: () => change(true),
    onClose: () => bench.focusEditor(),
  });
  dialog.open(bench.root, range.first);
};

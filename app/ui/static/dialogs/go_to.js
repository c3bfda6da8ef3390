/* The dialog that opens a segment by its number. */
import {Dialog} from '../core/dialog.js';
import {button, h, t} from '../core/dom.js';

/** @param {Pick<Bench, 'focusEditor' | 'openSegment' | 'order' | 'root'>} bench */
export const openGoTo = bench => {
  const close = () => dialog.close();
  const n = bench.order.length;
  const label = t('goto.label', {n});
  const input = h('input', {
    type: 'number',
    min: 1,
    max: n,
    'aria-label': label,
    'aria-describedby': 'pinpoint-goto-wrong',
  });
  const wrong = h('p.wrong', {id: 'pinpoint-goto-wrong', role: 'alert'});
  const go = () => {
    const number = input.valueAsNumber;
    if (bench.order[number - 1] === undefined) {
      wrong.textContent = t('goto.wrong', {n});
      input.select();
      return;
    }
    close();
    bench.openSegment(bench.order[number - 1]);
  };
  const dialog = new Dialog({
    name: 'goto',
    title: t('goto.title'),
    classes: '.small',
    body: [h('label.line', h('span', label), input), wrong],
    buttons: [button('.btn', {onclick: close}, t('cancel')), h('button.btn.primary', {type: 'submit'}, t('goto.go'))],
    onSubmit: go,
    onClose: () => bench.focusEditor(),
  });
  dialog.open(bench.root, input);
};

/* To a segment by its number. */
import {button, h, icon, t} from '../core/dom.js';

/** @param {Bench} bench */
export const openGoTo = bench => {
  const close = () => {
    dialog.close();
    dialog.remove();
    bench.focusEditor();
  };
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
  /** @param {KeyboardEvent} event */
  const go = event => {
    event.preventDefault();
    const number = input.valueAsNumber;
    if (bench.order[number - 1] === undefined) {
      wrong.textContent = t('goto.wrong', {n});
      input.select();
      return;
    }
    close();
    bench.openSegment(bench.order[number - 1]);
  };
  const dialog = h(
    'dialog.small',
    {
      'aria-labelledby': 'pinpoint-goto',
      oncancel: event => {
        event.preventDefault();
        close();
      },
    },
    h(
      'form',
      {onsubmit: go, novalidate: true},
      h(
        'div.dh',
        {},
        h('h2', {id: 'pinpoint-goto'}, t('goto.title')),
        button('.x', {'aria-label': t('close'), onclick: close}, icon('x')),
      ),
      h('div.db', {}, h('label.line', {}, h('span', {}, label), input), wrong),
      h(
        'div.df',
        {},
        button('.btn', {onclick: close}, t('close')),
        h('button.btn.primary', {type: 'submit'}, t('goto.go')),
      ),
    ),
  );
  bench.root.append(dialog);
  dialog.showModal();
  input.focus();
};

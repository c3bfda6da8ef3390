/* To a segment by its number. */
import {button, h, icon, t} from './dom.js';

export const openGoTo = bench => {
  const close = () => { dialog.close(); dialog.remove(); bench.focusEditor(); };
  const input = h('input', {type: 'number', min: 1, max: bench.order.length, required: true, 'aria-label': t('goto.label', {n: bench.order.length})});
  const go = event => {
    event.preventDefault();
    const number = input.valueAsNumber;
    close();
    bench.openSegment(bench.order[number - 1]);
  };
  const dialog = h('dialog.small', {'aria-labelledby': 'pinpoint-goto', oncancel: event => { event.preventDefault(); close(); }},
    h('form', {onsubmit: go}, h('div.dh', {}, h('h2', {id: 'pinpoint-goto'}, t('goto.title')), button('.x', {'aria-label': t('close'), onclick: close}, icon('x'))),
      h('div.db', {}, h('label.line', {}, h('span', {}, t('goto.label', {n: bench.order.length})), input)),
      h('div.df', {}, button('.btn', {onclick: close}, t('close')), h('button.btn.primary', {type: 'submit'}, t('goto.go')))));
  bench.root.append(dialog);
  dialog.showModal();
  input.focus();
};

/* The dialog of the models: what each is, says of itself and can do, and switching this document to another. What a
   model's makers wrote is shown as plain text. */
import {button, count, h, icon, number, t} from './dom.js';

const megabytes = bytes => t('models.size', {size: number(bytes / 1e6, bytes < 1e8 ? 1 : 0)});
const millions = parameters => t('models.parameters', {n: number(parameters / 1e6, 1)});

/** One model of the list. `use` is called to switch to it. */
const entry = (model, use) => h('section.modelrow', {'aria-label': model.name, 'data-key': model.key},
  h('div.line1', {}, h('b', {}, model.name), h('span.muted', {}, t('models.' + model.place)),
    model.is_current ? h('span.now', {}, icon('check', true), t('models.current'))
      : model.is_fit ? button('.btn.small', {onclick: use}, t('models.use')) : null),
  model.problem ? h('p.wrong', {}, model.problem)
    : h('p.muted.num', {}, [model.directions.join(', ') + (model.num_directions > model.directions.length ? t('models.more', {n: count(model.num_directions - model.directions.length)}) : ''),
      millions(model.num_parameters), megabytes(model.num_bytes)].join(' · ')),
  !model.problem && !model.is_current && !model.is_fit ? h('p.muted', {}, t('models.unfit')) : null,
  model.card ? h('details', {}, h('summary', {}, t('models.card')), h('pre', {}, model.card)) : null);

export const showModels = async bench => {
  const reply = await bench.connection.send('models');
  if (!reply.ok) return;
  const close = () => { dialog.close(); dialog.remove(); };
  const use = key => { close(); bench.connection.send('switch_model', {key}); };
  const dialog = h('dialog.models', {'aria-labelledby': 'pinpoint-models', oncancel: event => { event.preventDefault(); close(); }},
    h('div.dh', {}, h('h2', {id: 'pinpoint-models'}, t('models.title')), button('.x', {'aria-label': t('close'), onclick: close}, icon('x'))),
    h('div.db', {}, h('p.muted', {}, t('models.note')), reply.result.models.map(model => entry(model, () => use(model.key)))),
    h('div.df', {}, button('.btn.primary', {onclick: close}, t('close'))));
  bench.root.append(dialog);
  dialog.showModal();
  dialog.querySelector('.df button').focus();
};

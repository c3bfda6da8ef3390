/* The dialog of what a document is translated into and how: its languages, form of address, domain and numbers. */
import {Dialog} from '../core/dialog.js';
import {button, h, t} from '../core/dom.js';
import {domainName, formalityName} from '../core/style_names.js';
import {showDirections} from './direction.js';
import {pairName, projectName} from './project_form.js';

/**
 * The style options of the model: the form of address and the domain, if it supports them.
 * @param {Bench} bench
 */
const styleOf = bench => {
  const {style, name} = bench.model;
  const send = async () => {
    const {formality, domain} = bench.model.style; // kept where they cannot be chosen here
    const chosen = {
      formality: radios.length ? radios.find(radio => radio.checked)?.value : formality,
      domain: select ? select.value : domain,
    };
    const reply = await bench.connection.send(
      'choose_style',
      {
        formality: chosen.formality || null,
        domain: chosen.domain || null,
        requires_numbers: numbers.checked,
        is_kept: keeps.checked,
      },
      'choose_style',
    );
    if (!reply.ok) paint();
  };
  const paint = () => {
    const {formality, domain} = bench.model.style;
    for (const radio of radios) radio.checked = radio.value === (formality ?? '');
    if (select) select.value = domain ?? '';
    numbers.checked = bench.model.style.requires_numbers;
  };
  const numbers = h('input', {type: 'checkbox', onchange: send});
  const keeps = h('input', {type: 'checkbox', checked: true, onchange: event => event.target.checked && send()});
  const radios = style.formalities.length
    ? [...style.formalities, ''].map(value =>
        h('input', {type: 'radio', name: 'pinpoint-formality', value, onchange: send}),
      )
    : [];
  const select = style.domains.length
    ? h(
        'select',
        {onchange: send},
        h('option', {value: ''}, t('style.any')),
        style.domains.map(domain => h('option', {value: domain}, domainName(domain))),
      )
    : null;
  const isIgnored =
    (style.formality && !style.formalities.includes(style.formality)) ||
    (style.domain && !style.domains.includes(style.domain));
  paint();
  return h(
    'div.style',
    isIgnored ? h('p.muted', t('style.ignored', {name})) : null,
    radios.length
      ? h(
          'fieldset',
          h('legend', t('style.formality')),
          radios.map(radio => h('label.check', radio, h('span', formalityName(radio.value)))),
        )
      : null,
    select ? h('label', h('span', t('style.domain')), select) : null,
    radios.length || select
      ? h('label.check', keeps, h('span', t('style.keep', {name: projectName(bench.document.project)})))
      : h('p.muted', t('style.none', {name})),
    h('label.check', numbers, h('span', t('style.numbers'))),
    h('p.muted', t('style.note')),
  );
};

/** @param {Bench} bench */
export const openStyle = bench => {
  const {source, target} = bench.languages;
  const close = () => dialog.close();
  const change = () => {
    close();
    showDirections(bench);
  };
  const dialog = new Dialog({
    name: 'style',
    title: t('style.title'),
    classes: '.small',
    body: [
      h(
        'div.style.langpair',
        h('b', t('project.pair')),
        h('span', pairName(`${source}-${target}`)),
        bench.model.num_directions > 1 ? button('.btn.small', {onclick: change}, t('direction.change')) : null,
      ),
      styleOf(bench),
    ],
    buttons: [button('.btn.primary', {onclick: close}, t('close'))],
    onClose: () => bench.focusEditor(),
  });
  dialog.open(bench.root, dialog.element.querySelector('input:checked, .df .btn'));
};

/* The dialog in which a person chooses what each column of a glossary is used for. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, tableHead} from '../core/dom.js';

const USES = [
  'ignore',
  'source',
  'target',
  'source_variant',
  'variants',
  'status',
  'forbidden',
  'do_not_translate',
  'translatable',
  'case',
  'matching',
  'note',
  'domain',
  'source_language',
  'target_language',
  'source_info',
  'target_info',
];
const SEVERAL = ['ignore', 'source_variant', 'variants', 'note', 'domain', 'target_info']; // uses that several columns may have
const NUM_EXAMPLES = 3;

/**
 * Resolves with the uses as the server reads them ("header:source,target"), or with null if the person cancels.
 * @param {Pick<Bench, 'focusEditor' | 'root'>} bench
 * @param {string} name of the file
 * @param {TableView} table
 * @returns {Promise<string | null>}
 */
export const askColumns = (bench, name, {rows, uses, has_header: hasHeader}) =>
  new Promise(resolve => {
    const header = h('input', {type: 'checkbox', checked: hasHeader, onchange: () => paint()});
    const names = uses.map(() => h('th', {scope: 'row'}));
    const examples = uses.map(() => h('td.code'));
    const choices = uses.map(use =>
      h(
        'select',
        {onchange: () => check()},
        USES.map(one => h('option', {value: one, selected: one === use}, t(`columns.use.${one}`))),
      ),
    );
    const warning = h('p.wrong.maybe', {role: 'alert'});
    const go = button('.btn.primary', {type: 'submit'}, t('columns.go'));
    const chosen = () => choices.map(choice => choice.value);
    const problem = () => {
      const all = chosen();
      if (!all.includes('source')) return t('columns.no_source');
      if (!all.includes('target')) return t('columns.no_target');
      const twice = USES.find(use => !SEVERAL.includes(use) && all.filter(one => one === use).length > 1);
      return twice ? t('columns.twice', {use: t(`columns.use.${twice}`)}) : '';
    };
    const check = () => {
      setText(warning, problem());
      go.disabled = Boolean(problem());
    };
    const paint = () => {
      const first = header.checked ? 1 : 0;
      const shown = rows.slice(first, first + NUM_EXAMPLES);
      uses.forEach((_, at) => {
        const title = (header.checked && rows[0]?.[at]) || t('reading.column', {n: at + 1});
        setText(names[at], title);
        choices[at].setAttribute('aria-label', t('columns.use', {name: title}));
        examples[at].replaceChildren(...shown.map(row => h('div', row[at] || '–')));
      });
      check();
    };
    /** @param {string | null} result */
    const end = result => {
      dialog.close();
      resolve(result);
      if (result === null) bench.focusEditor();
    };
    const dialog = new Dialog({
      name: 'columns',
      title: t('columns.title', {name}),
      classes: '.columns',
      body: [
        h('p.muted', t('columns.intro')),
        h('label.check', header, t('columns.header')),
        h(
          'div.tblscroll',
          {tabindex: 0, role: 'group', 'aria-label': t('columns.title', {name})},
          h(
            'table',
            tableHead(t('columns.name'), t('reading.rows'), t('columns.used')),
            h(
              'tbody',
              uses.map((_, at) => h('tr', names[at], examples[at], h('td', choices[at]))),
            ),
          ),
        ),
        warning,
      ],
      buttons: [button('.btn', {onclick: () => end(null)}, t('cancel')), go],
      onSubmit: () => {
        if (!problem()) end((header.checked ? 'header:' : '') + chosen().join(','));
      },
      onCancel: () => end(null),
    });
    paint();
    const first = uses.findIndex(use => use !== 'ignore');
    dialog.open(bench.root, choices[Math.max(0, first)]);
  });

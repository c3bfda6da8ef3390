/* The files in which a glossary can be saved: for Pinpoint and for other tools, with what each cannot keep. */
import {Dialog} from '../core/dialog.js';
import {button, h, icon, t} from '../core/dom.js';

/**
 * @param {Pick<Bench, 'root' | 'session'>} bench
 * @param {DocumentGlossary} base
 * @param {GlossaryExport[]} exports
 */
export const openGlossaryExport = (bench, {id, name}, exports) => {
  const url = `download/${encodeURIComponent(bench.session.token)}/glossary/${id}/`;
  const dialog = new Dialog({
    name: 'glossary-export',
    title: t('glossaries.export.title', {name}),
    body: [
      h('p.muted', t('glossaries.export.lead')),
      h(
        'table',
        h(
          'tbody',
          exports.map(({kind, label, note}) =>
            h(
              'tr',
              h(
                'td',
                h(
                  'a.btn.small',
                  {
                    href: url + encodeURIComponent(kind),
                    download: '',
                    'data-kind': kind,
                    'aria-label': t('glossaries.save', {name, kind: label}),
                  },
                  icon('down', true),
                  label,
                ),
              ),
              h('td', note || t('glossaries.export.all')),
            ),
          ),
        ),
      ),
    ],
    buttons: button('.btn', {onclick: () => dialog.close()}, t('close')),
  });
  dialog.open(bench.root, dialog.element.querySelector('a'));
};

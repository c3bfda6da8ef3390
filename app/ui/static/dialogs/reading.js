/* The dialog in which a person chooses the encoding of a text, and the columns of a table. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t} from '../core/dom.js';

/**
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'root' | 'say' | 'segment' | 'switchTo'>} bench
 */
export const showReading = async bench => {
  bench.segment.flush();
  const reply = await bench.connection.send('reading');
  if (!reply.ok) return;
  const {encoding, encodings, columns, rows} = reply.result;
  const close = () => dialog.close();
  const codec = h(
    'select',
    {onchange: () => paint()},
    encodings.map(([name, label]) => h('option', {value: name}, label)),
  );
  codec.value = encoding;
  const numColumns = Math.max(0, ...rows.map(row => row.length));
  /** @param {number} extra */
  const places = extra =>
    Array.from({length: numColumns + extra}, (_, at) =>
      h('option', {value: String(at)}, t('reading.column', {n: at + 1})),
    );
  const source = h('select', {onchange: () => paint()}, places(0));
  const target = h('select', {onchange: () => paint()}, places(1));
  source.value = String(columns?.[0]);
  target.value = String(columns?.[1]);
  const warning = h('p.wrong', {role: 'alert'});
  const go = button('.btn.primary', {onclick: () => begin()}, t('reading.go'));
  const table = h('div.tblscroll', {tabindex: 0, role: 'group', 'aria-label': t('reading.rows')});
  const chosen = () => [Number(source.value), Number(target.value)];
  const paint = () => {
    const [from, to] = chosen();
    setText(warning, columns && from === to ? t('reading.same') : '');
    go.disabled = columns
      ? from === to || (codec.value === encoding && from === columns[0] && to === columns[1])
      : codec.value === encoding;
    if (columns)
      table.replaceChildren(
        h(
          'table',
          {},
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              Array.from({length: numColumns}, (_, at) =>
                h(
                  'th',
                  {scope: 'col'},
                  at === from ? t('reading.source') : at === to ? t('reading.target') : String(at + 1),
                ),
              ),
            ),
          ),
          h(
            'tbody',
            {},
            rows.map(row =>
              h(
                'tr',
                {},
                Array.from({length: numColumns}, (_, at) => h('td', {}, row[at] ?? '')),
              ),
            ),
          ),
        ),
      );
  };
  const begin = async () => {
    close();
    const [source_column, target_column] = columns ? chosen() : [null, null];
    const args = {encoding: codec.value, source_column, target_column};
    if (await bench.switchTo('reread_document', args)) bench.say('info', t('reading.done'));
  };

  const dialog = new Dialog({
    name: 'reading',
    title: t('reading.title'),
    classes: columns ? '.reading' : '.small.reading',
    body: [
      h('label.line', {}, h('span', {}, t('reading.encoding')), codec),
      columns
        ? [
            h('label.line', {}, h('span', {}, t('reading.source')), source),
            h('label.line', {}, h('span', {}, t('reading.target')), target),
            table,
          ]
        : null,
      h('p.muted', {}, t('direction.note')),
      warning,
    ],
    buttons: [button('.btn', {onclick: close}, t('cancel')), go],
    onClose: () => bench.focusEditor(),
  });
  paint();
  dialog.open(bench.root, columns ? source : codec);
};

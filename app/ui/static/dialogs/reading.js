/* The dialog in which a person chooses how a file is read: encoding, columns, more texts, segments, and its parts. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, tableHead} from '../core/dom.js';
import {partsField} from './text_parts.js';

/**
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'root' | 'say' | 'segment' | 'switchTo'>} bench
 */
export const showReading = async bench => {
  bench.segment.flush();
  const reply = await bench.connection.send('reading');
  if (!reply.ok) return;
  const {encoding, encodings, columns, rows, extras, chosen_extras, segments, line_breaks} = reply.result;
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
  const boxes = extras.map(name => h('input', {type: 'checkbox', value: name, onchange: () => paint()}));
  for (const box of boxes) box.checked = chosen_extras.includes(box.value);
  const chosenExtras = () => boxes.filter(box => box.checked).map(box => box.value);
  const unit = h(
    'select',
    {onchange: () => paint()},
    ['sentence', 'paragraph'].map(name => h('option', {value: name}, t(`reading.segments.${name}`))),
  );
  unit.value = segments ?? 'sentence';
  const breaks = h(
    'select',
    {onchange: () => paint()},
    ['automatic', 'separate', 'join'].map(name => h('option', {value: name}, t(`reading.breaks.${name}`))),
  );
  breaks.value = line_breaks ?? 'automatic';
  const parts =
    reply.result.parts.length || reply.result.rules.length ? partsField(bench, reply.result, () => paint()) : null;
  const warning = h('p.wrong', {role: 'alert'});
  const go = button('.btn.primary', {onclick: () => begin()}, t('reading.go'));
  const table = h('div.tblscroll', {tabindex: 0, role: 'group', 'aria-label': t('reading.rows')});
  const chosen = () => [Number(source.value), Number(target.value)];
  const paint = () => {
    const [from, to] = chosen();
    setText(warning, columns && from === to ? t('reading.same') : '');
    const isSame =
      (!encodings.length || codec.value === encoding) &&
      (!columns || (from === columns[0] && to === columns[1])) &&
      String(chosenExtras()) === String(chosen_extras) &&
      unit.value === (segments ?? 'sentence') &&
      breaks.value === (line_breaks ?? 'automatic') &&
      !parts?.isChanged();
    go.disabled = isSame || (columns !== null && from === to) || parts?.isUsable() === false;
    if (columns)
      table.replaceChildren(
        h(
          'table',
          tableHead(
            ...Array.from({length: numColumns}, (_, at) =>
              at === from ? t('reading.source') : at === to ? t('reading.target') : String(at + 1),
            ),
          ),
          h(
            'tbody',
            rows.map(row =>
              h(
                'tr',
                Array.from({length: numColumns}, (_, at) => h('td', row[at] ?? '')),
              ),
            ),
          ),
        ),
      );
  };
  const begin = async () => {
    close();
    const [source_column, target_column] = columns ? chosen() : [null, null];
    const args = {
      encoding: encodings.length ? codec.value : null,
      source_column,
      target_column,
      extras: extras.length ? chosenExtras() : null,
      segments: segments && unit.value,
      line_breaks: line_breaks && breaks.value,
      rules: parts?.rules() ?? null,
      is_kept: parts?.keeps() ?? null,
    };
    if (await bench.switchTo('reread_document', args)) bench.say('info', t('reading.done'));
  };

  const dialog = new Dialog({
    name: 'reading',
    title: t('reading.title'),
    classes: columns || parts ? '.reading' : '.small.reading',
    body: [
      encodings.length ? h('label.line', h('span', t('reading.encoding')), codec) : null,
      segments ? h('label.line', h('span', t('reading.segments')), unit) : null,
      line_breaks ? h('label.line', h('span', t('reading.breaks')), breaks) : null,
      extras.length
        ? h(
            'fieldset',
            h('legend', t('reading.extras')),
            boxes.map(box => h('label.check', box, t(`reading.extras.${box.value}`))),
          )
        : null,
      columns
        ? [
            h('label.line', h('span', t('reading.source')), source),
            h('label.line', h('span', t('reading.target')), target),
            table,
          ]
        : null,
      parts?.element ?? null,
      h('p.muted', t('direction.note')),
      warning,
    ],
    buttons: [button('.btn', {onclick: close}, t('cancel')), go],
    onClose: () => bench.focusEditor(),
  });
  paint();
  dialog.open(bench.root, columns ? source : (boxes[0] ?? (encodings.length ? codec : unit)));
};

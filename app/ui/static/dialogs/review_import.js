/* The dialog with the changes in a review table: shows each before it is taken over, and what needs a look. */
import {withChips} from '../core/chips.js';
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, textIn, tn} from '../core/dom.js';

/**
 * Compares the file with the document, and opens the dialog.
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'languages' | 'openSegment' | 'root' | 'rows' | 'segment' |
 *   'steps'>} bench
 * @param {string} file
 * @param {string} data in base64
 */
export const showReview = async (bench, file, data) => {
  bench.segment.flush();
  const reply = await bench.connection.send('compare_review', {file, data});
  if (!reply.ok) return;
  const {rows, notes} = reply.result;
  const close = () => dialog.close();

  /** @param {ReplyResult<'compare_review'>['rows'][number]} row */
  const change = row => {
    if (row.text === null) return null;
    const {tags} = bench.rows[row.segment] ?? {};
    const runs = row.runs.flatMap(({t: now, was}) =>
      was === undefined
        ? withChips(now, tags)
        : [was && h('del', withChips(was, tags)), now && h('ins', withChips(now, tags))],
    );
    return h('span.tx', textIn(bench.languages.target), row.text || row.before ? runs : t('review.import.empty'));
  };

  const boxes = rows.map(row =>
    h('input', {
      type: 'checkbox',
      checked: row.can_be_taken && !row.problem,
      disabled: !row.can_be_taken,
      'aria-label': t('review.import.choose', {n: row.number}),
      oninput: () => paint(),
    }),
  );
  const apply = button('.btn.primary', {onclick: () => take()});
  const all = h('input', {
    type: 'checkbox',
    oninput: () => {
      for (const box of boxes) box.checked = all.checked && !box.disabled;
      paint();
    },
  });
  const paint = () => {
    const n = boxes.filter(box => box.checked).length;
    setText(apply, tn('review.import.apply', n));
    apply.disabled = !n;
    all.checked = Boolean(n) && boxes.every(box => box.checked || box.disabled);
    all.indeterminate = Boolean(n) && !all.checked;
  };
  const take = async () => {
    const changes = rows
      .filter((_, at) => boxes[at].checked)
      .map(({segment, before, text, comments}) => ({segment, before, text, comments}));
    const taken = await bench.connection.send('take_review', {changes});
    if (!taken.ok) return;
    const {step, segments} = taken.result;
    close();
    if (segments.length) bench.steps.batch(step, tn('review.import.done', segments.length));
  };

  const list = rows.map((row, at) =>
    h(
      'li',
      boxes[at],
      button(
        '.link',
        {
          title: t('replace.go'),
          onclick: () => {
            close();
            bench.openSegment(row.segment);
          },
        },
        String(row.number),
      ),
      h(
        'div',
        change(row),
        row.comments.map(comment => h('p.cm', {dir: 'auto'}, h('b', `${t('review.import.comment')}: `), comment)),
        row.problem ? h('p.warn', row.problem) : null,
      ),
    ),
  );
  const dialog = new Dialog({
    name: 'review-import',
    title: t('review.import.title', {name: file}),
    body: [
      notes.map(note => h('p', note)),
      h('p.muted', {role: 'status'}, rows.length ? tn('review.import.found', rows.length) : t('review.import.nothing')),
      rows.length ? h('label.check', all, t('review.import.all')) : null,
      h('ul.places.reviewed', {'aria-label': t('review.import.places')}, list),
    ],
    buttons: rows.length
      ? [button('.btn', {onclick: close}, t('cancel')), apply]
      : [button('.btn.primary', {onclick: close}, t('close'))],
    onClose: () => bench.focusEditor(),
  });
  paint();
  dialog.open(bench.root);
};

/* The dialog to find and replace in the document; shows every place as it would be before anything is replaced. */
import {withChips} from '../core/chips.js';
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, textIn, tn} from '../core/dom.js';

const PAUSE_MS = 200;
/** @type {Record<string, string>} */
const LABELS = {matches_case: 'replace.case', whole_words: 'replace.words', in_confirmed: 'replace.confirmed'};
/** @type {Record<string, (content: Child) => Child>} */
const RUNS = {
  s: content => content,
  d: content => h('del', content),
  i: content => h('ins', content),
};

/**
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'languages' | 'numberOf' | 'openSegment' | 'root' | 'rows' |
 *   'segment' | 'steps'>} bench
 */
export const openReplace = bench => {
  const close = () => dialog.close();
  /** @param {string} label */
  const field = label =>
    h('input', {
      type: 'text',
      'aria-label': t(label),
      ...textIn(bench.languages.target),
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => later(),
      onkeydown: event => {
        if (event.key === 'Enter' && !event.isComposing) {
          event.preventDefault();
          list.querySelector('.btn')?.focus();
        }
      },
    });
  /**
   * @param {string} label
   * @param {boolean} isChecked
   */
  const box = (label, isChecked) =>
    h('input', {type: 'checkbox', checked: isChecked, oninput: () => preview(), 'aria-label': t(label)});
  const find = field('replace.find');
  const replacement = field('replace.with');
  /** @type {Record<string, HTMLInputElement>} */
  const boxes = {
    matches_case: box('replace.case', false),
    whole_words: box('replace.words', false),
    in_confirmed: box('replace.confirmed', false),
  };
  const summary = h('p.muted', {role: 'status'});
  const list = h('ul.places', {'aria-label': t('replace.places')});
  const all = button('.btn.primary', {disabled: true, onclick: () => replace(null)}, t('replace.all'));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;
  const query = () => ({
    find: find.value,
    replacement: replacement.value,
    ...Object.fromEntries(Object.entries(boxes).map(([name, element]) => [name, element.checked])),
  });
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(preview, PAUSE_MS);
  };

  const preview = async () => {
    const number = ++asked;
    const reply = await bench.connection.send('find', query(), 'find');
    if (number !== asked || !reply.ok) return;
    const {num_places: places, num_segments: segments, rows} = reply.result;
    setText(
      summary,
      !find.value
        ? ''
        : !places
          ? t('replace.nothing')
          : tn('replace.found', places, {segments: tn('replace.segments', segments)}) +
            (rows.length < segments ? ` ${t('replace.shown', {n: rows.length})}` : ''),
    );
    all.disabled = !places;
    list.replaceChildren(
      ...rows.map(row =>
        h(
          'li',
          button(
            '.link',
            {
              title: t('replace.go'),
              onclick: () => {
                close();
                bench.openSegment(row.index);
              },
            },
            String(bench.numberOf(row.index)),
          ),
          h(
            'span.tx',
            textIn(bench.languages.target),
            row.runs.map(([kind, text]) => RUNS[kind](withChips(text, bench.rows[row.index].tags))),
          ),
          button(
            '.btn.small',
            {'aria-label': t('replace.one', {n: bench.numberOf(row.index)}), onclick: () => replace([row.index])},
            t('replace.here'),
          ),
        ),
      ),
    );
  };

  /** @param {number[] | null} segments */
  const replace = async segments => {
    const reply = await bench.connection.send('replace', {...query(), segments});
    if (!reply.ok) return;
    const {step, segments: changed, num_places: places} = reply.result;
    if (changed.length)
      bench.steps.batch(step, tn('replace.done', places, {segments: tn('replace.segments', changed.length)}));
    if (segments === null) close();
    else {
      await preview();
      (list.querySelector('.btn') ?? find).focus();
    }
  };

  /** @param {string} name */
  const check = name => h('label.check', boxes[name], t(LABELS[name]));
  const dialog = new Dialog({
    name: 'replace',
    title: t('replace.title'),
    body: [
      h(
        'div.pair',
        h('label.line', h('span', t('replace.find')), find),
        h('label.line', h('span', t('replace.with')), replacement),
      ),
      h('div.boxes', Object.keys(boxes).map(check)),
      summary,
      list,
    ],
    buttons: [button('.btn', {onclick: close}, t('cancel')), all],
    onClose: () => {
      clearTimeout(timer);
      bench.focusEditor();
    },
  });
  bench.segment.flush();
  find.value = bench.segment.text.field.area.matches(':focus') ? bench.segment.text.field.chosen() : '';
  dialog.open(bench.root);
  find.select();
  if (find.value) preview();
};

/* The dialog to find and replace in the document or in all documents of its project; shows every place as it would be
   before anything is replaced. */
import {withChips} from '../core/chips.js';
import {Dialog} from '../core/dialog.js';
import {button, count, h, setText, t, textIn, tn} from '../core/dom.js';

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
 * "3 segments", or "3 segments of 2 documents"
 * @param {number} numSegments
 * @param {number} numDocuments 0: of the document that is shown
 */
const where = (numSegments, numDocuments) => {
  const segments = tn('replace.segments', numSegments);
  return numDocuments ? tn('replace.in_documents', numDocuments, {segments}) : segments;
};

/**
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'goTo' | 'languages' | 'root' | 'rows' | 'say' |
 *   'segment' | 'steps'>} bench
 */
export const openReplace = bench => {
  const close = () => dialog.close();
  const own = bench.document.session;
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
  const inProject = box('replace.project', false);
  const summary = h('p.muted', {role: 'status'});
  const list = h('div.found');
  const all = button('.btn.primary', {disabled: true, onclick: () => replaceAll()}, t('replace.all'));
  /** @type {FoundDocument[]} */
  let found = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;
  let isReplacing = false;
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
    const here = bench.connection.send('find', query(), 'find');
    const elsewhere = inProject.checked ? bench.connection.send('find_in_project', query(), 'find_in_project') : null;
    const [reply, others] = [await here, await elsewhere];
    if (number !== asked || !reply.ok || (others && !others.ok)) return;
    const documents = others?.result.documents ?? [];
    const every = [{...reply.result, session: own, name: bench.document.name}, ...documents];
    found = every.filter(one => one.num_places);
    const locked = every.reduce((sum, one) => sum + one.num_locked, 0);
    const held = every.reduce((sum, one) => sum + one.num_held, 0);
    const rows = found.flatMap(one => one.rows);
    const places = found.reduce((sum, one) => sum + one.num_places, 0);
    const segments = found.reduce((sum, one) => sum + one.num_segments, 0);
    const notes = [
      !places
        ? t(locked || held ? 'replace.nothing_to_change' : 'replace.nothing')
        : tn('replace.found', places, {segments: where(segments, documents.length ? found.length : 0)}),
      rows.length < segments ? t('replace.shown', {n: count(rows.length)}) : '',
      locked ? tn('replace.locked', locked) : '',
      held ? tn('replace.held', held) : '',
      others?.result.num_left_out ? tn('replace.left_out', others.result.num_left_out) : '',
    ];
    setText(summary, find.value ? notes.filter(Boolean).join(' ') : '');
    all.disabled = !places;
    const shown = found.filter(one => one.rows.length);
    list.replaceChildren(...shown.map(one => documentPlaces(one, documents.length > 0)));
  };

  /**
   * @param {FoundDocument} document
   * @param {boolean} hasHeading
   */
  const documentPlaces = (document, hasHeading) => {
    const {session, name, rows, num_segments} = document;
    const label = hasHeading ? t('replace.places_in', {name}) : t('replace.places');
    const segments = tn('replace.count', num_segments);
    return h(
      'section',
      {'aria-label': label},
      hasHeading ? h('h3', h('span', {dir: 'auto'}, name), ' ', h('span.muted', segments)) : null,
      h(
        'ul.places',
        {'aria-label': label},
        rows.map(row => {
          const place = session === own ? row.number : t('replace.in_document', {n: row.number, name});
          return h(
            'li',
            button(
              '.link',
              {
                title: t('replace.go'),
                'aria-label': session === own ? null : `${place}: ${t('replace.go')}`,
                onclick: () => {
                  close();
                  bench.goTo(session, row.index);
                },
              },
              String(row.number),
            ),
            h(
              'span.tx',
              textIn(bench.languages.target),
              row.runs.map(([kind, text]) =>
                RUNS[kind](session === own ? withChips(text, bench.rows[row.index].tags) : text),
              ),
            ),
            button(
              '.btn.small',
              {'aria-label': t('replace.one', {n: place}), onclick: () => replaceOne(document, row.index)},
              t('replace.here'),
            ),
          );
        }),
      ),
    );
  };

  /**
   * Replaces in each of these documents; each has its own step in its log. Those that could not be changed are reported
   * by their error.
   * @param {FoundDocument[]} documents
   * @param {number[] | null} segments
   */
  const replace = async (documents, segments) => {
    const made = [];
    let places = 0;
    let numSegments = 0;
    let isAnswered = false;
    for (const {session, name} of documents) {
      if (documents.length > 1) setText(summary, t('replace.running', {name}));
      const reply = await bench.connection.send('replace', {...query(), segments, session});
      if (!reply.ok) continue;
      isAnswered = true;
      places += reply.result.num_places;
      numSegments += reply.result.segments.length;
      if (reply.result.segments.length) made.push({session, step: reply.result.step});
    }
    const changed = where(numSegments, made.length > 1 ? made.length : 0);
    if (made.length) bench.steps.batches(made, tn('replace.done', places, {segments: changed}));
    else if (isAnswered) bench.say('info', t('replace.none'));
  };

  /** Replaces every place that was found, also those that are not shown. */
  const replaceAll = async () => {
    if (isReplacing) return;
    isReplacing = all.disabled = true;
    await preview(); // the places as they are now
    await replace(found, null);
    close();
  };

  /**
   * @param {FoundDocument} document
   * @param {number} index
   */
  const replaceOne = async (document, index) => {
    await replace([document], [index]);
    await preview();
    (list.querySelector('.btn') ?? find).focus();
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
      h('div.boxes', Object.keys(boxes).map(check), h('label.check', inProject, t('replace.project'))),
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

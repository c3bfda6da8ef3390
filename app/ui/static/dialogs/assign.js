/* The dialog in which those who manage a project assign a part of the document to one of its members. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, tn} from '../core/dom.js';

/**
 * The segments from one number to another, as people see them, that the filter shows if it is asked for.
 * @param {{order: number[], shown: Set<number>}} document
 * @param {{first: number, last: number, onlyShown: boolean}} choice
 */
export const segmentsOf = ({order, shown}, {first, last, onlyShown}) =>
  order.slice(first - 1, last).filter(index => !onlyShown || shown.has(index));

/** @param {Bench} bench */
export const openAssignment = async bench => {
  const project = bench.document.project.id;
  const reply = await bench.connection.send('members', {project});
  if (!reply.ok) return;
  const n = bench.order.length;
  const shown = new Set(bench.order.filter(index => bench.list.filter.matches(bench.rows[index])));
  const isFiltered = shown.size < n;
  /** @param {string} label @param {number} value */
  const numberField = (label, value) =>
    h('input', {type: 'number', min: 1, max: n, required: true, value, 'aria-label': label});
  const first = numberField(t('assign.first'), 1);
  const last = numberField(t('assign.last'), n);
  const onlyShown = h('input', {type: 'checkbox', checked: isFiltered});
  const person = h(
    'select',
    reply.result.members.map(member => h('option', {value: member.name}, member.name)),
    h('option', {value: ''}, t('documents.nobody')),
  );
  const problem = h('p.wrong', {role: 'alert'});
  const assign = async () => {
    const choice = {first: first.valueAsNumber, last: last.valueAsNumber, onlyShown: onlyShown.checked};
    const segments = segmentsOf({order: bench.order, shown}, choice);
    if (!segments.length) {
      setText(problem, t('assign.none'));
      first.focus();
      return;
    }
    const {value: name} = person;
    const done = await bench.connection.send('assign_segments', {segments, person: name});
    if (!done.ok) {
      bench.notes.take(done.error.message); // it is said here
      setText(problem, done.error.message);
      return;
    }
    dialog.close();
    const {num_segments: number, num_taken: taken} = done.result;
    const said = name ? tn('assign.done', number, {name}) : tn('assign.nobody', number);
    bench.say('info', taken ? `${said} ${tn('assign.taken', taken)}` : said);
  };
  const dialog = new Dialog({
    name: 'assign',
    title: t('assign.title'),
    classes: '.small.projectform',
    body: [
      h('p.muted', t('assign.lead')),
      h('div.line.range', h('span', t('assign.segments')), first, h('span', {'aria-hidden': 'true'}, '\u2013'), last),
      isFiltered ? h('label.check', onlyShown, t('assign.only_shown')) : null,
      h('label.line', h('span', t('assign.person')), person),
      problem,
    ],
    buttons: [
      button('.btn', {onclick: () => dialog.close()}, t('cancel')),
      h('button.btn.primary', {type: 'submit'}, t('assign.go')),
    ],
    onSubmit: assign,
    onClose: () => bench.focusEditor(),
  });
  dialog.open(bench.root, first);
};

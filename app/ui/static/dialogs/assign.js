/* The dialog in which those who manage a project assign a part of the document to one of its members. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, tn} from '../core/dom.js';
import {segmentRange} from './segment_range.js';

/**
 * @param {Bench} bench
 * @param {number[]} [selected] the segments, if they were selected before
 * @param {() => void} [onDone] they are assigned
 */
export const openAssignment = async (bench, selected, onDone) => {
  const project = bench.document.project.id;
  const {token} = bench.session;
  const reply = await bench.connection.send('members', {project});
  if (!reply.ok || bench.session.token !== token) return; // the segments are those of that document
  const range = selected ? null : segmentRange(bench);
  const person = h(
    'select',
    reply.result.members.map(member => h('option', {value: member.name}, member.name)),
    h('option', {value: ''}, t('documents.nobody')),
  );
  const problem = h('p.wrong', {role: 'alert'});
  const assign = async () => {
    const segments = selected ?? range?.chosen() ?? [];
    if (!segments.length) {
      setText(problem, t('range.none'));
      range?.first.focus();
      return;
    }
    const {value: name} = person;
    const done = await bench.connection.send('assign_segments', {segments, person: name});
    if (!done.ok) {
      bench.notes.take(done.error.message); // it is said here
      setText(problem, done.error.message);
      return;
    }
    onDone?.();
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
      ...(range?.elements ?? [h('p', tn('select.number', selected?.length ?? 0))]),
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
  dialog.open(bench.root, range?.first ?? person);
};

/* The dialog of a project's members: who they are, adding and removing one. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t} from '../core/dom.js';

/**
 * A name with its role.
 * @param {PersonName} person
 */
const titled = person => (person.role ? `${person.name} \u00b7 ${t(`role.${person.role}`)}` : person.name);

/**
 * Shows the members of a project; calls `onClose` when the dialog is closed.
 * @param {Bench} bench
 * @param {{id: number, title: string}} project
 * @param {() => void} onClose
 */
export const openMembers = async (bench, {id, title}, onClose) => {
  const reply = await bench.connection.send('members', {project: id});
  if (!reply.ok) return;
  const list = h('ul.members');
  const choice = h('select', {'aria-label': t('members.add.label')});
  const add = h('button.btn', {type: 'submit'}, t('members.add'));
  const news = h('p.muted', {role: 'status'});
  const adding = h('div.adding', choice, add);

  /** @param {ProjectMembers} found */
  const paint = ({members, others}) => {
    list.replaceChildren(
      ...members.map(person =>
        h(
          'li',
          h('span', titled(person)),
          person.name === bench.person
            ? null
            : button(
                '.btn.small',
                {
                  'aria-label': t('members.remove', {name: person.name}),
                  onclick: () => change('remove_member', person.name),
                },
                t('members.remove.short'),
              ),
        ),
      ),
    );
    if (!members.length) list.append(h('li.muted', t('members.none')));
    choice.replaceChildren(...others.map(person => h('option', {value: person.name}, titled(person))));
    adding.hidden = !others.length;
  };
  /**
   * @param {'add_member' | 'remove_member'} name
   * @param {string} person
   */
  const change = async (name, person) => {
    const changed = await bench.connection.send(name, {project: id, person});
    if (!changed.ok) {
      bench.notes.take(changed.error.message); // it is said here
      setText(news, changed.error.message);
      return;
    }
    paint(changed.result);
    setText(news, t(name === 'add_member' ? 'members.added' : 'members.removed', {name: person}));
    (adding.hidden ? done : choice).focus();
  };
  const done = button('.btn.primary', {onclick: () => dialog.close()}, t('close'));
  const dialog = new Dialog({
    name: 'members',
    title: t('members.title', {name: title}),
    classes: '.small.projectform',
    body: [h('p.muted', t('members.lead')), list, adding, news],
    buttons: [done],
    onSubmit: () => {
      if (choice.value) change('add_member', choice.value);
    },
    onClose,
  });
  paint(reply.result);
  dialog.open(bench.root, adding.hidden ? done : choice);
};

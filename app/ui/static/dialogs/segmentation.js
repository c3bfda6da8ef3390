/* The segmentation rules (SRX) in the dialog of a project: choose a file, download it, remove it. */
import {toBase64} from '../core/chosen_files.js';
import {button, h, setText, t, tn} from '../core/dom.js';

const MAX_BYTES = 2 * 2 ** 20;

/**
 * The rules of a project in a few words; empty without rules of its own.
 * @param {ProjectRow} project
 */
export const rulesTitle = ({segmentation}) =>
  segmentation ? `${segmentation.name} \u00b7 ${tn('segmentation.rules', segmentation.num_rules)}` : '';

/**
 * The field for the rules of a project. A file is used at once; `onChange` gets the new list of projects.
 * @param {Bench} bench
 * @param {ProjectRow} project
 * @param {(projects: ProjectRow[]) => void} onChange
 */
export const segmentationField = (bench, project, onChange) => {
  const {token} = bench.session;
  const title = h('span.grow');
  const news = h('p', {role: 'status'});
  const input = h('input', {type: 'file', accept: '.srx', hidden: true, onchange: () => choose()});
  const open = button('.btn.small', {onclick: () => input.click()}, t('segmentation.choose'));
  const download = h(
    'a.btn.small',
    {href: `download/${encodeURIComponent(token)}/segmentation/${project.id}`, download: ''},
    t('segmentation.download'),
  );
  const remove = button('.btn.small', {onclick: () => drop()}, t('segmentation.remove'));
  /** @param {ProjectRow} row */
  const paint = row => {
    setText(title, rulesTitle(row) || t('segmentation.own'));
    download.hidden = remove.hidden = !row.segmentation;
  };
  /**
   * @param {ReplyTo<'choose_segmentation'>} reply
   * @param {string} text
   */
  const take = (reply, text) => {
    news.classList.toggle('wrong', !reply.ok);
    if (!reply.ok) {
      bench.notes.take(reply.error.message); // it is said here
      setText(news, reply.error.message);
      return;
    }
    const row = reply.result.projects.find(one => one.id === project.id);
    if (row) paint(row);
    setText(news, text);
    onChange(reply.result.projects);
  };
  const choose = async () => {
    const file = input.files?.[0];
    input.value = '';
    if (!file) return;
    const data = file.size > MAX_BYTES ? null : await toBase64(file);
    if (data === null) {
      news.classList.add('wrong');
      setText(news, t('segmentation.unreadable', {name: file.name}));
      return;
    }
    setText(news, t('segmentation.reading', {name: file.name}));
    const args = {project: project.id, file: file.name, data};
    take(await bench.connection.send('choose_segmentation', args), t('segmentation.chosen', {name: file.name}));
  };
  const drop = async () => {
    take(await bench.connection.send('remove_segmentation', {project: project.id}), t('segmentation.removed'));
    open.focus();
  };
  paint(project);
  return h(
    'fieldset.segmentation',
    h('legend', t('segmentation.title')),
    h('div.adding', title, open, download, remove, input),
    news,
    h('p.muted', t('segmentation.note')),
  );
};

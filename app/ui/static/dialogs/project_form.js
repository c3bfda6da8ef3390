/* The dialogs that create or change a project, and that delete one. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, tn} from '../core/dom.js';
import {domainName, formalityName} from '../core/style_names.js';
import {languageNames} from './direction.js';
import {segmentationField} from './segmentation.js';

const FORMALITIES = ['formal', 'informal', ''];
const MAX_LISTED_PAIRS = 60;

/**
 * The name of a project, which may have none of its own.
 * @param {{name: string}} project
 */
export const projectName = project => project.name || t('project.own');

/**
 * "English → German" of "en-de".
 * @param {string} direction
 */
export const pairName = direction => {
  const nameOf = languageNames();
  const at = direction.indexOf('-');
  return `${nameOf(direction.slice(0, at))} \u2192 ${nameOf(direction.slice(at + 1))}`;
};

/**
 * The language pairs to choose from: those of the projects, and those of the model if they are not too many.
 * @param {Bench} bench
 * @param {ProjectRow[]} projects
 */
const pairsOf = async (bench, projects) => {
  const {source, target} = bench.languages;
  const known = [`${source}-${target}`, ...projects.map(project => project.direction)];
  const reply = await bench.connection.send('directions', {model: null});
  const offered = reply.ok
    ? Object.entries(reply.result.directions).flatMap(([from, targets]) => targets.map(to => `${from}-${to}`))
    : [];
  return [...new Set([...known, ...(offered.length > MAX_LISTED_PAIRS ? [] : offered)])];
};

/**
 * Asks for the fields of a project and sends them; calls `onDone` with the new list of projects.
 * @param {Bench} bench
 * @param {ProjectRow[]} projects
 * @param {ProjectRow | null} project null to create one
 * @param {(projects: ProjectRow[]) => void} onDone
 * @param {(projects: ProjectRow[]) => void} [onRules] gets it, too, when segmentation rules were chosen or removed
 */
export const editProject = async (bench, projects, project, onDone, onRules = () => {}) => {
  const pairs = project ? [project.direction] : await pairsOf(bench, projects);
  const text = (/** @type {string} */ value) =>
    h('input', {
      type: 'text',
      value,
      maxlength: 100,
      autocomplete: 'off',
      'aria-describedby': 'pinpoint-project-wrong',
    });
  const name = text(project ? projectName(project) : '');
  const client = text(project?.client ?? '');
  const pair = h(
    'select',
    {disabled: project !== null},
    pairs.map(direction => h('option', {value: direction}, pairName(direction))),
  );
  const formality = h(
    'select',
    FORMALITIES.map(value => h('option', {value}, formalityName(value))),
  );
  const domains = [...new Set(['', ...bench.model.style.domains, project?.domain ?? ''])];
  const domain = h(
    'select',
    domains.map(value => h('option', {value}, value ? domainName(value) : t('style.any'))),
  );
  const shares = h('input', {type: 'checkbox', checked: project?.shares_memory ?? true});
  const learns = h('input', {type: 'checkbox', checked: project?.learns ?? true});
  const review = h('input', {type: 'checkbox', checked: project?.has_review ?? false});
  const wrong = h('p.wrong', {id: 'pinpoint-project-wrong', role: 'alert'});
  const send = async () => {
    const reply = await bench.connection.send(project ? 'edit_project' : 'create_project', {
      title: name.value,
      client_name: client.value,
      formality: formality.value || null,
      domain: domain.value || null,
      shares_memory: shares.checked,
      learns: learns.checked,
      has_review: review.checked,
      ...(project ? {project: project.id} : {direction: pair.value}),
    });
    if (!reply.ok) {
      bench.notes.take(reply.error.message); // it is said here
      setText(wrong, reply.error.message);
      name.focus();
      return;
    }
    close();
    onDone(reply.result.projects);
  };
  const close = () => dialog.close();
  const dialog = new Dialog({
    name: 'project',
    title: t(project ? 'project.edit.title' : 'project.create.title'),
    classes: '.small.projectform',
    body: [
      h('label.line', h('span', t('project.name')), name),
      h('label.line', h('span', t('project.client')), client),
      h('label.line', h('span', t('project.pair')), pair),
      h(
        'div.pair',
        h('label.line', h('span', t('style.formality')), formality),
        h('label.line', h('span', t('style.domain')), domain),
      ),
      h('p.muted', t('project.style.note')),
      h('label.check', shares, h('span', t('project.shares'))),
      h('label.check', learns, h('span', t('project.learns'))),
      h('p.muted', t('project.learns.note')),
      h('label.check', review, h('span', t('project.review'))),
      h('p.muted', t('project.review.note')),
      project ? segmentationField(bench, project, onRules) : null,
      wrong,
    ],
    buttons: [
      button('.btn', {onclick: close}, t('project.cancel')),
      h('button.btn.primary', {type: 'submit'}, t(project ? 'project.save' : 'project.create')),
    ],
    onSubmit: send,
  });
  formality.value = project?.formality ?? 'formal';
  domain.value = project?.domain ?? '';
  dialog.open(bench.root, name);
};

/**
 * Asks before a project is deleted, and where its documents go; calls `onDone` with the projects that are left.
 * @param {Bench} bench
 * @param {ProjectRow[]} projects
 * @param {ProjectRow} project
 * @param {(projects: ProjectRow[]) => void} onDone
 */
export const askProjectDeletion = (bench, projects, project, onDone) => {
  const others = projects.filter(
    other => other.id !== project.id && other.direction === project.direction && other.is_managed,
  );
  const isEmpty = !project.num_documents && !project.num_term_bases;
  const into = h(
    'select',
    others.map(other => h('option', {value: other.id}, projectName(other))),
  );
  const go = async () => {
    const reply = await bench.connection.send('delete_project', {
      project: project.id,
      into: isEmpty ? null : Number(into.value),
    });
    close();
    if (reply.ok) onDone(reply.result.projects);
  };
  const close = () => dialog.close();
  const canGo = isEmpty || others.length > 0;
  const contents = [tn('project.documents', project.num_documents), tn('project.bases', project.num_term_bases)];
  const dialog = new Dialog({
    name: 'project-delete',
    title: t('project.delete.question', {name: projectName(project)}),
    classes: '.small.projectform',
    isAlert: true,
    body: isEmpty
      ? h('p', t('project.delete.empty'))
      : others.length
        ? [
            h('p', t('project.delete.full', {contents: contents.join(', ')})),
            h('label.line', h('span', t('project.delete.into')), into),
          ]
        : h('p', t('project.delete.only', {contents: contents.join(', ')})),
    buttons: [
      button('.btn.primary', {onclick: close}, t(canGo ? 'delete.no' : 'close')),
      canGo ? button('.btn.danger', {onclick: go}, t('project.delete.yes')) : null,
    ],
  });
  dialog.open(bench.root, dialog.element.querySelector('.df .btn'));
};

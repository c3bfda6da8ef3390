/* The list of projects: choose one for new documents, show its documents or glossaries, change or delete it. */
import {button, h, keepingFocus, showChildren, t, tn} from '../core/dom.js';
import {domainName, formalityName} from '../core/style_names.js';
import {openMembers} from './members.js';
import {askProjectDeletion, editProject, pairName, projectName} from './project_form.js';
import {rulesTitle} from './segmentation.js';
import {dueMark, openTotals} from './totals.js';

/** @type {DocumentRow['urgency'][]} */
const URGENCIES = ['overdue', 'soon'];

/**
 * The name of a project with its client.
 * @param {ProjectRow} project
 */
export const projectTitle = project =>
  project.client ? `${projectName(project)} (${project.client})` : projectName(project);

export class ProjectList {
  /**
   * @param {Bench} bench
   * @param {{onChange: (projects: ProjectRow[], notice: string) => void, onDeleted: (notice: string) => void,
   *   onDocuments: (project: number) => void, onGlossaries: (project: number, hint: HTMLElement) => void,
   *   onMembers: () => void, onAnalyse: () => void, onShow: (session: number) => void}} calls `hint` is where `onGlossaries` says that there are none; `onMembers`: the dialog of
   *   members was closed
   * @param {boolean} hasMembers people see only the projects that they are members of
   */
  constructor(bench, calls, hasMembers) {
    this.bench = bench;
    this.hasMembers = hasMembers;
    this.calls = calls;
    /** @type {ProjectRow[]} */
    this.projects = [];
    /** @type {Map<string, HTMLElement>} */
    this.shown = new Map(); // rows by their contents
    this.element = h('ul.plist');
  }

  /**
   * Shows the projects. The list may change while somebody uses it: a row without a change stays as it is.
   * @param {ProjectRow[]} projects
   * @param {DocumentRow[]} documents
   */
  paint(projects, documents) {
    this.projects = projects;
    const rows = new Map(
      projects.map(project => {
        const urgencies = documents.filter(row => row.project === project.id).map(row => row.urgency);
        const urgency = URGENCIES.find(one => urgencies.includes(one)) ?? '';
        const contents = JSON.stringify([project, urgency]);
        return [contents, this.shown.get(contents) ?? this.row(project, urgency)];
      }),
    );
    this.shown = rows;
    keepingFocus(this.element, () => showChildren(this.element, [...rows.values()]));
  }

  /**
   * @param {ProjectRow} project
   * @param {DocumentRow['urgency']} urgency that of its most urgent document
   */
  row(project, urgency) {
    const title = projectTitle(project);
    const style = [formalityName(project.formality), project.domain ? domainName(project.domain) : ''];
    const choose = async () => {
      const reply = await this.bench.connection.send('choose_project', {project: project.id});
      if (!reply.ok) return;
      this.calls.onChange(reply.result.projects, t('project.chosen', {name: title}));
      this.focus(project);
    };
    /** @param {string} name */
    const act = name => `${name} ${project.id}`;
    const contents = [
      tn('project.documents', project.num_documents),
      tn('project.bases', project.num_term_bases),
      tn('glossary.terms', project.num_terms),
      ...(this.hasMembers ? [tn('project.members', project.num_members)] : []),
    ];
    const hint = h('div', {role: 'status'});
    const totals = () =>
      openTotals(
        this.bench,
        {id: project.id, title},
        {
          hasMembers: this.hasMembers,
          onShow: this.calls.onShow,
          onAnalyse: this.calls.onAnalyse,
          onClose: () => this.calls.onMembers(),
        },
      );
    const due = dueMark(project.deadline_ms, urgency);
    return h(
      'li',
      {'data-project': project.id},
      h(
        'div',
        h('b', title),
        ' ',
        project.is_current ? h('span.tag.ok', t('project.current')) : null,
        h('div.muted', [pairName(project.direction), ...style.filter(Boolean)].join(' \u00b7 ')),
        h('div.muted.num', contents.join(' \u00b7 ')),
        project.segmentation ? h('div.muted', rulesTitle(project)) : null,
        due || urgency
          ? h('div.muted', `${t('totals.due')}: `, due ?? h('span.tag.warn', t(`totals.${urgency}`)))
          : null,
        hint,
      ),
      h(
        'div.acts',
        project.is_current
          ? null
          : button('.btn.small', {'data-act': act('choose'), onclick: choose}, t('project.choose')),
        button(
          '.btn.small',
          {'data-act': act('documents'), onclick: () => this.calls.onDocuments(project.id)},
          t('documents.tab.documents'),
        ),
        button(
          '.btn.small',
          {
            'data-act': act('glossaries'),
            'aria-label': t('project.glossaries', {name: title}),
            onclick: () => this.calls.onGlossaries(project.id, hint),
          },
          t('pages.glossaries'),
        ),
        button(
          '.btn.small',
          {'data-act': act('totals'), 'aria-label': t('totals.title', {name: title}), onclick: totals},
          t('totals.open'),
        ),
        project.is_managed ? this.management(project, title, act) : null,
      ),
    );
  }

  /**
   * The buttons for those who manage a project.
   * @param {ProjectRow} project
   * @param {string} title
   * @param {(name: string) => string} act
   */
  management(project, title, act) {
    const members = () => openMembers(this.bench, {id: project.id, title}, () => this.calls.onMembers());
    return [
      this.hasMembers
        ? button(
            '.btn.small',
            {'data-act': act('members'), 'aria-label': t('members.title', {name: title}), onclick: members},
            t('members.open'),
          )
        : null,
      button(
        '.btn.small',
        {'data-act': act('edit'), 'aria-label': t('project.edit', {name: title}), onclick: () => this.edit(project)},
        t('project.edit.short'),
      ),
      button(
        '.btn.small',
        {
          'data-act': act('delete'),
          'aria-label': t('project.delete', {name: title}),
          onclick: () =>
            askProjectDeletion(this.bench, this.projects, project, () =>
              this.calls.onDeleted(t('project.deleted', {name: title})),
            ),
        },
        t('documents.delete.short'),
      ),
    ];
  }

  /** @param {ProjectRow} project */
  edit(project) {
    const onDone = (/** @type {ProjectRow[]} */ projects) => {
      this.calls.onChange(projects, t('project.saved'));
      this.focus(project, `[data-act="edit ${project.id}"]`);
    };
    editProject(this.bench, this.projects, project, onDone, projects => this.calls.onChange(projects, ''));
  }

  /**
   * Focuses a button of a project, by default its first one.
   * @param {ProjectRow} project
   * @param {string} [selector]
   */
  focus(project, selector = 'button') {
    this.element.querySelector(`[data-project="${project.id}"] ${selector}`)?.focus();
  }
}

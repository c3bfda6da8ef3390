/* The dialog of all documents and projects: open, move, assign and delete documents; create, choose, change and delete
   projects. It follows the work of others. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, setText, t, tn} from '../core/dom.js';
import {openActivity} from './activity.js';
import {openAnalysis} from './analysis.js';
import {DocumentTable} from './document_table.js';
import {openPacking} from './packing.js';
import {editProject} from './project_form.js';
import {ProjectList} from './project_list.js';

const TABS = ['documents', 'projects'];

/**
 * @param {Bench} bench
 * @param {'documents' | 'projects'} [tab]
 */
export const openDocuments = async (bench, tab = 'documents') => {
  bench.segment.flush();
  const reply = await bench.connection.send('documents');
  if (reply.ok) new DocumentsDialog(bench, reply.result).open(tab);
};

class DocumentsDialog {
  /**
   * @param {Bench} bench
   * @param {DocumentList} list
   */
  constructor(bench, list) {
    this.bench = bench;
    this.stamp = list.stamp; // of what is shown
    this.newsStamp = bench.session.newsStamp;
    this.isRefreshing = false;
    this.projects = list.projects;
    this.announcement = h('p.sr', {role: 'status'});
    this.panels = Object.fromEntries(
      TABS.map(name => [
        name,
        h('div.gpanel', {
          role: 'tabpanel',
          id: `pinpoint-documents-${name}`,
          'aria-labelledby': `pinpoint-documents-tab-${name}`,
        }),
      ]),
    );
    this.tabs = TABS.map((name, i) =>
      button(
        '',
        {
          role: 'tab',
          id: `pinpoint-documents-tab-${name}`,
          'aria-controls': this.panels[name].id,
          onclick: () => this.select(name),
          onkeydown: event => {
            if (!['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
            event.preventDefault();
            this.select(TABS[1 - i]);
            this.tabs[1 - i].focus();
          },
        },
        t(`documents.tab.${name}`),
      ),
    );
    const rowCalls = {
      onShow: (/** @type {number} */ session) => this.show(session),
      onMove: (/** @type {DocumentRow} */ row, /** @type {number} */ project) => this.move(row, project),
      onAssign: (/** @type {DocumentRow} */ row, /** @type {string} */ person) => this.assign(row, person),
      onDelete: (/** @type {DocumentRow} */ row) => this.askDeletion(row),
    };
    this.table = new DocumentTable(bench, rowCalls, list.documents, list.has_members);
    this.panels.documents.append(...this.table.elements);
    const calls = {
      onChange: (/** @type {ProjectRow[]} */ projects, /** @type {string} */ notice) =>
        this.adoptProjects(projects, notice),
      onDeleted: (/** @type {string} */ notice) => this.reload(notice),
      onDocuments: (/** @type {number} */ project) => this.showDocuments(project),
      onGlossaries: (/** @type {number} */ project, /** @type {HTMLElement} */ hint) =>
        this.showGlossaries(project, hint),
      onMembers: () => this.reload(''),
      onAnalyse: () => this.analyse(),
      onShow: (/** @type {number} */ session) => this.show(session),
    };
    this.list = new ProjectList(bench, calls, list.has_members);
    this.panels.projects.append(h('p.muted', t('projects.lead')), this.list.element);
    this.dialog = new Dialog({
      name: 'documents',
      title: t('documents.title'),
      classes: '.wide.gloss.projects',
      body: [
        h('div.tabs', {role: 'tablist', 'aria-label': t('documents.title')}, this.tabs),
        Object.values(this.panels),
        this.announcement,
      ],
      buttons: [
        button('.btn', {onclick: () => this.upload()}, icon('up'), t('open.file')),
        list.can_create ? button('.btn', {onclick: () => this.create()}, icon('plus'), t('project.new')) : null,
        button('.btn', {onclick: () => this.pack()}, icon('down'), t('packing.menu')),
        list.has_members && list.projects.some(project => project.is_managed)
          ? button('.btn', {onclick: () => this.showActivity()}, icon('list'), t('activity.open'))
          : null,
        h('span.grow'),
        button('.btn.primary', {onclick: () => this.dialog.close()}, t('close')),
      ],
      onClose: () => {
        bench.onNews = null;
        bench.session.listStamp = null;
        bench.focusEditor();
      },
    });
  }

  /** @param {string} tab */
  open(tab) {
    this.dialog.open(this.bench.root);
    this.bench.onNews = news => this.follow(news);
    this.bench.session.listStamp = this.stamp;
    this.bench.connection.askAgain();
    this.paint();
    this.select(tab);
    if (tab === 'documents') this.table.search.focus();
    else this.tabs[TABS.indexOf(tab)].focus();
  }

  /** @param {string} chosen */
  select(chosen) {
    TABS.forEach((name, i) => {
      this.tabs[i].setAttribute('aria-selected', String(name === chosen));
      this.tabs[i].tabIndex = name === chosen ? 0 : -1;
      this.panels[name].hidden = name !== chosen;
    });
  }

  paint() {
    this.table.paint(this.projects);
    this.list.paint(this.projects, this.table.documents);
  }

  /**
   * Shows what has changed meanwhile.
   * @param {NewsView} news
   */
  async follow({stamp, list_stamp}) {
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    if (list_stamp !== this.stamp) await this.refresh();
    else if (stamp !== this.newsStamp) this.table.paintRows(); // the marks of new documents
    this.newsStamp = stamp;
    this.isRefreshing = false;
  }

  async refresh() {
    const reply = await this.bench.connection.send('changed_documents', {stamp: this.stamp});
    if (!reply.ok || !this.dialog.isOpen) return;
    const changed = reply.result.documents;
    const projects = new Map(this.table.documents.map(row => [row.session, row.project]));
    // With a new document or a moved one, the numbers of the projects change, too.
    if (changed?.every(row => projects.get(row.session) === row.project)) {
      this.table.adopt([...changed, ...this.table.documents]);
      this.setStamp(reply.result.stamp);
      this.paint();
      return;
    }
    const whole = await this.bench.connection.send('documents');
    if (whole.ok && this.dialog.isOpen) this.adopt(whole.result, '');
  }

  /** @param {number} stamp */
  setStamp(stamp) {
    this.stamp = stamp;
    if (this.dialog.isOpen) this.bench.session.listStamp = stamp;
  }

  /**
   * @param {DocumentRow} row
   * @param {string} person
   */
  async assign(row, person) {
    const reply = await this.bench.connection.send('assign_document', {session: row.session, person});
    const told = person
      ? t('documents.assigned', {name: row.name, person})
      : t('documents.unassigned', {name: row.name});
    if (reply.ok) this.adopt(reply.result, told);
    else this.table.paintRows();
    this.table.focus(row.session, 'td:nth-last-child(2) select');
  }

  /** @param {number} session */
  async show(session) {
    this.dialog.close();
    if (session !== this.bench.document.session) await this.bench.switchTo('resume_session', {session});
  }

  pack() {
    this.dialog.close();
    openPacking(this.bench);
  }

  analyse() {
    this.dialog.close();
    openAnalysis(this.bench);
  }

  showActivity() {
    this.dialog.close();
    openActivity(this.bench);
  }

  upload() {
    this.dialog.close();
    this.bench.files.choose('document');
  }

  /**
   * @param {DocumentRow} row
   * @param {number} project
   */
  async move(row, project) {
    const reply = await this.bench.connection.send('move_document', {session: row.session, project});
    if (reply.ok) this.adopt(reply.result, t('documents.moved', {name: row.name}));
    else this.table.paintRows();
    this.table.focus(row.session, 'select');
  }

  /**
   * @param {DocumentList} list
   * @param {string} notice
   */
  adopt(list, notice) {
    this.table.adopt(list.documents);
    this.setStamp(list.stamp);
    this.adoptProjects(list.projects, notice);
  }

  /**
   * @param {ProjectRow[]} projects
   * @param {string} notice
   */
  adoptProjects(projects, notice) {
    this.projects = projects;
    this.paint();
    setText(this.announcement, notice);
  }

  /** @param {DocumentRow} row */
  askDeletion(row) {
    const isOpen = row.session === this.bench.document.session;
    const close = () => question.close();
    const go = async () => {
      close();
      const notice = t('delete.done', {name: row.name});
      if (isOpen) {
        this.dialog.close();
        await this.bench.forget(this.bench.session.token);
        this.bench.say('info', notice);
        return;
      }
      const reply = await this.bench.connection.send('delete_document', {session: row.session});
      if (reply.ok) this.adopt(reply.result, notice);
      this.table.search.focus();
    };
    const question = new Dialog({
      name: 'document-delete',
      title: t('documents.delete.question', {name: row.name}),
      classes: '.small',
      isAlert: true,
      body: h('p', tn('documents.delete.what', row.num_segments, {confirmed: count(row.num_confirmed)})),
      buttons: [
        button('.btn.primary', {onclick: close}, t('delete.no')),
        button('.btn.danger', {onclick: go}, t('delete.yes')),
      ],
    });
    question.open(this.bench.root, question.element.querySelector('.btn'));
  }

  /** @param {number} project */
  showDocuments(project) {
    this.select('documents');
    this.table.showProject(project);
  }

  /**
   * Shows the glossaries of a project with its newest document; without a document, says what to do.
   * @param {number} project
   * @param {HTMLElement} hint
   */
  async showGlossaries(project, hint) {
    const [newest] = this.table.documents.filter(row => row.project === project).sort((a, b) => b.last_ms - a.last_ms);
    if (!newest) {
      setText(hint, t('project.glossaries.none'));
      return;
    }
    await this.show(newest.session);
    this.bench.pages.go('glossaries');
  }

  create() {
    editProject(this.bench, this.projects, null, projects => {
      this.adoptProjects(projects, t('project.created'));
      this.select('projects');
      this.tabs[1].focus();
    });
  }

  /** @param {string} notice */
  async reload(notice) {
    const reply = await this.bench.connection.send('documents');
    if (reply.ok) this.adopt(reply.result, notice);
    this.tabs[1].focus();
  }
}

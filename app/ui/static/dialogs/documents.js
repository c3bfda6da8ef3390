/* The dialog of all documents and projects: search, open, move and delete documents; create, choose, change and delete
   projects. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, setText, showChildren, sr, t, tn} from '../core/dom.js';
import {newsMark} from '../core/notices.js';
import {dayAndTime} from '../core/texts.js';
import {openActivity} from './activity.js';
import {openPacking} from './packing.js';
import {editProject, pairName} from './project_form.js';
import {ProjectList, projectTitle} from './project_list.js';

const TABS = ['documents', 'projects'];
const MAX_ROWS = 300;
const MINE = -1;

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
    this.documents = list.documents;
    this.stamp = list.stamp; // of what is shown
    this.newsStamp = bench.session.newsStamp;
    this.isRefreshing = false;
    /** @type {Map<number, {contents: string, element: HTMLElement}>} */
    this.shown = new Map(); // rows by document
    this.projects = list.projects;
    this.hasMembers = list.has_members;
    this.project = 0; // the number of the project whose documents are shown; 0: of all; MINE: those assigned to the person
    this.announcement = h('p.sr', {role: 'status'});
    this.search = h('input', {
      type: 'search',
      placeholder: t('documents.search'),
      'aria-label': t('documents.search'),
      oninput: () => this.paintRows(),
      onkeydown: event => {
        if (event.key !== 'Enter' || event.isComposing) return;
        event.preventDefault();
        const [first] = this.found();
        if (first) this.show(first.session);
      },
    });
    this.choice = h('select', {
      'aria-label': t('documents.project'),
      onchange: () => {
        this.project = Number(this.choice.value);
        this.paintRows();
      },
    });
    this.number = h('span.muted.num', {role: 'status'});
    this.rows = h('tbody', {});
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
    const heads = ['document', 'project', 'pair', 'state', 'when', ...(this.hasMembers ? ['assignee'] : [])];
    this.panels.documents.append(
      h('div.gtools', {}, h('label.search', {}, icon('search'), this.search), this.choice, this.number),
      h(
        'table.documents',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            heads.map(name => h('th', {scope: 'col'}, t(`documents.${name}`))),
            h('th', {scope: 'col'}, sr(t('documents.actions'))),
          ),
        ),
        this.rows,
      ),
    );
    const calls = {
      onChange: (/** @type {ProjectRow[]} */ projects, /** @type {string} */ notice) =>
        this.adoptProjects(projects, notice),
      onDeleted: (/** @type {string} */ notice) => this.reload(notice),
      onDocuments: (/** @type {number} */ project) => this.showDocuments(project),
      onGlossaries: (/** @type {number} */ project, /** @type {HTMLElement} */ hint) =>
        this.showGlossaries(project, hint),
      onMembers: () => this.reload(''),
    };
    this.list = new ProjectList(bench, calls, list.has_members);
    this.panels.projects.append(h('p.muted', {}, t('projects.lead')), this.list.element);
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
        h('span.grow', {}),
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
    if (tab === 'documents') this.search.focus();
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
    this.choice.replaceChildren(
      h('option', {value: 0}, t('documents.all_projects')),
      ...(this.hasMembers && this.bench.person ? [h('option', {value: MINE}, t('documents.mine'))] : []),
      ...this.projects.map(project =>
        h('option', {value: project.id}, `${projectTitle(project)} \u00b7 ${project.direction}`),
      ),
    );
    if (this.project !== MINE && !this.projects.some(project => project.id === this.project)) this.project = 0;
    this.choice.value = String(this.project);
    this.paintRows();
    this.list.paint(this.projects);
  }

  /** The documents that match search and project. */
  found() {
    const words = this.search.value.trim().toLowerCase();
    /** @param {DocumentRow} row */
    const isShown = row =>
      this.project === MINE
        ? [row.assignee, ...row.part_assignees].includes(this.bench.person)
        : !this.project || row.project === this.project;
    return this.documents.filter(row => isShown(row) && row.name.toLowerCase().includes(words));
  }

  paintRows() {
    const found = this.found();
    setText(this.number, tn('project.documents', found.length));
    const rows = found.slice(0, MAX_ROWS).map(row => this.shownRow(row));
    if (found.length > MAX_ROWS)
      rows.push(h('tr', {}, h('td.muted', {colspan: 7}, t('documents.more', {n: count(MAX_ROWS)}))));
    if (!found.length) rows.push(h('tr', {}, h('td.muted', {colspan: 7}, t('documents.none'))));
    showChildren(this.rows, rows);
  }

  /**
   * The element of a row: the one that is shown, with new cells where something has changed. A control that has the
   * focus or the pointer stays as it is.
   * @param {DocumentRow} row
   */
  shownRow(row) {
    const project = this.projects.find(one => one.id === row.project);
    const mark = newsMark(this.bench.news.notices, row.session);
    const contents = JSON.stringify([row, mark, project, this.projects.length, this.bench.document.session]);
    const known = this.shown.get(row.session);
    if (known?.contents === contents) return known.element;
    const element = this.row(row);
    if (known) {
      const cells = [...element.children];
      [...known.element.children].forEach((cell, i) => {
        if (!cell.querySelector('select:focus, :is(select, button):hover')) cell.replaceWith(cells[i]);
      });
    }
    this.shown.set(row.session, {contents, element: known?.element ?? element});
    return known?.element ?? element;
  }

  /**
   * Shows what has changed meanwhile.
   * @param {NewsView} news
   */
  async follow({stamp, list_stamp}) {
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    if (list_stamp !== this.stamp) await this.refresh();
    else if (stamp !== this.newsStamp) this.paintRows(); // the marks of new documents
    this.newsStamp = stamp;
    this.isRefreshing = false;
  }

  async refresh() {
    const reply = await this.bench.connection.send('changed_documents', {stamp: this.stamp});
    if (!reply.ok || !this.dialog.isOpen) return;
    const changed = reply.result.documents;
    const projects = new Map(this.documents.map(row => [row.session, row.project]));
    // With a new document or a moved one, the numbers of the projects change, too.
    if (changed?.every(row => projects.get(row.session) === row.project)) {
      this.documents = this.inOrder([...changed, ...this.documents]);
      this.setStamp(reply.result.stamp);
      this.paintRows();
      return;
    }
    const whole = await this.bench.connection.send('documents');
    if (whole.ok && this.dialog.isOpen) this.adopt(whole.result, '');
  }

  /**
   * The first of each document, in the order in which they are shown: nothing moves. New ones come first, or last while
   * the pointer or the focus is in the table.
   * @param {DocumentRow[]} documents
   */
  inOrder(documents) {
    const rows = new Map([...documents].reverse().map(row => [row.session, row]));
    const shown = this.documents.filter(row => rows.has(row.session));
    const known = new Set(shown.map(row => row.session));
    const added = documents.filter(row => !known.has(row.session));
    const isInUse = this.rows.matches(':hover, :focus-within');
    const order = isInUse ? [...shown, ...added] : [...added, ...shown];
    return order.map(row => /** @type {DocumentRow} */ (rows.get(row.session)));
  }

  /** @param {number} stamp */
  setStamp(stamp) {
    this.stamp = stamp;
    if (this.dialog.isOpen) this.bench.session.listStamp = stamp;
  }

  /** @param {DocumentRow} row */
  row(row) {
    const isOpen = row.session === this.bench.document.session;
    const mark = newsMark(this.bench.news.notices, row.session);
    const isManaged = this.projects.some(one => one.id === row.project && one.is_managed);
    const fitting = this.projects.filter(
      one => one.id === row.project || (isManaged && one.is_managed && one.direction === row.direction),
    );
    const project = h(
      'select',
      {
        'aria-label': t('documents.move', {name: row.name}),
        disabled: !isManaged,
        onchange: event => this.move(row, Number(event.target.value)),
      },
      fitting.map(one => h('option', {value: one.id, selected: one.id === row.project}, projectTitle(one))),
    );
    return h(
      'tr',
      {'data-session': row.session},
      h(
        'td',
        {},
        button('.link', {onclick: () => this.show(row.session), 'aria-current': isOpen ? 'true' : null}, row.name),
        isOpen ? [' ', h('span.tag.ok', {}, t('documents.open_now'))] : null,
        mark && !isOpen ? [' ', h('span.tag.pinned', {}, mark)] : null,
      ),
      h('td', {}, project),
      h('td', {}, pairName(row.direction)),
      h(
        'td.num',
        {},
        `${count(row.num_confirmed)} / ${count(row.num_segments)}`,
        row.num_approved ? h('div.muted', {}, t('documents.approved', {n: count(row.num_approved)})) : null,
        row.num_returned ? h('div.muted', {}, t('documents.returned', {n: count(row.num_returned)})) : null,
      ),
      h('td.num', {}, dayAndTime(row.last_ms)),
      this.hasMembers
        ? h(
            'td',
            {},
            this.assignee(row),
            row.part_assignees.length
              ? h('div.muted', {}, t('documents.parts', {names: row.part_assignees.join(', ')}))
              : null,
          )
        : null,
      h(
        'td',
        {},
        isManaged
          ? button(
              '.btn.small',
              {'aria-label': t('documents.delete', {name: row.name}), onclick: () => this.askDeletion(row)},
              t('documents.delete.short'),
            )
          : null,
      ),
    );
  }

  /**
   * To whom a document is assigned; a choice for those who manage its project.
   * @param {DocumentRow} row
   */
  assignee(row) {
    const project = this.projects.find(one => one.id === row.project);
    if (!project?.is_managed) return row.assignee;
    const names = [...new Set(['', ...project.members, row.assignee])];
    return h(
      'select',
      {
        'aria-label': t('documents.assign', {name: row.name}),
        onchange: event => this.assign(row, event.target.value),
      },
      names.map(name => h('option', {value: name, selected: name === row.assignee}, name || t('documents.nobody'))),
    );
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
    else this.paintRows();
    this.rows.querySelector(`[data-session="${row.session}"] td:nth-last-child(2) select`)?.focus();
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
    else this.paintRows();
    this.rows.querySelector(`[data-session="${row.session}"] select`)?.focus();
  }

  /**
   * @param {DocumentList} list
   * @param {string} notice
   */
  adopt(list, notice) {
    this.documents = this.inOrder(list.documents);
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
      this.search.focus();
    };
    const question = new Dialog({
      name: 'document-delete',
      title: t('documents.delete.question', {name: row.name}),
      classes: '.small',
      isAlert: true,
      body: h('p', {}, tn('documents.delete.what', row.num_segments, {confirmed: count(row.num_confirmed)})),
      buttons: [
        button('.btn.primary', {onclick: close}, t('delete.no')),
        button('.btn.danger', {onclick: go}, t('delete.yes')),
      ],
    });
    question.open(this.bench.root, question.element.querySelector('.btn'));
  }

  /** @param {number} project */
  showDocuments(project) {
    this.project = project;
    this.search.value = '';
    this.paint();
    this.select('documents');
    this.search.focus();
  }

  /**
   * Shows the glossaries of a project with its newest document; without a document, says what to do.
   * @param {number} project
   * @param {HTMLElement} hint
   */
  async showGlossaries(project, hint) {
    const [newest] = this.documents.filter(row => row.project === project).sort((a, b) => b.last_ms - a.last_ms);
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

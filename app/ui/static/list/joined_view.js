/* The joined list: all documents of a project as one list. Its bar takes the place of the tabs. Opening a row of another
   document shows that document, while the list, its filter and its search stay. */
import {button, count, h, icon, setText, t, tn} from '../core/dom.js';
import {JoinedDocuments} from '../core/joined_documents.js';
import {speltFor} from '../core/key_bindings.js';
import {choice, menu} from '../core/menu.js';
import {projectName} from '../dialogs/project_form.js';
import {keepingTyped} from '../editor/typed_meanwhile.js';
import {figuresOf} from './document_sections.js';
import {isOpen, isToReview} from './row.js';

export class JoinedView {
  #isGoing = false; // to a segment of another document

  /**
   * @param {Bench} bench
   * @param {HTMLElement} host the bar
   */
  constructor(bench, host) {
    this.bench = bench;
    this.host = host;
    this.documents = new JoinedDocuments((name, args) => this.#ask(name, args), {
      onList: isOther => (isOther ? this.#showList() : this.#showFigures()),
      onRows: one => {
        bench.list.showRows(one);
        bench.list.filter.updateCounts();
      },
    });
    this.project = h('b', {dir: 'auto'});
    this.figures = h('span.n.num');
    const chooser = button('.btn.small.quiet', {}, icon('list', true), h('span.t', t('joined.choose')));
    this.back = button(
      '.btn.small.quiet',
      {
        onclick: () => {
          this.toggle();
          bench.focusEditor();
        },
      },
      icon('x', true),
      h('span.t', t('joined.back')),
    );
    this.announcement = h('span.sr', {role: 'status'});
    host.append(
      icon('list', true),
      this.project,
      this.figures,
      menu(t('joined.choose'), chooser, () => this.#choices()),
      this.back,
      this.announcement,
    );
    host.hidden = true;
  }

  get isOn() {
    return this.documents.isOn;
  }

  /**
   * Asks outside the queue of commands: nothing waits for it.
   * @param {'joined_documents' | 'joined_rows'} name
   * @param {CommandArgs} args
   */
  async #ask(name, args) {
    const {server, session} = this.bench;
    const {token, version} = session;
    try {
      const reply = await server.command({token, name, ...args, since: version, open: null, detail_since: 0});
      return reply?.ok ? reply.result : null;
    } catch {
      return null; // offline: asked again with the next change
    }
  }

  /** Shows the joined list, or the open document alone. */
  toggle() {
    const {bench} = this;
    const isInView = bench.list.topOfEditor() >= -1; // the editor's border is drawn over the edge
    this.documents.turn(!this.isOn);
    if (bench.latest) this.documents.update(bench.latest);
    bench.tabs.paint();
    this.paint();
    bench.list.rebuildInPlace();
    if (isInView) bench.list.uncover();
    bench.list.filter.updateCounts();
    setText(this.announcement, t(this.isOn ? 'joined.on' : 'joined.off'));
  }

  /** The state of the open document has changed. @param {SuccessReply} reply */
  update(reply) {
    const {own: before} = this.documents;
    this.documents.update(reply);
    const own = this.documents.all.find(one => one.session === this.documents.own);
    if (!this.isOn || !own) return;
    this.bench.list.sections.paint(own);
    this.paint();
    if (before && before !== own.session) setText(this.announcement, `${own.name}: ${figuresOf(own)}`);
  }

  #showList() {
    this.bench.list.rebuildInPlace();
    this.bench.list.filter.updateCounts();
    this.paint();
  }

  #showFigures() {
    for (const one of this.documents.list) this.bench.list.sections.paint(one);
    this.paint();
  }

  paint() {
    const {list} = this.documents;
    this.host.hidden = !this.isOn;
    if (!this.isOn) return;
    const name = projectName(this.bench.document.project);
    const confirmed = list.reduce((sum, one) => sum + one.numConfirmed, 0);
    const total = list.reduce((sum, one) => sum + one.numSegments, 0);
    setText(this.project, name);
    this.project.title = name;
    setText(this.figures, tn('joined.figures', list.length, {confirmed: count(confirmed), total: count(total)}));
    this.back.title = t('joined.back.title', {keys: speltFor('joined')});
  }

  /** A choice for each document: whether it is in the list. The open one always is. */
  #choices() {
    const {documents} = this;
    return documents.all.map(one => {
      const isOwn = one.session === documents.own;
      const isIn = isOwn || !documents.leftOut.has(one.session);
      const detail = isOwn ? t('joined.open', {figures: figuresOf(one)}) : figuresOf(one);
      const act = () => {
        documents.toggle(one.session);
        this.#showList();
        this.bench.focusEditor();
      };
      const element = choice(isIn ? 'check' : '', one.name, detail, isOwn ? null : act);
      element.querySelector('b')?.setAttribute('dir', 'auto');
      element.title = one.name;
      element.setAttribute('role', 'menuitemcheckbox');
      element.setAttribute('aria-checked', String(isIn));
      return element;
    });
  }

  /* ---- across the border of documents ---- */
  /**
   * Shows another document of the list, where the person left it.
   * @param {number} step
   */
  step(step) {
    const [next] = this.documents.around(step);
    if (next) this.bench.switchTo('resume_session', {session: next.session});
  }

  /**
   * Opens the nearest segment of another document, below (1) or above (-1) the open document.
   * @param {number} step
   */
  stepOut(step) {
    const {documents} = this;
    const beyond = documents.around(step).filter(one => documents.isBehind(one) === step > 0);
    return keepingTyped(this.bench, () =>
      this.#goToFirst(beyond, one => (step > 0 ? one.visible[0] : one.visible.at(-1))),
    );
  }

  /**
   * Opens the next segment that waits, in this document or the next one in which there is one; after the last document comes
   * the first.
   * @param {number} from
   * @param {boolean} toReview whether it waits for a reviewer
   */
  goOn(from, toReview) {
    return keepingTyped(this.bench, () => this.#goOn(from, toReview));
  }

  /**
   * @param {number} from
   * @param {boolean} toReview
   */
  async #goOn(from, toReview) {
    const {bench, documents} = this;
    const isWaiting = toReview ? isToReview : isOpen;
    const below = bench.list.nextBelow(from, isWaiting);
    if (below !== null) {
      bench.openSegment(below);
      return;
    }
    /** @param {JoinedDocument} one */
    const firstOf = one => {
      const {rows, visible} = one;
      return visible.find(index => rows && isWaiting(rows[index]) && !rows[index].is_held);
    };
    if (await this.#goToFirst(documents.around(1), firstOf)) return;
    const above = bench.list.firstThat(from, isWaiting);
    if (above !== null) bench.openSegment(above);
    else bench.say('info', t(toReview ? 'joined.reviewed' : 'joined.all'));
  }

  /**
   * Opens a segment in the first of these documents that has one. Returns false if none has, and true if the person has gone
   * elsewhere meanwhile.
   * @param {JoinedDocument[]} documents
   * @param {(document: JoinedDocument) => number | undefined} segmentOf
   */
  async #goToFirst(documents, segmentOf) {
    if (this.#isGoing) return true;
    this.#isGoing = true;
    const {bench} = this;
    const {token, open} = bench.session;
    try {
      for (const one of documents) {
        if (!(await this.documents.load(one))) continue;
        if (bench.session.token !== token || bench.session.open !== open) return true;
        const index = segmentOf(one);
        if (index === undefined) continue;
        await bench.goTo(one.session, index);
        return true;
      }
      return false;
    } finally {
      this.#isGoing = false;
    }
  }
}

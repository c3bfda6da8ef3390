/* The workbench: the state of the page and its parts. */
import {Connection, greet} from './core/connection.js';
import {button, count, h, t, tn} from './core/dom.js';
import {PressQueue} from './core/presses.js';
import {Steps} from './core/steps.js';
import {drafts, readStored, unsentConstraints, writeStored} from './core/storage.js';
import {watchTabs} from './core/tabs.js';
import {chooseLanguage, dayAndTime} from './core/texts.js';
import {offerModel} from './dialogs/models.js';
import {showReading} from './dialogs/reading.js';
import {sendConstraints} from './editor/constraint_set.js';
import {askWhichText, restoreDrafts} from './editor/restore_drafts.js';
import {Segment} from './editor/segment.js';
import {keepingTyped, Meanwhile} from './editor/typed_meanwhile.js';
import {listenToKeys} from './keys.js';
import {JoinedView} from './list/joined_view.js';
import {isOpen, isToReview} from './list/row.js';
import {SegmentList} from './list/segment_list.js';
import {welcome} from './panels/coach.js';
import {DocumentTabs} from './panels/document_tabs.js';
import {Files} from './panels/files.js';
import {Header} from './panels/header.js';
import {News} from './panels/news.js';
import {Notes, ServerNotes} from './panels/notes.js';
import {Pages} from './panels/pages.js';
import {Presence} from './panels/presence.js';
import {Side} from './panels/side.js';
import {Status} from './panels/status.js';

export const TOKEN_KEY = 'pinpoint:session';
// Commands after which the document that was shown has no tab any more: it is deleted, or another one takes its place.
const ENDING = ['delete_session', 'restart_document', 'reread_document'];

export class Bench {
  /**
   * @param {HTMLElement} root
   * @param {Server} server
   */
  constructor(root, server) {
    this.root = root;
    this.server = server;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {number[]} */
    this.order = [];
    /** @type {SessionOffer[]} */
    this.offers = [];
    /** @type {GlossarySummary | null} */
    this.glossary = null;
    /** @type {Progress | null} */
    this.progress = null;
    this.lookupsLeft = 0; // segments whose best match in the memory is not known yet
    /** @type {SuccessReply['decode'] | null} */
    this.decode = null;
    /** @type {string[]} */
    this.checksOff = [];
    this.model = /** @type {ModelStatus} */ ({state: 'loading', name: ''});
    /** @type {((model: ModelStatus, problem: string) => void) | null} */
    this.onModel = null;
    /** @type {((news: NewsView) => void) | null} */
    this.onNews = null;
    this.problem = ''; // what the server reports apart from replies to commands
    this.languages = {source: 'en', target: 'de'};
    this.document = {
      session: 0,
      name: '',
      project: {
        id: 0,
        name: '',
        min_match: 75,
        other_penalty: 0,
        import_penalty: 0,
        has_review: false,
        may_review: false,
        may_lock: false,
        may_assign: false,
      },
      can_be_reread: false,
      has_segments_choice: false,
      has_comment_choice: false,
    };
    /** @type {SessionPlace} */
    this.session = {
      token: readStored('session', TOKEN_KEY) ?? '',
      version: -1,
      open: /** @type {any} */ (null),
      detailStamp: -1,
      newsStamp: -1,
      listStamp: null,
    };
    /** @type {Map<number, number>} */
    this.numbers = new Map();
    /** @type {SuccessReply | null} */
    this.latest = null; // the newest state of the open document
    this.meanwhile = new Meanwhile();
    this.isReconnecting = false;
    this.keepsKeys = false;
    this.person = ''; // who signed in with a key of their own
    this.isSample = false;
    /** @type {Promise<void>} */
    this.welcomed = Promise.resolve(); // resolves when the first visit is explained
    /** @type {Unit} */
    this.unit = 'words';
    /** @type {Work | null} */
    this.work = null;

    const head = h('header.head');
    const noteHost = h('div.notes', {'aria-live': 'polite'});
    const tabs = h('div.doctabs');
    const joined = h('div.joinedbar', {role: 'group', 'aria-label': t('joined.label')});
    const doc = h('section.doc', {'aria-label': t('list.heading'), id: 'pinpoint-document'});
    const side = h('aside.side', {'aria-label': t('side.label')});
    const foot = h('footer.status');
    const skip = button('.skip', {onclick: () => this.focusEditor()}, t('skip'));
    this.root.replaceChildren(skip, h('div.app', head, tabs, joined, noteHost, doc, side, foot));
    this.presses = new PressQueue(root, (reply, command) => this.receive(reply, command));
    this.connection = this.connect();
    this.notes = new Notes(noteHost, () => this.focusEditor());
    this.serverNotes = new ServerNotes(this);
    this.news = new News(this);
    this.steps = new Steps(this);
    this.files = new Files(this, this.root);
    this.pages = new Pages(this, [doc, side]);
    this.header = new Header(this, head);
    this.joined = new JoinedView(this, joined);
    this.tabs = new DocumentTabs(this, tabs, doc.id);
    this.list = new SegmentList(this, doc);
    this.segment = new Segment(this);
    this.side = new Side(this, side);
    this.status = new Status(this, foot);
    this.announceTab = watchTabs(this);
    listenToKeys(this, this.root);
    this.presence = new Presence(this);
    addEventListener('pagehide', () => this.keepPlace());
  }

  /**
   * Shows the session and follows its changes.
   * @param {Reply} reply
   */
  start(reply) {
    this.isSample = Boolean(reply.ok && reply.result?.is_sample);
    this.welcomed = welcome(
      this.root,
      () => this.isSample,
      () => this.focusEditor(),
    );
    this.adopt(reply);
    this.pages.show();
    this.connection.watch();
  }

  connect() {
    return new Connection(this.server, this.session, {
      onReply: (reply, command) => this.presses.add(reply, command),
      onSend: command => {
        this.steps.onCommand(command);
        this.showSent(command);
      },
      onState: () => {
        this.status?.update();
        this.tabs?.paint();
      },
      onReturn: () => this.sendOpen(),
    });
  }

  /**
   * Shows a session: at the start, and when another document is opened.
   * @param {Reply} reply
   * @param {{replaced?: string, isQuiet?: boolean, segment?: number}} [options] `replaced`: the token of the document whose tab ends;
   *   `isQuiet`: the person knows the document; `segment`: the one to open, by default where the person was
   */
  adopt(reply, {replaced = '', isQuiet = false, segment} = {}) {
    if (!reply.ok) {
      this.say('bad', reply.error.message);
      return;
    }
    this.keepPlace();
    this.segment.review.leave();
    const place = this.tabs.documents.placeOf(reply.token, reply.result?.open ?? 0);
    const isJoined = this.rows.length > 0 && this.joined.documents.has(reply.document.session); // the list stays
    this.joined.documents.leave(this.rows, this.order);
    Object.assign(this.session, {token: reply.token, version: -1, open: null, detailStamp: -1});
    writeStored('session', TOKEN_KEY, reply.token);
    this.rows = [];
    this.order = [];
    this.segment.forget(reply.token);
    this.steps.show(reply.token);
    this.connection.askAgain();
    if (!isJoined) this.list.filter.restore(place?.list ?? null);
    this.tabs.show(reply, reply.result?.person ?? '', replaced);
    this.merge(reply);
    this.list.rebuild();
    this.side.preview.forget();
    const first = segment ?? place?.segment ?? reply.result?.open ?? 0;
    const reread = /** @type {NoteAction[]} */ (
      reply.document.can_be_reread ? [[t('reading.change'), () => showReading(this)]] : []
    );
    if (!isQuiet) reply.document.notes.forEach((note, at) => this.notes.say('info', note, at ? [] : reread)); // the first is on reading
    this.openSegment(this.numbers.has(first) ? first : this.order[0]);
    if (place && this.session.open === place.segment) {
      this.segment.placeCaret(place.start, place.end);
      if (!isJoined) this.list.scrollBack(place.list.top);
    }
    restoreDrafts(this);
    for (const args of unsentConstraints.list(reply.token)) if (this.rows[args.segment]) sendConstraints(this, args);
    this.person = reply.result?.person ?? '';
    this.isSample = Boolean(reply.result?.is_sample);
    this.header.showPerson(this.person);
    if (reply.result?.offer) this.offer(reply.result.offer);
    const model = reply.result?.model_offer;
    if (model) this.welcomed.then(() => this.session.token === reply.token && offerModel(this, model));
    this.announceTab();
    if (reply.result?.is_continued && !isQuiet)
      this.say(
        'info',
        tn('continued', reply.counts.all - reply.counts.locked, {
          name: reply.document.name,
          confirmed: count(reply.counts.confirmed),
        }),
      );
  }

  /** Stores what was typed, and asks for a token again. */
  async signOut() {
    await this.leave();
    sessionStorage.clear();
    location.href = './?sign-out';
  }

  /** Shows the page where the person changes their password. */
  async showAccount() {
    await this.leave();
    location.href = './account';
  }

  /** Stores what is typed before another page is shown. */
  async leave() {
    this.segment.flush();
    await this.connection.settled();
  }

  /** @param {SessionOffer} offer */
  offer(offer) {
    this.notes.say(
      'info',
      tn('offer', offer.num_segments - offer.num_locked, {
        name: offer.name,
        confirmed: count(offer.num_confirmed),
        when: dayAndTime(offer.last_ms),
      }),
      [
        [t('offer.continue'), () => this.switchTo('resume_session', {session: offer.session})],
        [t('offer.dismiss'), () => this.focusEditor()],
      ],
      {key: 'offer', stays: true},
    );
  }

  /**
   * Handles a reply to a command, or news if `command` is null.
   * @param {Reply} reply
   * @param {Command | null} command
   */
  receive(reply, command) {
    if (!reply.ok) {
      if (reply.error?.kind === 'unknown_session') {
        if (!command || command.token === this.session.token) this.reconnect();
        return;
      }
      if (command && command.token !== this.session.token) return; // its text is a draft of the other document
      if (command && ['edit', 'confirm'].includes(command.name)) {
        this.session.version = -1; // the rows as they are
        this.connection.askAgain(); // or the answer to an earlier question would set the version
      }
      if (command && reply.error.kind === 'overtaken')
        askWhichText(this, command.args.segment, command.args.text, reply.error.message);
      else if (command?.name && reply.error.kind === 'CommandError')
        this.notes.say('warn', reply.error.message, [], {stays: true}); // refused, and nothing is wrong
      else if (command) this.say('bad', reply.error.message);
      return;
    }
    if (reply.token !== this.session.token) return; // a reply for the document that was open before
    if (command && !['open', 'changed_documents'].includes(command.name)) this.status.markSaved();
    this.merge(reply);
    if (command) this.segment.sync();
    else this.onNews?.(reply.news); // for an open dialog
  }

  async reconnect() {
    if (this.isReconnecting) return;
    this.isReconnecting = true;
    const {token} = this.session;
    const reply = await greet(this.server, token);
    this.isReconnecting = false;
    this.adopt(reply, {replaced: token});
  }

  /**
   * Shows a text in the list before the server has stored it, as the server may be offline.
   * @param {Pick<Command, 'name' | 'args'>} command
   */
  showSent({name, args}) {
    const row = this.rows[args.segment];
    if (!row || !['edit', 'confirm'].includes(name) || typeof args.text !== 'string') return;
    this.rows[args.segment] = {...row, target: args.text, state: name === 'edit' ? 'edited' : row.state};
    this.list.updateRow(this.rows[args.segment]);
    this.side.preview.draw(args.segment);
  }

  /** @param {SuccessReply} reply */
  merge(reply) {
    const isNewer = reply.version >= this.session.version;
    for (const row of reply.rows) {
      const known = this.rows[row.index];
      if (known && known.stamp > row.stamp) continue;
      this.rows[row.index] = row;
      if (known) {
        this.list.updateRow(row);
        this.side.preview.draw(row.index);
      }
    }
    if (reply.order || !this.order.length) this.arrange(reply.order ?? [...this.rows.keys()]);
    if (isNewer) {
      this.session.version = reply.version;
      this.latest = reply;
      this.model = reply.model;
      this.problem = reply.problem;
      this.progress = reply.progress;
      this.lookupsLeft = reply.lookups_left;
      this.decode = reply.decode;
      this.glossary = reply.glossary;
      this.offers = reply.offers ?? this.offers;
      this.list.showPeople(reply.people);
      this.root.classList.toggle('has-terms', Boolean(reply.glossary)); // the terms need space above the source
      this.languages = {source: reply.document.source_language, target: reply.document.target_language};
      const hadReview = this.document?.project.has_review;
      this.document = reply.document;
      if (hadReview !== undefined && hadReview !== reply.document.project.has_review) this.list.rebuild();
      this.unit = reply.document.unit;
      this.work = reply.work;
      this.header.update(reply);
      this.onModel?.(reply.model, reply.problem); // for an open dialog
      this.list.filter.updateCounts(reply.counts, reply.document.project.has_review);
      this.side.updateCounts(reply.counts);
      this.serverNotes.update(reply);
      this.news.update(reply.news);
      this.pages.setTitle(reply.document.name);
      this.tabs.update(reply);
      this.joined.update(reply);
    }
    if (isNewer && !this.connection.isPending('consent')) this.keepsKeys = reply.keeps_keys;
    if (reply.checks_off && !this.connection.isPending('choose_checks')) this.checksOff = reply.checks_off;
    if (reply.segment && reply.segment.index === this.session.open) {
      this.session.detailStamp = Math.max(this.session.detailStamp, reply.segment.stamp);
      this.segment.update(reply.segment);
    }
    this.side.memory.update();
    this.status.update();
  }

  /**
   * Puts the segments into the order of the document. Segments that were merged into others are not in it.
   * @param {number[]} order
   */
  arrange(order) {
    const isAnother = this.order.length > 0;
    this.order = order;
    this.numbers = new Map(order.map((index, position) => [index, position + 1]));
    if (!isAnother) return;
    this.list.rebuild();
    this.side.preview.reload();
    const {open} = this.session;
    if (open === null) return;
    if (!this.numbers.has(open)) this.openSegment(order.findLast(index => index < open) ?? order[0]);
    else if (this.rows[open].source !== this.segment.current.source) {
      this.segment.open(open);
      this.segment.view.holdHeight();
    } else this.segment.view.paintNumber();
  }

  /**
   * The number of a segment that the page shows.
   * @param {number} index
   */
  numberOf(index) {
    return this.numbers.get(index) ?? index + 1;
  }

  /** @param {number} index */
  openSegment(index) {
    const {session} = this;
    if (!this.rows[index] || (session.open === index && this.segment.index === index)) {
      this.focusEditor();
      return;
    }
    const previous = session.open;
    if (this.segment.index !== null) this.segment.flush();
    session.open = index;
    session.detailStamp = -1;
    this.segment.open(index);
    this.list.moveEditor(previous, this.segment.layout.element);
    this.segment.view.holdHeight();
    this.list.scrollToOpen();
    this.focusEditor();
    this.keepPlace();
    this.sendOpen();
    this.side.memory.open(index);
    this.side.preview.open(index);
  }

  /** Keeps where the person is in the document, for when they come back to it. */
  keepPlace() {
    const {open} = this.session;
    if (open === null || this.segment.index !== open || !this.tabs.documents.shown) return;
    const {selectionStart: start, selectionEnd: end} = this.segment.text.field.area;
    const list = {...this.list.filter.kept(), top: this.list.topOfEditor()};
    this.tabs.documents.keepPlace({segment: open, start, end, list});
  }

  /** The server translates the open segment first. */
  sendOpen() {
    const {open} = this.session;
    if (open !== null) this.connection.send('open', {segment: open, open, detail_since: -1}, 'open');
  }

  /**
   * Shows another document or an earlier session. Returns false if the server refused.
   * @param {SessionCommand} name
   * @param {CommandArgs} [args]
   * @param {number} [segment] the one to open, by default where the person left the document
   */
  async switchTo(name, args = {}, segment = undefined) {
    if (name === 'resume_session') return keepingTyped(this, () => this.#switchTo(name, args, segment));
    return this.#switchTo(name, args, segment);
  }

  /**
   * @param {SessionCommand} name
   * @param {CommandArgs} args
   * @param {number} [segment]
   */
  async #switchTo(name, args, segment) {
    this.segment.flush();
    const {token} = this.session;
    const reply = await this.connection.send(name, args);
    if (reply.ok) {
      if (name !== 'delete_session') this.segment.flush(); // what was typed meanwhile
      this.notes.clear();
      this.news.forget();
      this.pages.leave();
      const replaced = ENDING.includes(name) || this.#isUntouchedSample() ? token : '';
      const isQuiet = this.tabs.documents.has(reply.token) || this.joined.documents.has(reply.document.session);
      this.adopt(reply, {replaced, isQuiet, segment});
    }
    return reply.ok;
  }

  /**
   * Shows another document, at a segment that waits to be confirmed, or to be approved.
   * @param {number} session
   * @param {boolean} toReview
   */
  goOn(session, toReview) {
    return keepingTyped(this, () => this.#goOn(session, toReview));
  }

  /**
   * @param {number} session
   * @param {boolean} toReview
   */
  async #goOn(session, toReview) {
    if (!(await this.switchTo('resume_session', {session}))) return;
    const {open} = this.session;
    const isWaiting = (toReview ? isToReview : isOpen)(this.rows[open]);
    const next = toReview ? this.list.nextToReview(open) : this.list.nextUnconfirmed(open);
    if (!isWaiting && next !== null) this.openSegment(next);
  }

  /**
   * Shows a segment of a document, which may be another one than that of this window.
   * @param {number} session
   * @param {number} index
   */
  async goTo(session, index) {
    if (session !== this.document.session && !(await this.switchTo('resume_session', {session}, index))) return;
    this.openSegment(index);
  }

  /** The sample of the first visit needs no tab when the person opens a document of their own. */
  #isUntouchedSample() {
    return this.isSample && !this.rows.some(row => ['edited', 'confirmed'].includes(row.state));
  }

  /**
   * Deletes the open session, and its drafts in this browser.
   * @param {string} token
   */
  async forget(token) {
    await this.switchTo('delete_session');
    for (const {index} of drafts.list(token)) drafts.drop(token, index);
  }

  /**
   * @param {NoteKind} kind
   * @param {string} text
   */
  say(kind, text) {
    return this.notes.say(kind, text);
  }

  /** Moves the focus to the edit field, or to the page that covers it. */
  focusEditor() {
    if (this.pages.page) this.pages.page.focus();
    else this.segment.focusField();
  }

  /**
   * Reloads the page in another language. Typed text is stored before.
   * @param {string} name
   */
  async switchLanguage(name) {
    if (!this.connection.isOnline) {
      this.say('warn', t('language.offline'));
      return;
    }
    this.segment.flush();
    await this.connection.settled();
    if (chooseLanguage(name)) location.reload();
  }
}

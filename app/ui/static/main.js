/* The workbench: one page's state, and the parts that draw it. Started by the component's script. */
import {Connection, drafts} from './core/connection.js';
import {button, h, t, tn} from './core/dom.js';
import {watchIdle} from './core/idle.js';
import {loadBindings} from './core/key_bindings.js';
import {Steps} from './core/steps.js';
import {watchTabs} from './core/tabs.js';
import {chooseLanguage, currentLanguage, dayAndTime, loadTexts} from './core/texts.js';
import {Segment} from './editor/segment.js';
import {listenToKeys} from './keys.js';
import {SegmentList} from './list/segment_list.js';
import {Files} from './panels/files.js';
import {Header, Notes} from './panels/header.js';
import {Side} from './panels/side.js';
import {Status} from './panels/status.js';

const TOKEN_KEY = 'pinpoint:session';
const OPEN_KEY = 'pinpoint:open'; // [token, index]: where this tab was, also after the server was started anew
const THEME_KEY = 'pinpoint:theme';
/**
 * @param {Storage} storage
 * @param {string} key
 */
const stored = (storage, key) => {
  try {
    return storage.getItem(key);
  } catch {
    return null;
  }
};
/**
 * @param {Storage} storage
 * @param {string} key
 * @param {string} value
 */
const store = (storage, key, value) => {
  try {
    storage.setItem(key, value);
  } catch {
    /* storage is off: nothing is remembered */
  }
};

/**
 * The server's answer to the first question, which is asked until the server answers.
 * @param {Server} server
 * @param {string | null} token
 * @returns {Promise<Reply>}
 */
const greet = async (server, token) => {
  for (let pause = 250; ; pause = Math.min(2 * pause, 4000)) {
    try {
      const reply = await server.hello({token});
      if (reply && typeof reply === 'object') return reply;
    } catch {
      /* not there yet */
    }
    await new Promise(done => setTimeout(done, pause));
  }
};

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
    /** @type {GlossaryStatus | null} */
    this.glossary = null;
    /** @type {Progress | null} */
    this.progress = null;
    /** @type {Reply['decode'] | null} */
    this.decode = null;
    /** @type {string[]} */
    this.checksOff = [];
    this.model = /** @type {ModelStatus} */ ({state: 'loading', name: ''});
    /** @type {((model: ModelStatus) => void) | null} */
    this.onModel = null;
    this.languages = {source: 'en', target: 'de'};
    /** @type {SessionPlace} */
    this.session = {
      token: stored(sessionStorage, TOKEN_KEY) ?? '',
      version: -1,
      open: /** @type {any} */ (null),
      detailStamp: -1,
    };
    const theme = stored(localStorage, THEME_KEY);
    if (theme) root.dataset.theme = theme;
    /** @type {Map<number, number>} */
    this.numbers = new Map();
    /** @type {[Reply, Command | null][] | null} */
    this.held = null; // replies that wait until a press is released
    this.isReconnecting = false;
    this.keepsKeys = false;
    this.saidModel = '';
    this.saidProblem = '';
    /** @type {Unit} */
    this.unit = 'words';
    /** @type {Work | null} */
    this.work = null;

    const head = h('header.head', {});
    const noteHost = h('div.notes', {'aria-live': 'polite'});
    const doc = h('section.doc', {'aria-label': t('list.heading')});
    const side = h('aside.side', {'aria-label': t('side.label')});
    const foot = h('footer.status', {});
    const skip = button('.skip', {onclick: () => this.focusEditor()}, t('skip'));
    this.root.replaceChildren(skip, h('div.app', {}, head, noteHost, doc, side, foot));
    this.connection = this.connect();
    this.notes = new Notes(noteHost);
    this.steps = new Steps(this);
    this.files = new Files(this, this.root);
    this.header = new Header(this, head);
    this.list = new SegmentList(this, doc);
    this.segment = new Segment(this);
    this.side = new Side(this, side);
    this.status = new Status(this, foot);
    this.list.staysUnder(noteHost);
    this.tellTabs = watchTabs(this);
    listenToKeys(this, this.root);
    this.listenToPresses();
    document.addEventListener('visibilitychange', () => this.onVisibility());
    watchIdle(
      ms => this.onIdle(ms),
      () => this.onVisibility(),
    );
  }

  /**
   * Shows the session and follows its changes.
   * @param {Reply} reply
   */
  start(reply) {
    this.adopt(reply);
    this.connection.watch();
  }

  connect() {
    return new Connection(this.server, this.session, {
      onReply: (reply, command) => this.receive(reply, command),
      onSend: command => this.steps.noticed(command),
      onState: () => this.status?.update(),
      onReturn: () => this.tellOpen(),
    });
  }

  /**
   * Shows a session from its beginning: at the start, and when another document is opened.
   * @param {Reply} reply
   */
  adopt(reply) {
    if (!reply.ok) {
      this.say('bad', reply.error.message);
      return;
    }
    Object.assign(this.session, {token: reply.token, version: -1, open: null, detailStamp: -1});
    store(sessionStorage, TOKEN_KEY, reply.token);
    this.rows = [];
    this.order = [];
    this.segment.forget();
    this.steps.clear();
    this.connection.switched?.();
    this.merge(reply);
    this.list.rebuild();
    const [token, place] = JSON.parse(stored(sessionStorage, OPEN_KEY) ?? '[]');
    const first = token === reply.token ? place : (reply.result?.open ?? 0);
    for (const note of reply.document.notes) this.say('info', note);
    this.openSegment(this.numbers.has(first) ? first : this.order[0]);
    this.restoreDrafts();
    if (reply.result?.offer) this.offer(reply.result.offer);
    this.tellTabs();
    if (reply.result?.is_continued)
      this.say(
        'info',
        t('continued', {name: reply.document.name, confirmed: reply.counts.confirmed, total: reply.counts.all}),
      );
  }

  /** @param {SessionOffer} offer */
  offer(offer) {
    this.notes.say(
      'info',
      t('offer', {
        name: offer.name,
        confirmed: offer.num_confirmed,
        total: offer.num_segments,
        when: dayAndTime(offer.last_ms),
      }),
      [
        [t('offer.go_on'), () => this.switchTo('resume_session', {session: offer.session})],
        [t('offer.anew'), () => this.focusEditor()],
      ],
      {key: 'offer', stays: true},
    );
  }

  /** What was typed in this browser and never acknowledged goes to the server now, and the person is told. Where the
      text was changed elsewhere since, the person decides. */
  restoreDrafts() {
    const {token} = this.session;
    const restored = [];
    for (const {index, text, base} of drafts.list(token)) {
      const row = this.rows[index];
      const current = row && ['edited', 'confirmed'].includes(row.state) ? row.target : null;
      if (!row?.source || current === text) drafts.drop(token, index);
      else if (current === null || current === base) {
        this.restore(index, text);
        restored.push(this.numberOf(index));
      } else {
        this.notes.say(
          'warn',
          t('restored.conflict', {where: this.numberOf(index), text}),
          [
            [t('restored.use'), () => this.restore(index, text)],
            [t('restored.drop'), () => drafts.drop(token, index)],
          ],
          {key: `draft ${index}`, stays: true},
        );
      }
    }
    if (restored.length) this.say('info', tn('restored', restored.length, {where: restored.join(', ')}));
  }

  /**
   * @param {number} index
   * @param {string} text
   */
  async restore(index, text) {
    const {token, open} = this.session;
    if (index === open) this.segment.text.show(text);
    const reply = await this.connection.send('edit', {segment: index, text, origin: 'restored'}, `edit:${index}`);
    if (reply.ok) drafts.drop(token, index);
  }

  /** Nothing is redrawn between a press and its release: a button that is replaced in between never gets the click. */
  listenToPresses() {
    const release = () =>
      setTimeout(() => {
        // the click comes right after the release
        const held = this.held ?? [];
        this.held = null;
        for (const [reply, command] of held) this.receive(reply, command);
      });
    this.root.addEventListener(
      'pointerdown',
      () => {
        this.held ??= [];
      },
      true,
    );
    for (const name of ['pointerup', 'pointercancel', 'dragend']) window.addEventListener(name, release, true);
    window.addEventListener(
      'pointermove',
      event => {
        if (this.held && !event.buttons) release();
      },
      true,
    ); // released outside
    window.addEventListener('blur', event => {
      if (event.target === window) release();
    });
  }

  /**
   * A reply to a command (or to the watch, where command is null).
   * @param {Reply} reply
   * @param {Command | null} command
   */
  receive(reply, command) {
    if (this.held) {
      this.held.push([reply, command]);
      return;
    }
    if (!reply.ok) {
      if (reply.error?.kind === 'unknown_session') {
        this.reconnect();
        return;
      }
      if (command) this.say('bad', reply.error.message);
      return;
    }
    if (reply.token !== this.session.token) return; // an answer for the document that was open before
    if (command && command.name !== 'open') this.status.markSaved();
    this.merge(reply);
    if (command) this.segment.sync();
  }

  async reconnect() {
    if (this.isReconnecting) return;
    this.isReconnecting = true;
    const reply = await greet(this.server, this.session.token);
    this.isReconnecting = false;
    this.adopt(reply);
  }

  /** @param {Reply} reply */
  merge(reply) {
    const isNewer = reply.version >= this.session.version;
    for (const row of reply.rows) {
      const known = this.rows[row.index];
      if (known && known.stamp > row.stamp) continue;
      this.rows[row.index] = row;
      if (known) this.list.updateRow(row);
    }
    if (reply.order || !this.order.length) this.arrange(reply.order ?? [...this.rows.keys()]);
    if (isNewer) {
      this.session.version = reply.version;
      this.model = reply.model;
      this.progress = reply.progress;
      this.decode = reply.decode;
      this.glossary = reply.glossary;
      this.offers = reply.offers ?? this.offers;
      this.root.classList.toggle('has-terms', Boolean(reply.glossary)); // their labels need room over the source
      this.languages = {source: reply.document.source_language, target: reply.document.target_language};
      this.unit = reply.document.unit;
      this.work = reply.work;
      this.header.update(reply);
      this.onModel?.(reply.model); // of a dialog that is open
      this.list.updateCounts(reply.counts);
      if (reply.model.state === 'failed' && this.saidModel !== reply.model.message) {
        this.saidModel = reply.model.message;
        this.say('bad', t('model.failed.note', {message: reply.model.message}));
      } else if (reply.model.state === 'ready' && this.saidModel) {
        this.notes.take(t('model.failed.note', {message: this.saidModel}));
        this.saidModel = '';
      }
      if (reply.problem && reply.problem !== this.saidProblem) this.say('bad', reply.problem);
      else if (!reply.problem) this.notes.take(this.saidProblem); // it is over: another model translates, say
      this.saidProblem = reply.problem;
      document.title = `${reply.document.name} \u2013 Pinpoint`;
    }
    if (isNewer && !this.connection.isPending('consent')) this.keepsKeys = reply.keeps_keys;
    if (reply.checks_off && !this.connection.isPending('choose_checks')) this.checksOff = reply.checks_off;
    if (reply.segment && reply.segment.index === this.session.open) {
      this.session.detailStamp = Math.max(this.session.detailStamp, reply.segment.stamp);
      this.segment.update(reply.segment);
    }
    this.status.update();
  }

  /**
   * The segments in the order of the document, by their indices. One that was merged away is not among them.
   * @param {number[]} order
   */
  arrange(order) {
    const isAnother = this.order.length > 0;
    this.order = order;
    this.numbers = new Map(order.map((index, position) => [index, position + 1]));
    if (!isAnother) return;
    this.list.rebuild();
    const {open} = this.session;
    if (open === null) return;
    if (!this.numbers.has(open)) this.openSegment(order.findLast(index => index < open) ?? order[0]);
    else if (this.rows[open].source !== this.segment.current.source) this.segment.open(open);
    else this.segment.view.paintNumber();
  }

  /**
   * A segment's number for a person.
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
    this.list.scrollToOpen();
    this.focusEditor();
    store(sessionStorage, OPEN_KEY, JSON.stringify([session.token, index]));
    this.tellOpen();
    this.side.memory.open(index);
  }

  /** The server works on what is open first. */
  tellOpen() {
    const {open} = this.session;
    if (open !== null) this.connection.send('open', {segment: open, open, detail_since: -1}, 'open');
  }

  /** Time in another window is not time on this segment. */
  onVisibility() {
    const {open} = this.session;
    if (open === null) return;
    if (document.hidden) {
      this.segment.flush();
      this.connection.send('leave', {segment: open});
    } else this.connection.send('open', {segment: open}, 'open');
  }

  /**
   * Nor is time in which nothing was done.
   * @param {number} idle_ms
   */
  onIdle(idle_ms) {
    const {open} = this.session;
    if (open === null) return;
    this.segment.keys.flush();
    this.connection.send('idle', {segment: open, idle_ms});
  }

  /**
   * Another document or an earlier session takes the place of this one; false where that cannot be.
   * @param {string} name
   * @param {CommandArgs} [args]
   */
  async switchTo(name, args = {}) {
    this.segment.flush();
    const reply = await this.connection.send(name, args);
    if (reply.ok) {
      this.notes.clear();
      this.adopt(reply);
    }
    return reply.ok;
  }

  /**
   * Deletes the open session; what this browser keeps of it goes too.
   * @param {string} token
   */
  async forget(token) {
    await this.switchTo('delete_session');
    for (const {index} of drafts.list(token)) drafts.drop(token, index);
  }

  async importSampleGlossary() {
    const reply = await this.connection.send('import_sample_glossary');
    if (reply.ok) this.say('info', tn('glossary.imported', reply.result.num_terms, {name: reply.result.name}));
  }

  /**
   * Everything typed must be stored before a file is made of it; what the file lacks is said.
   * @param {Event} event
   * @param {HTMLAnchorElement} link
   */
  async beforeDownload(event, link) {
    if (link.dataset.isChecked) {
      delete link.dataset.isChecked;
      return;
    }
    event.preventDefault();
    this.segment.flush();
    const {kind} = link.dataset;
    const reply = await this.connection.send('export_note', {kind});
    if (reply.ok && reply.result.note && kind?.startsWith('document')) this.say('info', reply.result.note);
    link.dataset.isChecked = 'yes';
    link.click();
  }

  /**
   * @param {NoteKind} kind
   * @param {string} text
   */
  say(kind, text) {
    return this.notes.say(kind, text);
  }

  focusEditor() {
    this.segment.focusField();
  }

  /** @param {number} step */
  focusNextPart(step) {
    /** @type {[HTMLElement | null, string][]} */
    const places = [
      [this.root.querySelector('.head'), '.headend button'],
      [this.root.querySelector('.tools'), 'button[aria-pressed=true]'],
      [this.segment.layout.element, 'textarea'],
      [this.segment.offers.hypotheses.element, '.nb'],
      [this.root.querySelector('.side'), '[aria-selected=true]'],
    ];
    const parts = places.filter(([host, selector]) => host?.querySelector(selector));
    const at = parts.findLastIndex(([host]) => host?.contains(document.activeElement));
    const [host, selector] = parts[(at + step + parts.length) % parts.length];
    host?.querySelector(selector)?.focus();
  }

  /**
   * The page is drawn anew in another language; what is typed is stored first, and the undo steps go.
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

  toggleTheme() {
    const isDark = getComputedStyle(this.root).colorScheme === 'dark';
    this.root.dataset.theme = isDark ? 'light' : 'dark';
    store(localStorage, THEME_KEY, this.root.dataset.theme);
  }
}

/**
 * The server's functions, told with every message in which language its own messages are to be read.
 * @param {Server} server
 * @param {string} language
 */
const inLanguage = (server, language) =>
  new Proxy(server, {
    get: (functions, name) => (/** @type {object} */ message) => functions[String(name)]({...message, language}),
  });

/**
 * Called once by the Gradio component: its root element, and the server's functions.
 * @param {HTMLElement} root
 * @param {Server} server
 */
export const mount = async (root, server) => {
  await loadTexts();
  loadBindings();
  root.lang = document.documentElement.lang = currentLanguage();
  const inPageLanguage = inLanguage(server, currentLanguage());
  const reply = await greet(inPageLanguage, stored(sessionStorage, TOKEN_KEY));
  new Bench(root, inPageLanguage).start(reply);
};

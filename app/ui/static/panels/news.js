/* Notices about the person's work: what was assigned to them or taken back, and what a reviewer returned. The server
   keeps each until the person opens the document, so that it is shown again after a reload. */
import {count, t} from '../core/dom.js';
import {newsMark, noticeText} from '../core/notices.js';
import {openDocuments} from '../dialogs/documents.js';

const MAX_NAMES = 3;
const HERE = 'news of this document';
const ELSEWHERE = 'news of other documents';

/** @param {Notice} notice */
const keyOf = ({session, kind, sender, num_segments}) => `${session} ${kind} ${num_segments} ${sender}`;

export class News {
  #elsewhere = ''; // the notices of other documents that are shown
  #told = new Set(); // all that were shown since the page was loaded

  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** @type {Notice[]} */
    this.notices = [];
  }

  /** The notes were removed. */
  forget() {
    this.#elsewhere = '';
  }

  /** @param {{stamp: number, notices: Notice[]}} news */
  update({stamp, notices}) {
    this.bench.session.newsStamp = stamp;
    this.notices = notices;
    const open = notices.filter(notice => !notice.is_dismissed);
    const {session} = this.bench.document;
    // The server removes the notices of the document that the person works in; here they stay until they are dismissed.
    const here = open.filter(notice => notice.session === session && !this.#told.has(keyOf(notice)));
    if (here.length) this.say(HERE, here.map(noticeText).join('\n'), here, []);
    const elsewhere = open.filter(notice => notice.session !== session);
    const shown = elsewhere.map(keyOf).join();
    if (shown !== this.#elsewhere) this.showElsewhere(elsewhere);
    this.#elsewhere = shown;
    for (const notice of open) this.#told.add(keyOf(notice));
    this.bench.header.showNews(notices.some(one => one.session !== session && newsMark(notices, one.session)));
  }

  /** @param {Notice[]} notices */
  showElsewhere(notices) {
    const names = [...new Set(notices.map(notice => notice.document))];
    const sessions = new Set(notices.map(notice => notice.session));
    if (!notices.length) this.bench.notes.take(ELSEWHERE);
    else if (sessions.size === 1) {
      const [session] = sessions;
      const isLost = notices.every(notice => notice.kind === 'withdrawn');
      /** @type {NoteAction} */
      const open = [t('news.open'), () => this.bench.switchTo('resume_session', {session})];
      this.say(ELSEWHERE, notices.map(noticeText).join('\n'), notices, isLost ? [] : [open]);
    } else {
      const listed = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
      this.say(ELSEWHERE, t('news.several', {n: count(sessions.size), names: listed}), notices, [
        [t('news.show'), () => openDocuments(this.bench)],
      ]);
    }
  }

  /**
   * @param {string} key
   * @param {string} text
   * @param {Notice[]} notices
   * @param {NoteAction[]} actions
   */
  say(key, text, notices, actions) {
    const onDismiss = () => {
      this.bench.connection.send('dismiss_notices', {sessions: [...new Set(notices.map(notice => notice.session))]});
      this.bench.focusEditor();
    };
    this.bench.notes.say('info', text, actions, {key, stays: true, onDismiss});
  }
}

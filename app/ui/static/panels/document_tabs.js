/* The row of tabs under the header: the documents that the person has open. There is no row while only one is open. */
import {button, count, h, icon, setText, showChildren, t} from '../core/dom.js';
import {speltFor} from '../core/key_bindings.js';
import {choice, menu} from '../core/menu.js';
import {hasUnsent, OpenDocuments} from '../core/open_documents.js';
import {percent} from '../core/texts.js';

const REFRESH_PAUSE_MS = 3000; // between two questions for the figures of the other documents
const NAME_END = 8; // characters of a long name that are always shown: names often differ at the end

/** @type {Record<string, string>} */
const ICONS = {unsent: 'problem', done: 'confirmed', edited: 'draft'};

/** @param {OpenDocument} one */
const figures = ({numConfirmed, numSegments}) =>
  t('doctabs.confirmed', {confirmed: count(numConfirmed), total: count(numSegments)});

export class DocumentTabs {
  documents = new OpenDocuments();
  /** @type {Map<string, {element: HTMLElement, tab: HTMLButtonElement, key: string}>} by token */
  #tabs = new Map();
  #wanted = ''; // the token of the document that is on its way
  #isSwitching = false;
  #stamp = -1; // of the list of documents when the figures were asked for
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param {Bench} bench
   * @param {HTMLElement} host
   * @param {string} panelId the element that shows the document
   */
  constructor(bench, host, panelId) {
    this.bench = bench;
    this.host = host;
    this.panelId = panelId;
    this.strip = h('div.strip', {role: 'tablist', 'aria-label': t('doctabs.label')});
    this.total = h('span.num');
    this.more = menu(
      t('doctabs.all'),
      button(
        '.btn.small.quiet',
        {title: t('doctabs.all'), 'aria-label': t('doctabs.all')},
        this.total,
        icon('more', true),
      ),
      () =>
        this.documents.list.map(one => {
          const isShown = one.token === this.documents.shown;
          const item = choice(isShown ? 'check' : '', this.documents.label(one), figures(one), () =>
            this.go(one.token),
          );
          item.querySelector('b')?.setAttribute('dir', 'auto');
          if (isShown) item.setAttribute('aria-current', 'true');
          return item;
        }),
    );
    this.announcement = h('span.sr', {role: 'status'});
    host.append(this.strip, this.more, this.announcement);
    host.hidden = true;
    this.strip.addEventListener('keydown', event => this.#onKey(event));
    this.strip.addEventListener('scroll', () => this.#showEnds(), {passive: true});
    this.strip.addEventListener(
      'wheel',
      event => {
        if (!event.deltaX) this.strip.scrollLeft += event.deltaY;
      },
      {passive: true},
    );
    new ResizeObserver(() => {
      this.#showEnds();
      this.#showChosen();
    }).observe(this.strip);
    addEventListener('storage', () => {
      this.documents.read();
      this.paint();
    });
  }

  /**
   * Another document is in this window. Its tab takes the place of `replaced`, if that is a token.
   * @param {SuccessReply} reply
   * @param {string} person
   * @param {string} replaced
   */
  show(reply, person, replaced) {
    const {counts, document} = reply;
    const {name, session} = document;
    this.documents.show(
      {
        token: reply.token,
        session,
        name,
        numConfirmed: counts.confirmed,
        numSegments: counts.all - counts.locked,
        numEdited: counts.edited,
      },
      person,
      replaced,
    );
    this.paint();
    this.#showChosen();
    if (this.documents.list.length > 1) this.#announce();
  }

  /**
   * Adds tabs for documents that were opened together; the first is shown.
   * @param {ListedFile[]} opened
   */
  add(opened) {
    const added = opened.flatMap(({session, token, path, num_segments: numSegments}) =>
      session === null
        ? []
        : [
            {
              session,
              token,
              name: path,
              numSegments,
              numConfirmed: 0,
              numEdited: 0,
              place: null,
            },
          ],
    );
    this.documents.add(added);
    this.paint();
    this.#ask(); // some are finished, such as bilingual files
  }

  #announce() {
    const here = this.documents.list.find(one => one.token === this.documents.shown);
    if (here) setText(this.announcement, `${this.documents.label(here)}: ${figures(here)}`);
  }

  /**
   * Shows the figures of the document in this window, and asks for those of the others if the list has changed.
   * @param {SuccessReply} reply
   */
  update({counts, document, news}) {
    const {confirmed: numConfirmed, edited: numEdited} = counts;
    const numSegments = counts.all - counts.locked;
    if (this.documents.count({name: document.name, numConfirmed, numSegments, numEdited})) this.paint();
    if (!this.isRow || news.list_stamp === this.#stamp || this.#timer !== undefined) return;
    const pause = Math.max(0, this.#askedAt + REFRESH_PAUSE_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#stamp = news.list_stamp;
      this.#ask();
    }, pause);
  }

  /** Asks for the figures of the other documents, outside the queue of commands: nothing waits for them. */
  async #ask() {
    const {server, session} = this.bench;
    const tokens = this.documents.list.map(one => one.token).filter(token => token !== this.documents.shown);
    if (!tokens.length) return;
    this.#askedAt = performance.now();
    const {token, version} = session;
    let reply;
    try {
      reply = await server.command({
        token,
        name: 'open_documents',
        tokens,
        since: version,
        open: null,
        detail_since: 0,
      });
    } catch {
      return; // offline: asked again with the next change
    }
    if (!reply?.ok) return;
    this.documents.adopt(tokens, reply.result.documents);
    this.paint();
  }

  /* ---- commands ---- */
  /**
   * Shows the document of a tab. While one is on its way, the newest wish counts.
   * @param {string} token
   */
  async go(token) {
    this.#wanted = token;
    this.paint();
    if (this.#isSwitching) return;
    this.#isSwitching = true;
    const {bench, documents} = this;
    for (let wanted = token; wanted !== documents.shown; wanted = this.#wanted) {
      const to = documents.list.find(one => one.token === wanted);
      const isShown = to && (await bench.switchTo('resume_session', {session: to.session}));
      if (isShown && documents.shown === wanted) continue;
      this.#ask(); // refused, or it is another document than the tab says
      break;
    }
    this.#isSwitching = false;
    this.#wanted = '';
    this.paint();
    bench.focusEditor();
  }

  /** @param {number} step 1: the next document; -1: the one before */
  step(step) {
    const {list, shown} = this.documents;
    const at = list.findIndex(one => one.token === (this.#wanted || shown));
    this.go(list[(at + step + list.length) % list.length].token);
  }

  /**
   * Closes a tab; the document stays in the list of documents.
   * @param {string} [token] of another tab than the one of this window
   */
  async close(token = this.documents.shown) {
    const closed = this.documents.list.find(one => one.token === token);
    if (!closed || this.documents.list.length < 2) return;
    if (token === this.documents.shown) {
      await this.go(this.documents.afterClosing().token);
      if (token === this.documents.shown) return; // the server refused to show another one
    }
    this.documents.close(token);
    this.paint();
    setText(this.announcement, t('doctabs.closed', {name: closed.name}));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const all = [...this.strip.querySelectorAll('[role=tab]')];
    const at = all.indexOf(/** @type {HTMLElement} */ (event.target));
    if (at < 0) return;
    const {list} = this.documents;
    const isRtl = getComputedStyle(this.strip).direction === 'rtl';
    const forward = isRtl ? -1 : 1;
    const to = {ArrowRight: at + forward, ArrowLeft: at - forward, Home: 0, End: all.length - 1}[event.key];
    if (to !== undefined) this.#focusTab(list[(to + all.length) % all.length].token);
    else if (event.key === 'Delete') {
      const isHere = list[at].token === this.documents.shown;
      const next = list[at + 1] ?? list[at - 1];
      this.close(list[at].token);
      if (!isHere && this.documents.list.length > 1) this.#focusTab(next.token);
      else if (!isHere) this.bench.focusEditor();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} token */
  #focusTab(token) {
    for (const [of, {tab}] of this.#tabs) tab.tabIndex = of === token ? 0 : -1;
    const tab = this.#tabs.get(token)?.tab;
    tab?.focus();
    tab?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  /** Whether there are several tabs: a row of one would be of no use, and the joined list has a bar instead. */
  get isRow() {
    return this.documents.list.length > 1 && !this.bench.joined.isOn;
  }

  /* ---- drawing ---- */
  paint() {
    const {list, shown} = this.documents;
    const chosen = this.#wanted || shown;
    const {isRow} = this;
    this.host.hidden = !isRow;
    const tabs = new Map();
    for (const one of isRow ? list : []) {
      const made = this.#tabs.get(one.token) ?? this.#make(one.token);
      this.#draw(made, one, one.token === chosen);
      tabs.set(one.token, made);
    }
    this.#tabs = tabs;
    showChildren(
      this.strip,
      [...tabs.values()].map(({element}) => element),
    );
    setText(this.total, count(list.length));
    this.#showEnds();
    if (this.#wanted) this.#showChosen();
  }

  /** @param {string} token */
  #make(token) {
    const tab = button('', {
      role: 'tab',
      'aria-controls': this.panelId,
      'aria-keyshortcuts': 'Delete',
      onclick: () => this.go(token),
    });
    const cross = button(
      '.x',
      {tabindex: -1, 'aria-hidden': 'true', title: t('doctabs.close'), onclick: () => this.close(token)},
      icon('x'),
    );
    const element = h(
      'div.doctab',
      {
        role: 'presentation',
        // The middle button of a mouse closes a tab, as in browsers.
        onauxclick: (/** @type {MouseEvent} */ event) => {
          if (event.button === 1) this.close(token);
        },
        onmousedown: (/** @type {MouseEvent} */ event) => {
          if (event.button === 1) event.preventDefault(); // or the browser begins to scroll
        },
      },
      tab,
      cross,
    );
    return {element, tab, key: ''};
  }

  /**
   * @param {{element: HTMLElement, tab: HTMLButtonElement, key: string}} made
   * @param {OpenDocument} one
   * @param {boolean} isChosen
   */
  #draw(made, one, isChosen) {
    const {numConfirmed, numSegments, numEdited, token} = one;
    const name = this.documents.label(one);
    const isHere = token === this.documents.shown;
    // The status bar shows that the text of this document is being saved; a sign here would come with every word.
    const isUnsent = (!isHere || !this.bench.connection.isOnline) && hasUnsent(token);
    const isDone = numSegments > 0 && numConfirmed >= numSegments;
    const state = isUnsent ? 'unsent' : isDone ? 'done' : numEdited ? 'edited' : '';
    const key = JSON.stringify([name, numConfirmed, numSegments, state, isChosen, numEdited]);
    if (made.key === key) return;
    made.key = key;
    const {tab, element} = made;
    const [start, end] = [name.slice(0, -NAME_END), name.slice(-NAME_END)];
    const share = numSegments ? numConfirmed / numSegments : 0;
    const iconName = ICONS[state];
    const words = state === 'edited' ? t('doctabs.edited', {n: count(numEdited)}) : state && t(`doctabs.${state}`);
    const bar = h('i');
    bar.style.inlineSize = `${100 * share}%`;
    tab.replaceChildren(
      iconName ? icon(iconName, true) : '',
      h('span.nm', {dir: 'auto'}, h('span', start), h('span', end)),
      h('span.n.num', percent(Math.floor(100 * share) / 100)),
      bar,
    );
    tab.dataset.state = state;
    tab.setAttribute('aria-label', [name, figures(one), words].filter(Boolean).join(', '));
    tab.title = [one.name, [figures(one), words].filter(Boolean).join(' \u00b7 '), this.#keys()].join('\n');
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    element.classList.toggle('on', isChosen);
  }

  #keys() {
    return t('doctabs.keys', {next: speltFor('next_document'), before: speltFor('previous_document')});
  }

  /** Scrolls to the tab of the document in this window. */
  #showChosen() {
    this.#tabs.get(this.#wanted || this.documents.shown)?.element.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  /** Shows at which ends there are more tabs, and the list of all of them. */
  #showEnds() {
    const {scrollWidth, clientWidth, scrollLeft} = this.strip;
    const before = Math.abs(scrollLeft);
    this.strip.classList.toggle('before', before > 1);
    this.strip.classList.toggle('after', before < scrollWidth - clientWidth - 1);
    this.more.hidden = scrollWidth <= clientWidth + 1;
  }
}

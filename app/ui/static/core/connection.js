/* The connection to the server. Commands are sent one at a time and in order; a command that could not be delivered is
   sent again before the others. */

/** @param {number} ms */
const sleep = ms => new Promise(done => setTimeout(done, ms));
const MAX_PAUSE_MS = 4000;
const FUNCTION_PATH = 'gradio_api/component_server'; // where Gradio calls the server's functions
const HIDDEN_PAUSE_MS = 5000; // between two questions of a hidden window
/** Like Promise.withResolvers(), which older browsers do not have. */
const withResolvers = () => {
  /** @type {(value: any) => void} */
  let resolve = () => {};
  const promise = new Promise(done => {
    resolve = done;
  });
  return /** @type {PromiseWithResolvers<any>} */ ({promise, resolve});
};
/** 128 random bits. Unlike crypto.randomUUID, it also works on a page that another computer reads without https. */
export const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
const OVERTAKEN = Symbol('another question is to be asked');

export class Connection {
  /**
   * @param {Server} server
   * @param {SessionPlace} session
   * @param {object} options
   * @param {(reply: Reply, command: Command | null) => void} options.onReply a reply; `command` is null for news
   * @param {(command: Command) => void} options.onSend a command was queued
   * @param {() => void} options.onState the queue or the connection changed
   * @param {() => void} options.onReturn the server answers again, perhaps after a restart
   */
  constructor(server, session, {onReply, onSend, onState, onReturn}) {
    this.server = server;
    this.session = session;
    this.onReply = onReply;
    this.onSend = onSend;
    this.onState = onState;
    this.onReturn = onReturn;
    /** @type {Command[]} */
    this.line = [];
    this.isBusy = false;
    this.isOnline = true;
    this.isRestarting = false;
    this.isClosed = false;
    this.sequence = 0;
    this.client = randomId();
    /** @type {(() => void) | undefined} */
    this.overtake = undefined;
  }

  /**
   * Queues a command; resolves with its reply. It replaces a command of the same `slot` that still waits, with the
   * arguments that `joined` returns for both; if that is null, both are sent.
   * @template {CommandName} N
   * @param {N} name
   * @param {CommandArgs} [args]
   * @param {string | null} [slot]
   * @param {(earlier: CommandArgs, later: CommandArgs) => CommandArgs | null} [joined]
   * @returns {Promise<ReplyTo<N>>}
   */
  send(name, args = {}, slot = null, joined = (_earlier, later) => later) {
    const {promise: done, resolve} = withResolvers();
    const {token} = this.session; // of the document that is shown now, also if another one is shown when its turn comes
    const command = {name, args, slot, token, sequence: ++this.sequence, done, resolve};
    const waiting = slot
      ? this.line.findLastIndex((c, i) => c.slot === slot && c.token === token && (i > 0 || !this.isBusy))
      : -1;
    const both = waiting >= 0 ? joined(this.line[waiting].args, args) : null;
    if (both) {
      command.args = both;
      done.then(this.line[waiting].resolve);
      this.line.splice(waiting, 1);
    }
    this.line.push(command);
    this.onSend(command);
    this.onState();
    this.drain();
    return done;
  }

  /**
   * Sends a command while the page is left, outside the queue: the browser sends it even after the page is gone.
   * @param {CommandName} name
   * @param {CommandArgs} args
   */
  sendLast(name, args) {
    const {token, version, open, detailStamp} = this.session;
    const data = {token, name, since: version, open, detail_since: detailStamp, ...args};
    const body = JSON.stringify({fn_name: 'command', data});
    navigator.sendBeacon(FUNCTION_PATH, new Blob([body], {type: 'application/json'}));
  }

  /**
   * True if a command of that slot, for the document that is shown, has not been answered yet.
   * @param {string} slot
   */
  isPending(slot) {
    return this.line.some(c => c.slot === slot && c.token === this.session.token);
  }

  /** Resolves when the queue is empty. */
  async settled() {
    while (this.line.length) await this.line.at(-1)?.done;
  }

  async drain() {
    if (this.isBusy) return;
    this.isBusy = true;
    let pause = 250;
    while (this.line.length && !this.isClosed) {
      const command = this.line[0];
      const {version, open, detailStamp} = this.session;
      let reply;
      try {
        reply = await this.server.command({
          token: command.token,
          client: this.client,
          sequence: command.sequence,
          name: command.name,
          since: version,
          open,
          detail_since: detailStamp,
          ...command.args,
        });
        if (!reply || typeof reply !== 'object') throw new Error('no reply');
      } catch {
        this.setOnline(false);
        await sleep(pause);
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
        continue;
      }
      pause = 250;
      if (!this.isRestarting) this.setOnline(true);
      this.line.shift();
      if (!this.isClosed) this.onReply(reply, command);
      command.resolve(reply);
      this.onState();
    }
    this.isBusy = false;
  }

  /** Asks for news again at once: another session is shown, or the window was hidden or shown. */
  askAgain() {
    this.overtake?.();
  }

  /**
   * Asks for news in a loop; the server answers each question when there is news, and ends it at the next question.
   *
   * A browser opens six connections to a server, for all of its tabs. A hidden window holds none of them.
   */
  async watch() {
    let pause = 250;
    document.addEventListener('visibilitychange', () => this.askAgain());
    while (!this.isClosed) {
      const {token, version, open, detailStamp, newsStamp, listStamp} = this.session;
      const {client} = this;
      const waits = !document.hidden;
      const another = new Promise(resolve => {
        this.overtake = () => resolve(OVERTAKEN);
      });
      try {
        const place = {token, client, since: version, open, detail_since: detailStamp};
        const asked = this.server.changes({...place, news_stamp: newsStamp, list_stamp: listStamp, waits});
        asked.catch(() => {}); // it may fail after nobody waits for it
        const reply = await Promise.race([asked, another]);
        if (reply === OVERTAKEN) continue;
        if (!reply || typeof reply !== 'object') throw new Error('no reply');
        this.isRestarting = reply.is_stopping === true;
        this.setOnline(!this.isRestarting);
        pause = 250;
        if (!this.isClosed) this.onReply(reply, null);
        if (reply.ok === false || this.isRestarting) await sleep(1000);
        else if (!waits) await Promise.race([sleep(HIDDEN_PAUSE_MS), another]);
      } catch {
        this.setOnline(false);
        await sleep(pause);
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
    }
  }

  close() {
    this.isClosed = true;
  }

  /** @param {boolean} isOnline */
  setOnline(isOnline) {
    if (isOnline === this.isOnline) return;
    this.isOnline = isOnline;
    this.onState();
    if (isOnline) this.onReturn();
  }
}

/**
 * The reply to `hello`, sent again until the server answers.
 * @param {Server} server
 * @param {string | null} token
 * @param {Record<string, string>} [lastShown] by person, for a window without a token
 * @returns {Promise<Reply>}
 */
export const greet = async (server, token, lastShown = {}) => {
  for (let pause = 250; ; pause = Math.min(2 * pause, 4000)) {
    try {
      const reply = await server.hello({token, last_shown: lastShown});
      if (reply && typeof reply === 'object') return reply;
    } catch {
      /* the server is not there yet */
    }
    await new Promise(done => setTimeout(done, pause));
  }
};

/**
 * The server's functions; every message names the language of the server's texts.
 * @param {Server} server
 * @param {string} language
 */
export const inLanguage = (server, language) =>
  new Proxy(server, {
    get: (functions, name) => (/** @type {object} */ message) => functions[String(name)]({...message, language}),
  });

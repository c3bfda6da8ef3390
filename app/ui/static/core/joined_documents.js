/* The documents of the joined list: those of the project of the document that is open, with the rows of the others. Long
   documents come in portions; later, only rows that have changed are asked for. */
import {readStored, writeStored} from './storage.js';

const STORE_KEY = 'pinpoint:joined'; // {isOn, leftOut: session[]}
const REFRESH_PAUSE_MS = 3000; // between two questions for the list
const MAX_ROWS = 100_000; // are loaded by themselves, some 40 MB; further documents when they are reached
const TYPED_PAUSE_MS = 20_000; // until the list is asked for without a sign: texts that others type give none

/**
 * A document without rows.
 * @param {Pick<JoinedDocument, 'session' | 'name' | 'numConfirmed' | 'numSegments' | 'numRows' | 'lastMs'>} figures
 * @returns {JoinedDocument}
 */
const emptyDocument = figures => ({
  ...figures,
  rows: null,
  order: [],
  numbers: new Map(),
  visible: [],
  counts: null,
  stamp: null,
});

export class JoinedDocuments {
  isOn = false;
  /** @type {JoinedDocument[]} in the order in which they were opened, those left out included */
  all = [];
  own = 0; // the session of the document that is open
  /** @type {Set<number>} sessions that the person does not want in the list */
  leftOut = new Set();
  #project = 0;
  #listStamp = -1;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  #isFilling = false;
  /** @type {Map<JoinedDocument, Promise<boolean>>} documents whose rows are on their way */
  #loading = new Map();

  /**
   * @param {(name: 'joined_documents' | 'joined_rows', args: CommandArgs) => Promise<any>} ask returns the result, or null
   *   if the server refused or does not answer
   * @param {{onList: (isOther: boolean) => void, onRows: (document: JoinedDocument) => void}} calls `onList`: the figures have
   *   changed, with `isOther` also the documents; `onRows`: the rows of a document
   */
  constructor(ask, {onList, onRows}) {
    this.ask = ask;
    this.onList = onList;
    this.onRows = onRows;
    try {
      const kept = JSON.parse(readStored('local', STORE_KEY) ?? '{}');
      this.isOn = kept.isOn === true;
      if (Array.isArray(kept.leftOut)) this.leftOut = new Set(kept.leftOut.filter(Number.isInteger));
    } catch {
      /* not JSON: the list is off */
    }
  }

  #keep() {
    writeStored('local', STORE_KEY, JSON.stringify({isOn: this.isOn, leftOut: [...this.leftOut]}));
  }

  /** @param {boolean} isOn */
  turn(isOn) {
    this.isOn = isOn;
    this.#keep();
    this.#listStamp = -1; // it may have changed meanwhile
  }

  /**
   * Leaves a document out of the list, or takes it in again.
   * @param {number} session
   */
  toggle(session) {
    if (!this.leftOut.delete(session)) this.leftOut.add(session);
    this.#keep();
    this.#findBeyond();
    this.#fill();
  }

  /** The documents in the list; the one that is open is always one of them. */
  get list() {
    return this.all.filter(({session}) => session === this.own || !this.leftOut.has(session));
  }

  /** The documents in the list, without the one that is open. */
  get others() {
    return this.isOn ? this.list.filter(({session}) => session !== this.own) : [];
  }

  /** @param {number} session */
  has(session) {
    return this.isOn && this.all.some(one => one.session === session);
  }

  /**
   * The other documents from the open one on: those behind it, then those before it from the top; with -1, those before
   * it from there up.
   * @param {number} step
   */
  around(step) {
    const {list} = this;
    const at = list.findIndex(({session}) => session === this.own);
    const [before, after] = [list.slice(0, at), list.slice(at + 1)];
    return step > 0 ? [...after, ...before] : [...before.reverse(), ...after.reverse()];
  }

  /** Those of `around(1)` in which the filter and the search have found segments. */
  aroundFound() {
    return this.isOn ? this.around(1).filter(one => one.visible.length) : [];
  }

  /**
   * True if the other document is behind the open one.
   * @param {JoinedDocument} document
   */
  isBehind(document) {
    const {list} = this;
    return list.indexOf(document) > list.findIndex(({session}) => session === this.own);
  }

  /**
   * Another document is open now, or its figures have changed.
   * @param {SuccessReply} reply
   */
  update({document: {session, name, project}, counts, news}) {
    if (!this.isOn) return;
    this.own = session;
    if (project.id !== this.#project) {
      this.all = [];
      this.#project = project.id;
      this.#listStamp = -1;
    }
    const figures = {
      name,
      numConfirmed: counts.confirmed,
      numSegments: counts.all - counts.locked,
      numRows: counts.all,
    };
    const known = this.all.find(one => one.session === session);
    if (!known) this.all.push(emptyDocument({session, lastMs: 0, ...figures}));
    else Object.assign(known, {...figures, name: known.name}); // with its folder
    if (!known) this.#listStamp = -1;
    const isOld = performance.now() - this.#askedAt > TYPED_PAUSE_MS;
    if (isOld || news.list_stamp !== this.#listStamp) this.#askLater(news.list_stamp);
  }

  /** @param {number} stamp */
  #askLater(stamp) {
    clearTimeout(this.#timer);
    const pause = this.#listStamp < 0 ? 0 : Math.max(0, this.#askedAt + REFRESH_PAUSE_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#listStamp = stamp;
      this.refresh();
    }, pause);
  }

  /**
   * The open document is left: its rows are those that the page had, until newer ones are there.
   * @param {Row[]} rows
   * @param {number[]} order
   */
  leave(rows, order) {
    const left = this.all.find(one => one.session === this.own);
    if (!this.isOn || !left || !order.length) return;
    this.#put(left, rows, order);
    left.lastMs = 0; // what was done in it since its rows came is asked for with the next list
    this.#listStamp = -1;
  }

  /**
   * @param {JoinedDocument} document
   * @param {Row[]} rows by index
   * @param {number[]} order
   */
  #put(document, rows, order) {
    const numbers = new Map(order.map((index, position) => [index, position + 1]));
    Object.assign(document, {rows, order, numbers, counts: null});
  }

  /** Asks for the documents, then for the rows that are missing or have changed. */
  async refresh() {
    this.#askedAt = performance.now();
    const result = await this.ask('joined_documents', {});
    if (!result || !this.isOn || !result.documents.some((/** @type {DocumentRow} */ one) => one.session === this.own)) {
      return; // offline, or an answer about another project
    }
    const drawn = () => String(this.all.map(one => [one.session, one.name, one.isBeyond]));
    const before = drawn();
    const known = new Map(this.all.map(one => [one.session, one]));
    this.all = result.documents.map((/** @type {DocumentRow} */ row) => {
      const {session, name, num_confirmed: numConfirmed, num_segments: numRows, num_locked, last_ms: lastMs} = row;
      const document =
        known.get(session) ?? emptyDocument({session, name, numConfirmed, numSegments: 0, numRows, lastMs});
      document.name = name;
      if (session === this.own) return document;
      Object.assign(document, {numConfirmed, numSegments: numRows - num_locked, numRows});
      if (document.lastMs !== lastMs) document.isOld = document.rows !== null;
      document.lastMs = lastMs;
      return document;
    });
    this.#findBeyond();
    this.onList(drawn() !== before);
    this.#fill();
  }

  /** Finds the documents that are too many to be loaded by themselves. */
  #findBeyond() {
    let numRows = 0;
    for (const one of this.around(1)) {
      numRows += one.numRows;
      one.isBeyond = !one.rows && numRows > MAX_ROWS;
    }
  }

  /** Loads what is missing, one document after the other, the ones next to the open document first. */
  async #fill() {
    if (this.#isFilling) return;
    this.#isFilling = true;
    const tried = new Set();
    for (;;) {
      const next = this.isOn && this.around(1).find(one => !tried.has(one) && (one.rows ? one.isOld : !one.isBeyond));
      if (!next) break;
      tried.add(next);
      await this.load(next);
    }
    this.#isFilling = false;
  }

  /**
   * Loads the rows of a document, or the ones that have changed. Returns false if that was impossible.
   * @param {JoinedDocument} document
   */
  load(document) {
    if (document.rows && !document.isOld) return Promise.resolve(true);
    const begun = this.#loading.get(document);
    if (begun) return begun;
    const loading = this.#load(document).finally(() => this.#loading.delete(document));
    this.#loading.set(document, loading);
    return loading;
  }

  /** @param {JoinedDocument} document */
  async #load(document) {
    document.isOld = false;
    const isLoaded = await this.#ask(document);
    if (!isLoaded) document.isOld = document.rows !== null; // tried again with the next list
    return isLoaded;
  }

  /** @param {JoinedDocument} document */
  async #ask(document) {
    const {session, stamp} = document;
    if (document.rows && stamp !== null) {
      const result = await this.ask('joined_rows', {session, after: stamp});
      if (!result) return false;
      if (result.is_last) {
        document.stamp = result.stamp;
        if (!result.rows.length || session === this.own) return true;
        const rows = [...document.rows];
        for (const row of result.rows) rows[row.index] = row;
        this.#put(document, rows, document.order);
        this.onRows(document);
        return true;
      }
    }
    /** @type {Row[]} */
    const rows = [];
    /** @type {number[]} */
    const order = [];
    let first = null; // the stamp of the first portion: what changes meanwhile is asked for again
    for (let isLast = false; !isLast; ) {
      const result = await this.ask('joined_rows', {session, first: order.length});
      if (!result) return false;
      for (const row of result.rows) {
        rows[row.index] = row;
        order.push(row.index);
      }
      first ??= result.stamp;
      isLast = result.is_last;
    }
    document.stamp = first;
    if (session === this.own) return true; // it was opened meanwhile: the page has its rows
    this.#put(document, rows, order);
    this.onRows(document);
    return true;
  }
}

/* The documents that a person has open, one for each tab, and where they were left. The browser keeps the tabs for each
   person, also for the next visit, and the places for each window. */
import {drafts, readStored, unsentConstraints, writeStored} from './storage.js';

const TABS_KEY = 'pinpoint:documents'; // {person: {shown: token, tabs: OpenDocument[]}}
const MAX_TABS = 100; // as many as the server lists
const PLACES_KEY = 'pinpoint:places'; // {token: Place} of this window

/**
 * @param {'local' | 'session'} kind
 * @param {string} key
 * @returns {Record<string, any>}
 */
const readObject = (kind, key) => {
  try {
    const kept = JSON.parse(readStored(kind, key) ?? '{}');
    return kept && typeof kept === 'object' && !Array.isArray(kept) ? kept : {};
  } catch {
    return {}; // not JSON: nothing is kept
  }
};

/**
 * A document as it was kept, or nothing if it cannot be one.
 * @param {any} kept
 * @returns {OpenDocument[]}
 */
const checked = kept =>
  typeof kept?.token === 'string' && Number.isInteger(kept.session) && typeof kept.name === 'string'
    ? [
        {
          token: kept.token,
          session: kept.session,
          name: kept.name,
          numConfirmed: Number(kept.numConfirmed) || 0,
          numSegments: Number(kept.numSegments) || 0,
          numEdited: Number(kept.numEdited) || 0,
          place: isPlace(kept.place) ? kept.place : null,
        },
      ]
    : [];

/**
 * @param {any} kept
 * @returns {kept is Place}
 */
const isPlace = kept =>
  Number.isInteger(kept?.segment) && Number.isInteger(kept.start) && Number.isInteger(kept.end) && Boolean(kept.list);

/**
 * The tokens of the documents that this browser showed last, by person; the server answers the page of a new window
 * with the one of the person who signed in.
 * @returns {Record<string, string>}
 */
export const lastShown = () =>
  Object.fromEntries(
    Object.entries(readObject('local', TABS_KEY)).flatMap(([person, kept]) =>
      typeof kept?.shown === 'string' ? [[person, kept.shown]] : [],
    ),
  );

/** True if texts or constraints of a document were not stored by the server yet. @param {string} token */
export const hasUnsent = token => drafts.list(token).length > 0 || unsentConstraints.list(token).length > 0;

/**
 * The name of a document, with its folder if that is known: documents that were opened together may have the same name.
 * @param {OpenDocument | undefined} known
 * @param {string} name
 */
const withFolder = (known, name) => (known?.name.endsWith(`/${name}`) ? known.name : name);

/** @param {string} path */
const withoutFolder = path => path.slice(path.lastIndexOf('/') + 1);

export class OpenDocuments {
  /** @type {OpenDocument[]} in the order of the tabs */
  list = [];
  person = '';
  shown = ''; // the token of the document in this window

  /** Reads the tabs, which another window may have changed. The document in this window is always one of them. */
  read() {
    const here = this.list.find(one => one.token === this.shown);
    const kept = readObject('local', TABS_KEY)[this.person];
    if (!Array.isArray(kept?.tabs)) return; // the browser keeps nothing: this window knows its own tabs
    /** @type {OpenDocument[]} */
    const list = kept.tabs.flatMap(checked);
    const tokens = new Set();
    this.list = list.filter(({token}) => !tokens.has(token) && tokens.add(token));
    if (here && !tokens.has(here.token)) this.list.push(here);
  }

  #write() {
    const kept = readObject('local', TABS_KEY);
    kept[this.person] = {shown: this.shown, tabs: this.list};
    writeStored('local', TABS_KEY, JSON.stringify(kept));
  }

  /**
   * The name on a tab: without the folder, unless another tab has the same name.
   * @param {OpenDocument} document
   */
  label({name, token}) {
    const short = withoutFolder(name);
    return this.list.some(one => one.token !== token && withoutFolder(one.name) === short) ? name : short;
  }

  /** @param {string} token */
  has(token) {
    return this.list.some(one => one.token === token);
  }

  /**
   * Another document is in this window: its tab is added behind the one that was, or takes the place of `replaced`.
   * @param {Omit<OpenDocument, 'place'>} document
   * @param {string} person who works
   * @param {string} [replaced] the token of a document whose tab ends
   */
  show(document, person, replaced = '') {
    const before = this.shown;
    this.person = person;
    this.shown = '';
    this.read();
    this.shown = document.token;
    const known = this.list.find(one => one.token === document.token);
    const shown = {...document, name: withFolder(known, document.name), place: known?.place ?? null};
    if (known) this.list = this.list.map(one => (one === known ? shown : one));
    else {
      const after = this.list.findIndex(one => one.token === (replaced || before));
      this.list.splice(after < 0 ? this.list.length : after + 1, 0, shown);
    }
    if (replaced && replaced !== document.token) this.list = this.list.filter(({token}) => token !== replaced);
    const surplus = this.list.length - MAX_TABS;
    if (surplus > 0) this.list = this.list.filter((one, i) => i >= surplus || one === shown);
    this.#write();
  }

  /**
   * Adds documents behind the one of this window, without showing them.
   * @param {OpenDocument[]} added
   */
  add(added) {
    this.read();
    const at = this.list.findIndex(one => one.token === this.shown);
    this.list.splice(at + 1, 0, ...added.filter(({token}) => !this.has(token)));
    this.#write();
  }

  /**
   * The figures of the document in this window have changed. Returns whether the tab looks different.
   * @param {Pick<OpenDocument, 'name' | 'numConfirmed' | 'numSegments' | 'numEdited'>} figures
   */
  count(figures) {
    const here = this.list.find(one => one.token === this.shown);
    figures = {...figures, name: withFolder(here, figures.name)};
    if (!here || Object.entries(figures).every(([name, value]) => Reflect.get(here, name) === value)) return false;
    Object.assign(here, figures);
    return true;
  }

  /**
   * Takes the rows of the other documents from the server; null for one that is not there any more.
   * @param {string[]} tokens the documents that were asked for
   * @param {(DocumentRow | null)[]} rows
   */
  adopt(tokens, rows) {
    this.read();
    const found = new Map(tokens.map((token, i) => [token, rows[i]]));
    this.list = this.list.flatMap(one => {
      const row = found.get(one.token);
      if (row === undefined || one.token === this.shown) return one;
      if (row === null) return [];
      const {session, name, num_confirmed: numConfirmed, num_segments, num_locked} = row;
      return {...one, session, name, numConfirmed, numSegments: num_segments - num_locked};
    });
    this.#write();
  }

  /** @param {string} token */
  close(token) {
    this.read();
    this.list = this.list.filter(one => one.token !== token);
    this.#write();
  }

  /** The document to show when the one of this window is closed: the next one, or the one before if it is the last. */
  afterClosing() {
    const at = this.list.findIndex(one => one.token === this.shown);
    return this.list[at + 1] ?? this.list[at - 1];
  }

  /**
   * Keeps where the person is in the document of this window.
   * @param {Place} place
   */
  keepPlace(place) {
    const places = readObject('session', PLACES_KEY);
    places[this.shown] = place;
    writeStored('session', PLACES_KEY, JSON.stringify(places));
    this.read();
    const here = this.list.find(one => one.token === this.shown);
    if (!here) return;
    here.place = place;
    this.#write();
  }

  /**
   * Where the person left a document in this window, otherwise in another one if `segment` is still where they worked
   * last.
   * @param {string} token
   * @param {number} segment the one that the server knows
   * @returns {Place | null}
   */
  placeOf(token, segment) {
    const place = readObject('session', PLACES_KEY)[token];
    if (isPlace(place)) return place;
    const elsewhere = this.list.find(one => one.token === token)?.place;
    return elsewhere?.segment === segment ? elsewhere : null;
  }
}

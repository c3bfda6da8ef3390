/* The keys of each action: defaults, keys chosen instead (kept in the browser), and keys that cannot be chosen.
   Keys are written "Ctrl+Shift+Z", with the letter on the key, so that they work with every keyboard layout. */
import {h} from './dom.js';
import {readStored, writeStored} from './storage.js';
import {t} from './texts.js';

const STORE_KEY = 'pinpoint:keys';

/**
 * The actions of the whole window; the first of the keys is shown.
 * @type {Record<string, string[]>}
 */
export const DEFAULTS = {
  confirm: ['Ctrl+Enter'],
  pin: ['Alt+P'],
  next: ['Alt+ArrowDown'],
  previous: ['Alt+ArrowUp'],
  to_source: ['Ctrl+ArrowUp'],
  down: ['Ctrl+ArrowDown'],
  details: ['Alt+J'],
  ban_selection: ['Alt+Shift+B'],
  scope: ['Alt+Shift+P'],
  rest: ['Alt+R'],
  revise: ['Alt+Y'],
  revise_one: ['Alt+Shift+Y'],
  move_pin: ['Alt+Shift+ArrowRight'],
  free: ['Alt+L'],
  complete: ['Alt+C'],
  completing: ['Alt+Shift+C'],
  alternatives: ['Alt+A'],
  undo: ['Ctrl+Z'],
  redo: ['Ctrl+Shift+Z', 'Ctrl+Y'],
  case: ['Shift+F3'],
  source: ['Alt+I'],
  placeholder: ['Alt+N'],
  characters: ['Alt+Shift+I'],
  confidence: ['Alt+W'],
  comment: ['Alt+K'],
  approve: ['Ctrl+Shift+Enter'],
  return: ['Alt+Shift+R'],
  to_review: ['Alt+Shift+N'],
  remark: ['Alt+Shift+K'],
  match: ['Alt+Shift+1', 'Alt+Shift+2', 'Alt+Shift+3', 'Alt+Shift+4', 'Alt+Shift+5'],
  memory: ['Alt+M'],
  preview: ['Alt+V'],
  search: ['Ctrl+K'],
  goto: ['Ctrl+G'],
  documents: ['Alt+O'],
  joined: ['Alt+Shift+O'],
  next_document: ['Alt+PageDown'],
  previous_document: ['Alt+PageUp'],
  close_document: ['Alt+Shift+W'],
  replace: ['Ctrl+H'],
  split: ['Alt+Shift+X'],
  merge: ['Alt+Shift+J'],
  lock: ['Alt+Shift+L'],
  part: ['F6'],
  part_back: ['Shift+F6'],
  help: ['Alt+H'],
};

const EDITING = 'A C V X Z Y ArrowLeft ArrowRight Home End Backspace Delete'
  .split(' ')
  .flatMap(name => [`Ctrl+${name}`, `Ctrl+Shift+${name}`]);
const BROWSER = [
  'Alt+ArrowLeft',
  'Alt+ArrowRight',
  'Alt+Home',
  'Alt+F4',
  'Alt+D',
  'Alt+E',
  'Alt+F',
  'Alt+T',
  'Alt+Space',
  'Alt+Tab',
  'Alt+Escape',
  'F1',
  'F5',
  'F7',
  'F10',
  'F11',
  'F12',
  'Shift+F5',
  'Shift+F10',
  'Ctrl+Tab',
  'Ctrl+Shift+Tab',
  'Ctrl+F4',
  'Ctrl+F5',
  'Ctrl+Escape',
  'Ctrl+Space',
  ...'TWNQLRPSUJODF0123456789'.split('').map(letter => `Ctrl+${letter}`),
  ...'TWNQIJCKPOBRD'.split('').map(letter => `Ctrl+Shift+${letter}`),
  ...'0123456789'.split('').map(digit => `Alt+${digit}`),
];
const MODIFIERS = ['Control', 'Alt', 'Shift', 'Meta', 'AltGraph', 'OS', 'CapsLock', 'Fn', 'Dead'];

/**
 * The keys of an event in this notation; null for a modifier alone, AltGr, and while an input method composes.
 * @param {KeyboardEvent} event
 */
export const keysOf = event => {
  if (event.isComposing || event.keyCode === 229 || event.getModifierState('AltGraph') || MODIFIERS.includes(event.key))
    return null;
  // With Option, a Mac writes other letters: then the place of the key counts.
  const letter = /^[a-z]$/i.test(event.key) ? event.key : /^(?:Key|Digit)(.)$/.exec(event.code)?.[1];
  const name = letter?.toUpperCase() ?? event.code.replace(/^Numpad(?=Enter)/, '');
  return [(event.ctrlKey || event.metaKey) && 'Ctrl', event.altKey && 'Alt', event.shiftKey && 'Shift', name]
    .filter(Boolean)
    .join('+');
};

/** @type {Record<string, string>} */
let chosen = {};

/**
 * All keys of an action: the chosen ones, else the defaults.
 * @param {string} action
 */
export const keysFor = action => (chosen[action] ? [chosen[action]] : DEFAULTS[action]);
/** @param {string} action */
export const isChosen = action => action in chosen;

/**
 * The action that has these keys, or undefined.
 * @param {string} keys
 */
export const actionOf = keys => Object.keys(DEFAULTS).find(action => keysFor(action).includes(keys));

/**
 * Why an action cannot have these keys, as a sentence; empty if it can. An action can always have its default keys.
 * @param {string} action
 * @param {string} keys
 */
const reserved = (action, keys) => {
  if (DEFAULTS[action].includes(keys)) return '';
  const parts = keys.split('+');
  /** @param {string} modifier */
  const has = modifier => parts.includes(modifier);
  if (has('Ctrl') && has('Alt')) return t('rebind.altgr');
  if (!has('Ctrl') && !has('Alt') && !/^F\d+$/.test(parts.at(-1) ?? '')) return t('rebind.plain');
  if (BROWSER.includes(keys)) return t('rebind.browser', {keys: spelt(keys)});
  return EDITING.includes(keys) ? t('rebind.editing', {keys: spelt(keys)}) : '';
};

/**
 * @param {string} action
 * @param {string} keys
 */
const taken = (action, keys) => {
  const other = Object.keys(DEFAULTS).find(name => name !== action && keysFor(name).includes(keys));
  return other ? t('rebind.taken', {keys: spelt(keys), action: t(`keys.${other}`)}) : '';
};

/**
 * Gives an action other keys, or with null its default keys. Returns why it cannot, or an empty text.
 * @param {string} action
 * @param {string | null} keys
 */
export const bind = (action, keys) => {
  const wrong =
    keys === null
      ? DEFAULTS[action].map(own => taken(action, own)).find(Boolean)
      : reserved(action, keys) || taken(action, keys);
  if (wrong) return wrong;
  const {[action]: _, ...others} = chosen;
  chosen = keys === null || DEFAULTS[action][0] === keys ? others : {...others, [action]: keys};
  keep();
  return '';
};

export const bindNothing = () => {
  chosen = {};
  keep();
};

const keep = () => {
  writeStored('local', STORE_KEY, JSON.stringify(chosen));
  repaint();
};

/** Loads the keys kept in this browser, except keys that cannot be chosen any more. */
export const loadBindings = () => {
  let kept = {};
  try {
    kept = JSON.parse(readStored('local', STORE_KEY) ?? '{}') ?? {};
  } catch {
    /* not JSON: no chosen keys */
  }
  choose(kept);
};

/**
 * Chooses the keys of {action: keys} that are possible; returns the actions that were left out.
 * @param {Record<string, string>} bindings
 */
const choose = bindings => {
  /** @param {[string, unknown]} options */
  const isPossible = ([action, keys]) =>
    Object.hasOwn(DEFAULTS, action) && typeof keys === 'string' && !reserved(action, keys);
  chosen = Object.fromEntries(Object.entries(bindings).filter(isPossible));
  chosen = Object.fromEntries(Object.entries(chosen).filter(([action, keys]) => !taken(action, keys)));
  return Object.keys(bindings).filter(action => !(action in chosen));
};

/* ---- keys as a file, for another browser or a colleague ---- */
const FILE_FORMAT = 'pinpoint-keys-1';

export const bindingsFile = () =>
  `${JSON.stringify({format: FILE_FORMAT, keys: Object.fromEntries(Object.keys(DEFAULTS).map(action => [action, keysFor(action)[0]]))}, null, 2)}\n`;

/**
 * Chooses the keys of such a file; returns the actions that were left out, or null if it is not such a file.
 * @param {string} text
 */
export const bindFromFile = text => {
  let read = null;
  try {
    read = JSON.parse(text);
  } catch {
    /* not JSON */
  }
  if (read?.format !== FILE_FORMAT || typeof read.keys !== 'object' || read.keys === null) return null;
  const others = Object.entries(read.keys).filter(([action, keys]) => DEFAULTS[action]?.[0] !== keys);
  const left = choose(Object.fromEntries(others));
  keep();
  return left;
};

/* ---- how keys are shown ---- */
/** @type {Record<string, string>} */
const NAMES = {
  Ctrl: 'key.ctrl',
  Shift: 'key.shift',
  Space: 'key.space',
  Delete: 'key.delete',
  Escape: 'key.escape',
  End: 'key.end',
  Enter: 'key.enter',
  PageUp: 'key.page_up',
  PageDown: 'key.page_down',
};
/** @type {Record<string, string>} */
const ARROWS = {ArrowUp: '\u2191', ArrowDown: '\u2193', ArrowLeft: '\u2190', ArrowRight: '\u2192'};
/** @param {string} part */
export const nameOf = part => ARROWS[part] ?? (NAMES[part] ? t(NAMES[part]) : part);
/**
 * "Ctrl+Shift+Z" in the person's language, for use in a sentence.
 * @param {string} keys
 */
export const spelt = keys => keys.split('+').map(nameOf).join('+');
/** @param {string} action */
export const speltFor = action => spelt(keysFor(action)[0]);

/**
 * A key cap that shows an action's keys; it is updated when they change.
 * @param {string} action
 */
export const hint = action =>
  h('kbd', {'aria-hidden': 'true', 'data-keys-of': action}, keysFor(action)[0].split('+').map(nameOf).join(' '));
/**
 * The attributes that announce the keys of an action, for the element with the same action.
 * @param {string} action
 */
export const shortcut = action => ({
  'aria-keyshortcuts': keysFor(action)[0].replace('Ctrl', 'Control'),
  'data-shortcut-of': action,
});

/**
 * @param {string} selector
 * @returns {NodeListOf<HTMLElement>}
 */
const elements = selector => document.querySelectorAll(selector);

const repaint = () => {
  for (const element of elements('[data-keys-of]')) element.replaceWith(hint(element.dataset.keysOf ?? ''));
  for (const element of elements('[data-shortcut-of]')) {
    for (const [name, value] of Object.entries(shortcut(element.dataset.shortcutOf ?? '')))
      element.setAttribute(name, value);
  }
};

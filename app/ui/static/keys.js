/* Keys of the whole window. AltGr and keys of an input method are ignored; on a Mac, Command means Ctrl. */

import {actionOf, DEFAULTS, keysOf} from './core/key_bindings.js';
import {openCharacters} from './dialogs/characters.js';
import {openDocuments} from './dialogs/documents.js';
import {openGoTo} from './dialogs/go_to.js';
import {openKeySheet} from './dialogs/key_sheet.js';
import {openReplace} from './dialogs/replace.js';
import {changeCase, insertPlaceholder, insertText} from './editor/text_commands.js';

const EVERYWHERE = [
  ...['documents', 'next_document', 'previous_document', 'close_document'],
  ...['help', 'part', 'part_back'],
]; // the others act on the document, not on other pages

/**
 * @param {Bench} bench
 * @param {HTMLElement} root
 */
export const listenToKeys = (bench, root) => {
  const isOurs = () =>
    root.isConnected &&
    (root.contains(document.activeElement) || document.activeElement === document.body) &&
    !root.querySelector('dialog[open]');
  document.addEventListener(
    'keydown',
    event => {
      const keys = keysOf(event);
      if (!keys || !isOurs()) return;
      const name = actionOf(keys) ?? '';
      if (bench.pages.isOpen && !EVERYWHERE.includes(name)) return;
      if (ACTIONS[name] && bench.meanwhile.hold(() => ACTIONS[name](bench, placeOf(bench), keys)?.())) {
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      const place = placeOf(bench);
      const action = completionAction(bench, keys, place) ?? ACTIONS[name]?.(bench, place, keys);
      if (!action) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    },
    true,
  );
};

/**
 * The place of the focus: "field", "source", "hypotheses", "input" for another input, or "".
 * @param {{segment: Segment}} options
 */
const placeOf = ({segment}) => {
  const focused = document.activeElement;
  return focused === segment.text.field.area
    ? 'field'
    : segment.layout.sourceHost.contains(focused)
      ? 'source'
      : segment.offers.hypotheses.list.contains(focused)
        ? 'hypotheses'
        : ['INPUT', 'TEXTAREA'].includes(focused?.tagName ?? '')
          ? 'input'
          : '';
};

/**
 * The action of a key while a completion is shown. Escape also cancels a request whose answer the field waits for, and
 * dismisses an offer, or else the newest notice.
 * @param {Pick<Bench, 'segment' | 'notes'>} bench
 * @param {string} keys
 * @param {string} place
 */
const completionAction = ({segment, notes}, keys, place) => {
  const {completion, rest, revision, offers} = segment;
  if (keys === 'Escape' && offers.isAsking) return () => offers.dismissQuestion();
  if (place !== 'field') return null;
  if (keys === 'Escape' && completion.isAsked) return () => completion.dismiss();
  if (keys === 'Escape' && rest.asked && !completion.isShown) return () => rest.cancel();
  if (keys === 'Escape' && !completion.isShown)
    return () => (revision.isOffered ? revision.dismiss() : notes.dismiss());
  if (!completion.isShown) return null;
  if ((keys === 'Tab' || keys === `Ctrl+${completion.forward}`) && completion.isAtCaret)
    return () => completion.take(true);
  if (keys === 'End' && completion.isAtCaret) return () => completion.take(false);
  return keys === 'Escape' ? () => completion.dismiss() : null;
};

/**
 * @param {Bench} bench
 * @param {number} step
 */
const goTo = (bench, step) => {
  const next = bench.list.neighbour(step);
  if (next !== null) bench.openSegment(next);
  else if (bench.joined.isOn) bench.joined.stepOut(step);
};

/**
 * Moves the focus to the next part of the window, or with -1 to the part before.
 * @param {Bench} bench
 * @param {number} step
 */
const focusNextPart = ({root, segment, pages}, step) => {
  /** @type {[HTMLElement | null, string][]} */
  const places = [
    [pages.page?.element ?? null, 'a.btn'],
    [root.querySelector('.head'), '.headend button'],
    [root.querySelector('.joinedbar:not([hidden])'), 'button'],
    [root.querySelector('.doctabs'), '[role=tab][tabindex="0"]'],
    [root.querySelector('.tools'), 'button[aria-pressed=true]'],
    [segment.layout.element, '#pinpoint-edit'],
    [segment.offers.hypotheses.element, 'button'],
    [root.querySelector('.side'), '[aria-selected=true]'],
    [root.querySelector('.notes'), 'button'],
    [root.querySelector('.coach'), '.btn'],
  ];
  const parts = places.filter(([host, selector]) => host?.querySelector(selector) && !host.closest('[inert]'));
  const at = parts.findLastIndex(([host]) => host?.contains(document.activeElement));
  const [host, selector] = parts[(at + step + parts.length) % parts.length];
  host?.querySelector(selector)?.focus();
};

/**
 * The effect of each action, depending on the focus; null leaves the keys to the browser.
 * @type {Record<string, (bench: Bench, place: string, keys: string) => (() => unknown) | null>}
 */
const ACTIONS = {
  confirm:
    ({segment}) =>
    () =>
      segment.confirmation.press(),
  pin:
    ({segment}) =>
    () =>
      segment.pinSelection(),
  next: bench => () => goTo(bench, 1),
  previous: bench => () => goTo(bench, -1),
  to_source: ({segment}, place) =>
    place === 'input' || place === 'source'
      ? null
      : place === 'hypotheses'
        ? () => segment.focusField()
        : () => segment.alignment.focusSource(),
  down: ({segment}, place) =>
    ({
      field: () => {
        if (!segment.offers.hypotheses.isOpen) segment.view.togglePanel();
        segment.offers.hypotheses.focus();
      },
      source: () => segment.alignment.focusField(),
    })[place] ?? null,
  ban_selection:
    ({segment}) =>
    () =>
      segment.banSelection(),
  details:
    ({segment}) =>
    () =>
      segment.view.togglePanel(),
  scope:
    ({segment}) =>
    () =>
      segment.widen(),
  rest:
    ({segment}) =>
    () =>
      segment.rest.ask(),
  revise:
    ({segment}) =>
    () =>
      segment.revision.take(null),
  revise_one:
    ({segment}) =>
    () =>
      segment.revision.take(0),
  move_pin: ({segment}, place) => (place === 'field' ? () => segment.places.next() : null),
  free:
    ({segment}) =>
    () =>
      segment.constraints.toggleFree(),
  complete:
    ({segment}) =>
    () =>
      segment.completion.complete(),
  completing:
    ({segment}) =>
    () =>
      segment.completion.toggle(),
  alternatives:
    ({segment}) =>
    () =>
      segment.offers.askAlternatives(),
  undo: ({segment}, place) => (place === 'input' ? null : () => segment.step(true)),
  redo: ({segment}, place) => (place === 'input' ? null : () => segment.step(false)),
  case: ({segment}, place) => (place === 'field' ? () => changeCase(segment.text) : null),
  source: ({segment}, place) =>
    place === 'input' ? null : () => segment.text.insert(segment.current.row.source, 'source'),
  placeholder: (bench, place) => (place === 'input' ? null : () => insertPlaceholder(bench, bench.segment.text)),
  characters: (bench, place) =>
    place === 'input' ? null : () => openCharacters(bench, text => insertText(bench.segment.text, text)),
  confidence:
    ({segment}) =>
    () =>
      segment.view.toggleConfidence(),
  comment:
    ({segment}) =>
    () =>
      segment.comment.edit(),
  approve: ({segment}) => (segment.review.isOn ? () => segment.review.approve() : null),
  return: ({segment}) => (segment.review.isOn ? () => segment.review.return() : null),
  to_review: ({segment}) => (segment.review.isOn ? () => segment.review.next() : null),
  remark: ({segment}) => (segment.review.isOn ? () => segment.review.edit() : null),
  search:
    ({list}) =>
    () => {
      list.filter.searchField.focus();
      list.filter.searchField.select();
    },
  goto: bench => () => openGoTo(bench),
  documents: bench => () => openDocuments(bench),
  joined:
    ({joined}) =>
    () =>
      joined.toggle(),
  next_document: ({tabs, joined}) => (joined.isOn ? () => joined.step(1) : tabs.isRow ? () => tabs.step(1) : null),
  previous_document: ({tabs, joined}) =>
    joined.isOn ? () => joined.step(-1) : tabs.isRow ? () => tabs.step(-1) : null,
  close_document: ({tabs}) => (tabs.isRow ? () => tabs.close() : null),
  match:
    ({side}, _place, keys) =>
    () =>
      side.memory.insert(Math.max(0, DEFAULTS.match.indexOf(keys))),
  memory:
    ({side}) =>
    () =>
      side.openMemory(),
  preview:
    ({side}) =>
    () =>
      side.togglePreview(),
  split:
    ({segment}) =>
    () =>
      segment.split(),
  merge:
    ({segment}) =>
    () =>
      segment.merge(),
  lock:
    ({segment}) =>
    () =>
      segment.lock(),
  replace: bench => () => openReplace(bench),
  part: bench => () => focusNextPart(bench, 1),
  part_back: bench => () => focusNextPart(bench, -1),
  help: bench => () => openKeySheet(bench),
};

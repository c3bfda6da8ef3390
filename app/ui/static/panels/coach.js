/* Three marks on the first visit, beside what they explain: a pin, the terms, and the confirmation. Shown once in a
   browser; Enter goes on, Escape dismisses them. The mark of the pin is over the text: it makes way as soon as the person
   types there or opens another segment. They are gone when another document is opened. */
import {button, h, t} from '../core/dom.js';
import {speltFor} from '../core/key_bindings.js';
import {readStored, writeStored} from '../core/storage.js';

const STORE_KEY = 'pinpoint:welcomed';
const EDGE = 12; // pixels kept free at the sides of the window
/** @type {[name: string, selector: string][]} */
const MARKS = [
  ['pin', '.field .pin'],
  ['terms', '#pinpoint-panel-terms > :last-child'], // below all that the panel shows
  ['confirm', '.actions .primary'],
];

/**
 * Shows the marks as soon as the text of the sample has a pin, unless they were shown before. Resolves when there are none, or
 * no more: until then, nothing else asks for attention.
 * @param {HTMLElement} root
 * @param {() => boolean} isSample whether the document is the sample
 * @param {() => void} onLeave returns the focus
 * @returns {Promise<void>}
 */
export const welcome = (root, isSample, onLeave) =>
  new Promise(resolve => {
    if (readStored('local', STORE_KEY) || !isSample()) {
      resolve();
      return;
    }
    const observer = new MutationObserver(() => {
      if (isSample() && !root.querySelector('.doc:not([inert]) .field[aria-busy=false] .pin')) return;
      observer.disconnect();
      if (!isSample()) {
        resolve();
        return;
      }
      /** @param {boolean} hadFocus */
      const leave = hadFocus => {
        if (hadFocus) onLeave();
        resolve();
      };
      if (writeStored('local', STORE_KEY, 'yes')) show(root, isSample, leave);
      else resolve();
    });
    observer.observe(root, {subtree: true, childList: true, attributes: true, attributeFilter: ['aria-busy', 'inert']});
  });

/**
 * @param {HTMLElement} root
 * @param {() => boolean} isSample
 * @param {(hadFocus: boolean) => void} onLeave
 */
const show = (root, isSample, onLeave) => {
  let at = 0;
  const marks = MARKS.filter(([, selector]) => root.querySelector(selector)?.checkVisibility()); // a narrow window has no panel
  const text = h('p', {role: 'status'});
  const next = button('.btn.small', {onclick: () => step()});
  const skip = button('.link', {onclick: () => close()}, t('coach.skip'));
  const number = h('span.muted.num');
  const element = h(
    'div.coach',
    {role: 'region', 'aria-label': t('coach.label')},
    text,
    h('div.acts', number, skip, next),
  );
  const close = () => {
    const hasFocus = element.contains(document.activeElement);
    removeEventListener('resize', place);
    root.removeEventListener('input', leavePin);
    segmentOpened.disconnect();
    documentOpened.disconnect();
    element.remove();
    onLeave(hasFocus);
  };
  const step = () => {
    at++;
    if (at < marks.length) paint();
    else close();
  };
  const leavePin = () => {
    if (at === 0) step();
  };
  const segmentOpened = new MutationObserver(() => (at === marks.length - 1 ? close() : leavePin()));
  const documentOpened = new MutationObserver(() => isSample() || close());
  /** Under what it explains, or above it. */
  const place = () => {
    const anchor = root.querySelector(marks[at][1])?.getBoundingClientRect();
    if (!anchor) return;
    const isBelow = anchor.bottom + element.offsetHeight + EDGE < innerHeight;
    const room = innerWidth - element.offsetWidth - EDGE;
    element.style.left = `${Math.max(EDGE, Math.min(anchor.left, room))}px`;
    element.style.top = `${isBelow ? anchor.bottom + EDGE : anchor.top - element.offsetHeight - EDGE}px`;
  };
  const paint = () => {
    const [name] = marks[at];
    text.textContent = t(`coach.${name}`, {keys: speltFor('confirm'), pin: speltFor('pin')});
    number.textContent = t('coach.number', {n: at + 1, total: marks.length});
    next.textContent = t(at === marks.length - 1 ? 'coach.done' : 'coach.next');
    place();
  };
  element.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
  root.append(element);
  addEventListener('resize', place);
  root.addEventListener('input', leavePin);
  /** @type {[MutationObserver, string][]} */
  const observed = [
    [segmentOpened, '.editor .no'],
    [documentOpened, '.docinfo .name'],
  ];
  for (const [observer, selector] of observed) {
    const open = root.querySelector(selector);
    if (open) observer.observe(open, {subtree: true, childList: true, characterData: true});
  }
  paint(); // the focus stays in the text: F6 leads here
};

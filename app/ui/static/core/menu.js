/* Menus: a button that opens a list of choices, in groups. */
import {button, h, icon} from './dom.js';

/**
 * A button that opens a list of choices; Escape and a click elsewhere close it.
 * @param {string} label
 * @param {HTMLElement} opener
 * @param {() => (Node | string)[]} fill
 */
export const menu = (label, opener, fill) => {
  const items = h('div.items', {role: 'menu', 'aria-label': label, hidden: true});
  const element = h('div.menu', opener, items);
  const close = () => {
    items.hidden = true;
    opener.setAttribute('aria-expanded', 'false');
  };
  opener.setAttribute('aria-haspopup', 'menu');
  opener.setAttribute('aria-expanded', 'false');
  opener.addEventListener('click', () => {
    if (!items.hidden) {
      close();
      return;
    }
    items.replaceChildren(...fill());
    items.hidden = false;
    opener.setAttribute('aria-expanded', 'true');
    items.querySelector('.item:not([disabled])')?.focus();
  });
  items.addEventListener('click', event => {
    if (/** @type {HTMLElement} */ (event.target).closest('.item')) close();
  });
  document.addEventListener('mousedown', event => {
    if (!element.contains(/** @type {Node} */ (event.target))) close();
  });
  element.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !items.hidden) {
      close();
      opener.focus();
      event.stopPropagation();
      return;
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step || items.hidden) return;
    const all = [...items.querySelectorAll('.item:not([disabled])')];
    all[(all.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step + all.length) % all.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  return element;
};
/**
 * Choices under a heading; several groups are beside each other where there is room.
 * @param {string} label
 * @param {...HTMLElement} choices
 */
export const group = (label, ...choices) =>
  h('div.group', {role: 'group', 'aria-label': label}, h('div.label', {'aria-hidden': 'true'}, label), choices);

/**
 * @param {string} iconName "" leaves the place of the icon empty
 * @param {string} label
 * @param {Child} detail
 * @param {(() => unknown) | null} action null if it cannot be chosen now
 */
export const choice = (iconName, label, detail, action) =>
  button(
    '.item',
    {role: 'menuitem', onclick: action ?? undefined, disabled: action === null},
    iconName ? icon(iconName) : h('span'),
    h('b', label),
    detail && h('span.d', detail),
  );

/* Creates all elements of the page. Texts become text nodes and attributes, never HTML. */
export {count, number, t, tn} from './texts.js'; // most users of this module need them too

/**
 * h('button.btn.small', {type: 'button', onclick: f}, 'text', child, [more]) -> element
 * @template {string} S
 * @param {S} selector
 * @param {Attributes | Child} [first] `onNAME` is a listener of the event NAME; false, null and undefined are left out. A
 *   child, if there are no attributes
 * @param {...Child} children
 * @returns {ElementOf<S>}
 */
export const h = (selector, first, ...children) => {
  const [tag, ...classes] = selector.split('.');
  const element = document.createElement(tag || 'span');
  if (classes.length) element.className = classes.join(' ');
  if (isChild(first)) append(element, [first]);
  else
    for (const [name, value] of Object.entries(first)) {
      if (value === false || value == null) continue;
      if (typeof value === 'function') element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? '' : String(value));
    }
  append(element, children);
  return /** @type {ElementOf<S>} */ (element);
};

/** @param {Attributes | Child} part @returns {part is Child} */
const isChild = part => !part || Object.getPrototypeOf(part) !== Object.prototype;

/**
 * @param {Element} element
 * @param {Child[]} children
 */
export const append = (element, children) => {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child != null && child !== false) element.append(child instanceof Node ? child : String(child));
  }
};

/**
 * @param {string} name
 * @param {boolean} [isSmall]
 */
export const icon = (name, isSmall) => h(`span.icon.i-${name}${isSmall ? '.s' : ''}`, {'aria-hidden': 'true'});
const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b/;
/** @param {string} lang */
export const isRightToLeft = lang => RIGHT_TO_LEFT.test(lang);
/**
 * The attributes of a text in that language; right-to-left text starts on the right, even if its first letter is Latin.
 * @param {string} lang
 */
export const textIn = lang => ({lang, dir: isRightToLeft(lang) ? 'rtl' : 'auto'});
/**
 * A text for screen readers only.
 * @param {string} text
 */
export const sr = text => h('span.sr', text);
/**
 * @param {string} classes such as '.btn.small'
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export const button = (classes, attributes, ...children) =>
  /** @type {HTMLButtonElement} */ (h(`button${classes}`, {type: 'button', ...attributes}, ...children));

/** @type {WeakMap<HTMLElement, string>} */
const titles = new WeakMap(); // of barred controls, without the reason

/**
 * Shows that a control does nothing now, and why, also to screen readers: it keeps its place in the order of Tab, and a
 * click on it says the reason. "" for the reason shows it as usual.
 * @param {HTMLElement} control
 * @param {string} reason
 */
export const bar = (control, reason) => {
  if (reason) {
    if (!titles.has(control)) titles.set(control, control.title);
    control.title = reason;
    control.setAttribute('aria-disabled', 'true');
    control.setAttribute('aria-description', reason);
  } else if (titles.has(control)) {
    control.title = titles.get(control) ?? '';
    titles.delete(control);
    control.removeAttribute('aria-disabled');
    control.removeAttribute('aria-description');
  }
};

/**
 * The head of a table.
 * @param {...(string | Element)} cells their texts, or cells
 */
export const tableHead = (...cells) =>
  h(
    'thead',
    h(
      'tr',
      cells.map(cell => (typeof cell === 'string' ? h('th', {scope: 'col'}, cell) : cell)),
    ),
  );

/**
 * Sets a text only if it changed, so that it is not repainted or announced twice.
 * @param {Element} element
 * @param {string} text
 */
export const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/**
 * Shows these children, in this order. A child that is in its place is not moved, as it would lose the focus.
 * @param {Element} parent
 * @param {Element[]} children
 */
export const showChildren = (parent, children) => {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, i) => {
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
  });
};

/**
 * Paints, and focuses the control that had the focus inside `element` again if painting replaced or moved it: the one
 * with the same `data-act`.
 * @param {Element} element
 * @param {() => void} paint
 */
export const keepingFocus = (element, paint) => {
  const focused = document.activeElement;
  const act = focused && element.contains(focused) ? focused.getAttribute('data-act') : null;
  paint();
  if (!act || document.activeElement === focused) return;
  [...element.querySelectorAll('[data-act]:enabled')].find(control => control.dataset.act === act)?.focus();
};

/* The only way DOM is made here: text goes in through text nodes and attributes, never through HTML. */
export {count, number, t, tn} from './texts.js'; // what nearly every part needs beside its elements

/** h('button.btn.small', {type: 'button', onclick: f}, 'text', child, [more]) -> element */
export const h = (selector, props = {}, ...children) => {
  const [tag, ...classes] = selector.split('.');
  const element = document.createElement(tag || 'span');
  if (classes.length) element.className = classes.join(' ');
  for (const [name, value] of Object.entries(props)) {
    if (value === false || value == null) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(9)) {
    if (child != null && child !== false) element.append(child.nodeType ? child : document.createTextNode(child));
  }
  return element;
};
export const icon = (name, small) => h(`span.icon.i-${name}${small ? '.s' : ''}`, {'aria-hidden': 'true'});
const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b/;
export const isRightToLeft = lang => RIGHT_TO_LEFT.test(lang);
/** The attributes of a text in that language: one that is written from the right begins there, whatever its first letter. */
export const textIn = lang => ({lang, dir: isRightToLeft(lang) ? 'rtl' : 'auto'});
export const sr = text => h('span.sr', {}, text);
export const button = (classes, props, ...children) => h(`button${classes}`, {type: 'button', ...props}, ...children);

/** Sets text only where it changed, so that nothing is repainted or announced twice. */
export const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/* The only way DOM is made here: text goes in through text nodes and attributes, never through HTML. */

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
export const icon = (name, small) => h('span.icon.i-' + name + (small ? '.s' : ''), {'aria-hidden': 'true'});
export const sr = text => h('span.sr', {}, text);
export const button = (classes, props, ...children) => h('button' + classes, {type: 'button', ...props}, ...children);

/** Sets text only where it changed, so that nothing is repainted or announced twice. */
export const setText = (element, text) => { if (element.textContent !== text) element.textContent = text; };

/** -0.412 with a true minus sign; a gap has its plus sign. */
export const number = (value, digits = 3, signed = false) => {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? '\u2212' : signed ? '+' : '') + text;
};
export const count = value => value.toLocaleString('en-US');

let texts = {};
export const loadTexts = async url => { texts = await (await fetch(url)).json(); };
/** The interface text of that key, with {name} replaced. */
export const t = (key, values = {}) => {
  const text = texts[key];
  if (text === undefined) { console.error('no interface text for', key); return key; }
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
};
/** One of two texts: key.one for 1, else key.many. */
export const tn = (key, n, values = {}) => t(key + (n === 1 ? '.one' : '.many'), {n: count(n), ...values});

/* Every key and what it does: for the panel at the side, and as a sheet that can be searched. */
import {button, h, icon, setText, t} from './dom.js';

const KEYS = [
  ['confirm', 'Ctrl', 'Enter'], ['pin', 'Alt', 'P'], ['segments', 'Alt', '\u2191', '\u2193'], ['proposal', 'Ctrl', '\u2191'], ['aligned', 'Ctrl', '\u2191'],
  ['words', '\u2190', '\u2192'], ['press', 'Space'], ['phrase', 'Shift', '\u2190', '\u2192'], ['scope', 'Alt', 'Shift', 'P'],
  ['ban', 'Del'], ['rest', 'Alt', 'R'], ['complete', 'Alt', 'C'], ['take', 'Tab'], ['take_word', 'Ctrl', '\u2192'],
  ['alternatives', 'Alt', 'A'], ['back', 'Esc'], ['undo', 'Ctrl', 'Z'], ['redo', 'Ctrl', 'Shift', 'Z'], ['case', 'Shift', 'F3'],
  ['source', 'Alt', 'I'], ['match', 'Alt', '1'], ['memory', 'Alt', 'M'], ['search', 'Ctrl', 'K'], ['goto', 'Ctrl', 'G'], ['split', 'Alt', 'Shift', 'X'], ['merge', 'Alt', 'Shift', 'J'], ['replace', 'Ctrl', 'H'], ['part', 'F6'], ['help', 'Alt', 'H'],
];

/** [{text, nodes}]: what a key does and how it is written, as text to search in and as two elements. */
export const keyRows = () => KEYS.map(([name, ...keys]) => ({text: [t('keys.' + name), ...keys].join(' ').toLowerCase(),
  nodes: [h('dt', {}, t('keys.' + name)), h('dd', {}, keys.map(key => h('kbd', {}, key)))]}));

export const openKeySheet = bench => {
  const before = document.activeElement;
  const close = () => { dialog.close(); dialog.remove(); before?.focus?.({preventScroll: true}); };
  const rows = keyRows();
  const found = h('p.sr', {role: 'status'});
  const list = h('dl.keys', {}, rows.map(row => row.nodes));
  const search = h('input', {type: 'text', placeholder: t('sheet.search'), 'aria-label': t('sheet.search'), autocomplete: 'off', oninput: () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = rows.filter(row => words.every(word => row.text.includes(word)));
    list.replaceChildren(...shown.flatMap(row => row.nodes));
    setText(found, t('sheet.found', {n: shown.length}));
  }});
  const dialog = h('dialog.small', {'aria-labelledby': 'pinpoint-keys', oncancel: event => { event.preventDefault(); close(); }},
    h('div.dh', {}, h('h2', {id: 'pinpoint-keys'}, t('side.keys')), button('.x', {'aria-label': t('close'), onclick: close}, icon('x'))),
    h('div.db', {}, h('div.line', {}, search), found, list, h('p.muted', {}, t('keys.note'))),
    h('div.df', {}, button('.btn.primary', {onclick: close}, t('close'))));
  bench.root.append(dialog);
  dialog.showModal();
  search.focus();
};

/** Ctrl+G: to a segment by its number. */
export const openGoTo = bench => {
  const close = () => { dialog.close(); dialog.remove(); bench.focusEditor(); };
  const input = h('input', {type: 'number', min: 1, max: bench.order.length, required: true, 'aria-label': t('goto.label', {n: bench.order.length})});
  const go = event => {
    event.preventDefault();
    const number = input.valueAsNumber;
    close();
    if (bench.order[number - 1] !== undefined) bench.openSegment(bench.order[number - 1]);
  };
  const dialog = h('dialog.small', {'aria-labelledby': 'pinpoint-goto', oncancel: event => { event.preventDefault(); close(); }},
    h('form', {onsubmit: go}, h('div.dh', {}, h('h2', {id: 'pinpoint-goto'}, t('goto.title')), button('.x', {'aria-label': t('close'), onclick: close}, icon('x'))),
      h('div.db', {}, h('label.line', {}, h('span', {}, t('goto.label', {n: bench.order.length})), input)),
      h('div.df', {}, button('.btn', {onclick: close}, t('close')), h('button.btn.primary', {type: 'submit'}, t('goto.go')))));
  bench.root.append(dialog);
  dialog.showModal();
  input.focus();
};

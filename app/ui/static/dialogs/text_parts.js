/* In the import settings: which keys of JSON or YAML are translated, and what the elements of XML are. */
import {h, setText, t, tableHead, tn} from '../core/dom.js';

const PAUSE_MS = 400; // after a key, before the rules are tried

/**
 * Rules as lines of text, and a table of the parts, in which a choice changes the rules. The server applies them.
 * @param {Pick<Bench, 'connection'>} bench
 * @param {ReadingChoice} choice
 * @param {() => void} onChange
 */
export const partsField = (bench, choice, onChange) => {
  let {parts, num_parts: numParts, problem} = choice;
  const before = choice.rules.join('\n');
  const rules = h('textarea.code', {
    rows: 4,
    spellcheck: false,
    'aria-describedby': 'pinpoint-part-rules',
    oninput: () => later(),
  });
  rules.value = before;
  const keeps = h('input', {type: 'checkbox', checked: choice.is_kept, onchange: () => onChange()});
  const warning = h('p.wrong', {role: 'alert'});
  const table = h('div.tblscroll', {tabindex: 0, role: 'group', 'aria-label': t('parts.title')});
  const lines = () =>
    rules.value
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean);
  const text = () => lines().join('\n');
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(tryRules, PAUSE_MS);
    onChange();
  };
  const tryRules = async () => {
    clearTimeout(timer);
    const number = ++asked;
    const reply = await bench.connection.send('reading', {rules: lines()}, 'parts');
    if (number !== asked || !reply.ok) return;
    problem = reply.result.problem;
    if (!problem) ({parts, num_parts: numParts} = reply.result);
    paint();
    onChange();
  };
  /**
   * @param {TextPart} part
   * @param {string} use
   */
  const choose = (part, use) => {
    const others = lines().filter(line => !part.uses.some(one => line === `${one} ${part.name}`));
    rules.value = [...others, `${use} ${part.name}`].join('\n');
    tryRules();
  };
  /** @param {TextPart} part */
  const row = part => {
    const select = h(
      'select',
      {'aria-label': part.name, onchange: event => choose(part, event.target.value)},
      part.uses.map(use => h('option', {value: use, selected: use === part.use}, t(`parts.use.${use}`))),
    );
    return h(
      'tr',
      h('th.code', {scope: 'row'}, part.name),
      h('td', select),
      h('td.num', String(part.num)),
      h('td', {dir: 'auto'}, part.text),
    );
  };
  const paint = () => {
    setText(warning, problem);
    const focused = document.activeElement?.getAttribute('aria-label');
    const inTable = table.contains(document.activeElement);
    table.replaceChildren(
      h(
        'table',
        tableHead(t('parts.part'), t('parts.use'), t('parts.num'), t('parts.text')),
        h('tbody', parts.map(row)),
      ),
      numParts > parts.length ? h('p.muted', tn('parts.more', numParts - parts.length)) : '',
    );
    if (inTable && focused)
      /** @type {HTMLElement | undefined} */
      ([...table.querySelectorAll('select')].find(one => one.getAttribute('aria-label') === focused))?.focus();
  };
  paint();
  return {
    element: h(
      'fieldset.parts',
      h('legend', t('parts.title')),
      table,
      h('label.line', h('span', t('parts.rules')), rules),
      h('p.muted', {id: 'pinpoint-part-rules'}, t('parts.note')),
      warning,
      h('label.check', keeps, t('parts.keep')),
    ),
    rules: lines,
    isChanged: () => text() !== before || keeps.checked !== choice.is_kept,
    isUsable: () => !problem,
    /** True if the project keeps the rules; null leaves it as it is. */
    keeps: () => (keeps.checked || choice.is_kept ? keeps.checked : null),
  };
};

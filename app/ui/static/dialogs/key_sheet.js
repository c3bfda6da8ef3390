/* All keys with their actions: a dialog that searches them and changes keys. */
import {Dialog} from '../core/dialog.js';
import {button, h, icon, setText, t, tn} from '../core/dom.js';
import {
  bind,
  bindFromFile,
  bindingsFile,
  bindNothing,
  DEFAULTS,
  hint,
  isChosen,
  keysOf,
  nameOf,
  spelt,
} from '../core/key_bindings.js';

/**
 * Keys that work in one place only; they cannot be changed.
 * @type {Record<string, string[]>}
 */
const FIXED = {
  hypotheses: ['ArrowUp', 'ArrowDown'],
  use: ['1', '\u2026', '9'],
  words: ['ArrowLeft', 'ArrowRight'],
  press: ['Space'],
  phrase: ['Shift', 'ArrowLeft', 'ArrowRight'],
  take_word: ['Tab'],
  take_arrow: ['Ctrl', 'ArrowRight'],
  take: ['End'],
  back: ['Escape'],
};
const ORDER = [
  'confirm',
  'pin',
  'next',
  'previous',
  'to_source',
  'down',
  'details',
  'hypotheses',
  'use',
  'words',
  'press',
  'phrase',
  'move_pin',
  'scope',
  'ban_selection',
  'rest',
  'revise',
  'revise_one',
  'free',
  'complete',
  'completing',
  'take_word',
  'take_arrow',
  'take',
  'alternatives',
  'back',
  'undo',
  'redo',
  'case',
  'source',
  'placeholder',
  'characters',
  'comment',
  'approve',
  'return',
  'to_review',
  'remark',
  'confidence',
  'match',
  'memory',
  'search',
  'goto',
  'documents',
  'joined',
  'next_document',
  'previous_document',
  'close_document',
  'split',
  'merge',
  'lock',
  'replace',
  'part',
  'part_back',
  'help',
];
const ALL = [...ORDER, ...Object.keys(DEFAULTS).filter(action => !ORDER.includes(action))];

/** @param {string} action */
const caps = action => (FIXED[action] ? FIXED[action].map(part => h('kbd', nameOf(part))) : hint(action));

/** [{action, label, nodes}]: `nodes` are the name of the action and its keys, as two elements. */
const keyRows = () =>
  ALL.map(action => ({
    action,
    label: t(`keys.${action}`),
    nodes: [h('dt', t(`keys.${action}`)), h('dd', caps(action))],
  }));

/** @param {Pick<Bench, 'root'>} bench */
export const openKeySheet = bench => {
  const before = document.activeElement;
  const close = () => dialog.close();
  const problem = h('p.wrong.grow', {role: 'alert'});
  const found = h('p.sr', {role: 'status'});
  const list = h('dl.keys.wide');
  /** @type {{action: string, control: HTMLElement} | null} */
  let asked = null; // the action that gets the next keys pressed

  const rows = keyRows().map(row => {
    if (!DEFAULTS[row.action]) return {...row, reset: null};
    const change = button(
      '.btn.small.quiet',
      {'aria-label': t('rebind.change.of', {action: row.label}), onclick: () => ask(row.action, change)},
      t('rebind.change'),
    );
    const reset = button(
      '.x',
      {
        'aria-label': t('rebind.reset.of', {action: row.label}),
        title: t('rebind.reset'),
        onclick: () => {
          settle(bind(row.action, null));
          change.focus();
        },
      },
      icon('undo', true),
    );
    row.nodes[1].append(change, reset);
    return {...row, reset};
  });
  const paint = () =>
    rows.forEach(row => {
      if (row.reset) row.reset.hidden = !isChosen(row.action);
    });
  /** @param {string} wrong */
  const settle = wrong => {
    setText(problem, wrong);
    paint();
    show();
  };
  /**
   * @param {string} action
   * @param {HTMLElement} control
   */
  const ask = (action, control) => {
    leave();
    asked = {action, control};
    control.classList.add('asking');
    control.textContent = t('rebind.press');
    setText(problem, '');
  };
  const leave = () => {
    if (!asked) return;
    asked.control.classList.remove('asking');
    asked.control.textContent = t('rebind.change');
    asked = null;
  };
  /** @param {KeyboardEvent} event */
  const onKey = event => {
    if (!asked) return;
    if (event.key === 'Tab' && !event.ctrlKey && !event.altKey) {
      leave();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (event.getModifierState('AltGraph')) {
      setText(problem, t('rebind.altgr'));
      return;
    }
    const keys = keysOf(event);
    const {action} = asked;
    if (!keys) return;
    leave();
    if (keys === 'Escape') return;
    const wrong = bind(action, keys);
    settle(wrong);
    if (!wrong) setText(found, t('rebind.done', {action: t(`keys.${action}`), keys: spelt(keys)}));
  };
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = rows.filter(row => {
      const text = `${row.label} ${row.nodes[1].textContent}`.toLowerCase();
      return words.every(word => text.includes(word));
    });
    const focused = document.activeElement;
    list.replaceChildren(...shown.flatMap(row => row.nodes));
    if (focused instanceof HTMLElement && list.contains(focused)) focused.focus();
    setText(found, tn('sheet.found', shown.length));
  };
  const save = () => {
    const link = h('a', {
      href: URL.createObjectURL(new Blob([bindingsFile()], {type: 'application/json'})),
      download: 'pinpoint-keys.json',
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  };
  const load = async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const left = bindFromFile(await chosen.text());
    file.value = '';
    settle(
      left === null
        ? t('rebind.no_file')
        : left.length
          ? t('rebind.left_out', {names: left.map(name => (DEFAULTS[name] ? t(`keys.${name}`) : name)).join(', ')})
          : '',
    );
    if (left?.length === 0) setText(found, t('rebind.loaded'));
  };
  const file = h('input', {
    type: 'file',
    accept: '.json,application/json',
    hidden: true,
    'data-kind': 'keys',
    onchange: load,
  });
  const search = h('input', {
    type: 'text',
    placeholder: t('sheet.search'),
    'aria-label': t('sheet.search'),
    autocomplete: 'off',
    oninput: show,
  });
  const dialog = new Dialog({
    name: 'keys',
    title: t('side.keys'),
    classes: '.small',
    body: [h('div.line', search), found, list, h('p.muted', t('keys.note'))],
    buttons: [
      problem,
      file,
      button('.btn', {onclick: () => save()}, t('rebind.save')),
      button('.btn', {onclick: () => file.click()}, t('rebind.load')),
      button(
        '.btn',
        {
          onclick: () => {
            bindNothing();
            settle('');
          },
        },
        t('rebind.reset.all'),
      ),
      button('.btn.primary', {onclick: close}, t('close')),
    ],
    onCancel: () => {
      if (asked) leave();
      else dialog.close();
    },
    onClose: () => {
      if (before instanceof HTMLElement) before.focus({preventScroll: true});
    },
  });
  dialog.element.addEventListener('keydown', onKey, true);
  dialog.element.addEventListener('focusout', event => {
    if (asked && event.target === asked.control) leave();
  });
  dialog.open(bench.root);
  paint();
  show();
  search.focus();
};

/* The dialog that inserts a character that the keyboard lacks: letters and quotation marks of the target language, dashes,
   spaces and signs. Those used last come first, and stay in this browser. */
import {Dialog} from '../core/dialog.js';
import {button, h, t} from '../core/dom.js';
import {readStored, writeStored} from '../core/storage.js';

const STORE_KEY = 'pinpoint:characters';
const MAX_LAST = 12;
/** @type {Record<string, string>} letters of a language, each also as a capital */
const LETTERS = {
  ca: 'àçéèíïóòúü·',
  cs: 'áčďéěíňóřšťúůýž',
  da: 'æøåé',
  de: 'äöüß',
  es: 'áéíñóúü¿¡ªº',
  et: 'äõöüšž',
  fi: 'äöåšž',
  fr: 'àâæçéèêëîïôœùûüÿ',
  hr: 'čćđšž',
  hu: 'áéíóöőúüű',
  is: 'áðéíóúýþæö',
  it: 'àèéìòóù',
  lt: 'ąčęėįšųūž',
  lv: 'āčēģīķļņšūž',
  nb: 'æøåéò',
  nl: 'áéëïóöü',
  pl: 'ąćęłńóśźż',
  pt: 'áâãàçéêíóôõúªº',
  ro: 'ăâîșț',
  sk: 'áäčďéíĺľňóôŕšťúýž',
  sl: 'čšž',
  sv: 'åäöé',
  tr: 'âçğıİîöşüû',
};
const ANY_LETTERS = 'áàâäãåæçéèêëíìîïñóòôöõøœúùûüýÿßšž';
/** @type {Record<string, string[]>} */
const GROUPS = {
  quotes: [...'„“”‚‘’«»‹›'],
  dashes: [...'–—…·•'],
  spaces: ['\u00a0', '\u202f', '\u2009', '\u2011', '\u00ad', '\u200b'],
  signs: [...'€£¥¢§©®™°′″±×÷−≈≤≥≠½¼¾²³µΩ→←↑↓✓№'],
};
/** @type {Record<string, string>} */
const NAMES = {
  '\u00a0': 'no_break',
  '\u202f': 'narrow',
  '\u2009': 'thin',
  '\u2011': 'hyphen',
  '\u00ad': 'soft_hyphen',
  '\u200b': 'zero_width',
};

/**
 * The letters of a language that other keyboards lack, small ones first.
 * @param {string} language
 */
export const lettersOf = language => {
  const small = [...(LETTERS[language.split('-')[0]] ?? ANY_LETTERS)];
  const large = small.map(letter => letter.toLocaleUpperCase(language)).filter(letter => [...letter].length === 1);
  return [...new Set([...small, ...large])];
};

const lastUsed = () => [...(readStored('local', STORE_KEY) ?? '')].slice(0, MAX_LAST);

/**
 * @param {Pick<Bench, 'focusEditor' | 'languages' | 'root' | 'segment'>} bench
 * @param {(character: string) => void} onChoose
 */
export const openCharacters = (bench, onChoose) => {
  const {segment, languages} = bench;
  if (segment.current.refusesChanges()) return;
  /** @param {string} character */
  const insert = character => {
    writeStored('local', STORE_KEY, [character, ...lastUsed().filter(other => other !== character)].join(''));
    dialog.close();
    onChoose(character);
  };
  /** @param {string} character */
  const key = character => {
    const name = NAMES[character] && t(`characters.${NAMES[character]}`);
    const title = name || `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
    return button(`.btn.small${name ? '' : '.char'}`, {title, onclick: () => insert(character)}, name || character);
  };
  /**
   * @param {string} name
   * @param {string[]} characters
   */
  const part = (name, characters) =>
    characters.length
      ? h(
          'div.kind',
          {role: 'group', 'aria-label': t(`characters.${name}`)},
          h('h3', t(`characters.${name}`)),
          h('div.keys', {lang: languages.target}, characters.map(key)),
        )
      : null;
  const parts = h(
    'div.characters',
    {
      onkeydown: event => {
        const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
        if (!step) return;
        event.preventDefault();
        const keys = [...parts.querySelectorAll('button')];
        const at = keys.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
        keys.at((at + step) % keys.length)?.focus();
      },
    },
    part('last', lastUsed()),
    part('letters', lettersOf(languages.target)),
    ...Object.entries(GROUPS).map(([name, characters]) => part(name, characters)),
  );
  const dialog = new Dialog({
    name: 'characters',
    title: t('characters.title'),
    body: parts,
    buttons: button('.btn', {onclick: () => dialog.close()}, t('close')),
    onClose: () => bench.focusEditor(),
  });
  dialog.open(bench.root, parts.querySelector('button'));
};

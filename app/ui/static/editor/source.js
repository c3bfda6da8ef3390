/* The source sentence with its glossary hits: underlined, with the term and its status above. */
import {chip, tagLabel, tagOf, withChips} from '../core/chips.js';
import {h, icon, sr, t, textIn} from '../core/dom.js';
import {shown} from '../core/unseen.js';

const LONG = 900; // characters; a longer source scrolls in its own box
/** @type {Record<string, string | null>} */
const ICONS = {met: 'check', unmet: 'problem', off: 'off', pending: null};
/** @type {Record<string, string>} */
const FORBIDDEN = {met: 'kept_out', unmet: 'stands'};
/**
 * The label of a term's status; a forbidden term that is met is labelled as absent.
 * @param {Term} options
 * @param {string} [shown]
 */
export const statusLabel = ({term_status: kind, status}, shown = status) =>
  t(`term.${(kind === 'forbidden' && FORBIDDEN[shown]) || shown}`);

/**
 * runs: [{t, w?, term?, at?, tag?, kept?}], joined they are the source; terms: [{key, source, target, status}]
 * @param {Run[]} runs
 * @param {Term[]} terms
 * @param {Languages} languages
 * @param {Tags} tags
 */
export const sourceLine = (runs, terms, languages, tags) => {
  const byKey = new Map(terms.map(term => [term.key, term]));
  const numCharacters = runs.reduce((n, run) => n + run.t.length, 0);
  /** @type {Child[]} */
  const nodes = [];
  for (let i = 0, taken = 0; i < runs.length; ) {
    // taken: characters shown with the term before them
    const {term: key, at} = runs[i];
    const term = byKey.get(key ?? '');
    if (!term) {
      nodes.push(piece(runs[i], tags, taken));
      taken = 0;
      i++;
      continue;
    }
    const first = i;
    while (i < runs.length && runs[i].term === key && runs[i].at === at) i++;
    const marks = runs[i] && !byKey.has(runs[i].term ?? '') ? tail(runs[i]) : '';
    taken = marks.length;
    const isForbidden = term.term_status === 'forbidden';
    const iconName = isForbidden && term.status === 'met' ? 'ban' : ICONS[term.status];
    const label = h(
      `span.term.${term.status}`,
      {title: `${term.source} \u2192 ${term.target}`},
      runs.slice(first, i).map(run => piece(run, tags)),
      h(
        `span.an.${term.status}${isForbidden ? '.forbidden' : ''}`,
        h('span.t', {...textIn(languages.target), 'data-insert': isForbidden ? null : term.target}, term.target),
        iconName && icon(iconName),
        sr(` ${statusLabel(term)}`),
      ),
    );
    nodes.push(h('span.nw', label, marks));
  }
  return h(`p.source${numCharacters > LONG ? '.long' : ''}`, textIn(languages.source), nodes);
};

/**
 * A word, which can take the focus, or the text between words; without its first `taken` characters.
 * @param {Run} options
 * @param {Tags} tags
 * @param {number} [taken]
 * @returns {Child}
 */
const piece = ({t: text, w, tag, kept}, tags, taken = 0) => {
  const rest = text.slice(taken);
  const look = tag || kept ? '.asis' : '';
  if (!rest || (w === undefined && !look)) return withChips(rest, tags);
  const known = tagOf(rest, tags);
  if (known)
    return chip(rest, known, {
      'data-insert': rest,
      'data-word': w ?? null,
      role: 'button',
      'aria-label': tagLabel(rest, known),
      tabindex: -1,
    });
  return w === undefined
    ? h(`span${look}`, {title: t('kept.title'), dir: 'ltr', 'data-insert': rest}, rest)
    : h(
        `span.sw${look}`,
        {'data-word': w, tabindex: -1, dir: look ? 'ltr' : null, 'data-insert': look ? rest : null},
        shown(rest),
      );
};

/**
 * The punctuation at the beginning of a run, which stays on the line of the term before it; a tag is not divided.
 * @param {Run} run
 */
const tail = ({t: text, tag, kept}) => (tag || kept ? '' : (/^[^\s\p{L}\p{N}]{0,3}/u.exec(text)?.[0] ?? ''));

/**
 * Labels may overlap the words that follow, but not each other: moves a term just as far as needed.
 * @param {Element | null} line
 */
export const settle = line => {
  if (!line) return;
  const terms = [...line.querySelectorAll('.term')];
  for (const term of terms) term.style.marginInlineStart = '';
  const isRtl = getComputedStyle(line).direction === 'rtl';
  /** @param {Element | null} element */
  const box = element => {
    const r = (element ?? line).getBoundingClientRect();
    return isRtl ? {start: -r.right, end: -r.left, top: r.top} : {start: r.left, end: r.right, top: r.top};
  };
  terms.forEach((term, i) => {
    if (!i) return;
    const before = box(terms[i - 1].lastElementChild);
    const here = box(term.lastElementChild);
    const overlap = before.end - here.start + 7;
    if (Math.abs(before.top - here.top) < 8 && overlap > 0) term.style.marginInlineStart = `${Math.ceil(overlap)}px`;
  });
};

/* The source sentence with its glossary hits: underlined, the term above the word, met or not. */
import {h, icon, sr, t} from './dom.js';

const LONG = 900;                                     // characters; a longer source scrolls in its own box
const ICONS = {met: 'check', unmet: 'problem', off: 'off', pending: null};

/** runs: [{t, term?}], terms: [{key, target, status}] */
export const sourceLine = (runs, terms, languages) => {
  const byKey = new Map(terms.map(term => [term.key, term]));
  const numCharacters = runs.reduce((n, run) => n + run.t.length, 0);
  return h('p.source' + (numCharacters > LONG ? '.long' : ''), {lang: languages.source, dir: 'auto'}, runs.map((run, i) => {
    const term = byKey.get(run.term);
    const isAfterTerm = i > 0 && byKey.has(runs[i - 1].term);
    if (!term) return isAfterTerm ? run.t.slice(tail(run).length) : run.t;
    const iconName = ICONS[term.status];
    const label = h('span.term.' + term.status, {title: `${term.source} \u2192 ${term.target}`}, run.t,
      h('span.an.' + term.status, {lang: languages.target}, h('span.t', {}, term.target), iconName && icon(iconName), sr(' ' + t('term.' + term.status))));
    return h('span.nw', {}, label, runs[i + 1] && !byKey.has(runs[i + 1].term) ? tail(runs[i + 1]) : null);
  }));
};

/** The marks at the beginning of a run that must not part from the term before it. */
const tail = run => /^[^\s\p{L}\p{N}]{0,3}/u.exec(run.t)[0];

/** Labels may hang over the words that follow, but not over each other: a term is pushed only by the overlap. */
export const settle = line => {
  if (!line) return;
  const terms = [...line.querySelectorAll('.term')];
  for (const term of terms) term.style.marginInlineStart = '';
  const isRtl = getComputedStyle(line).direction === 'rtl';
  const box = element => {
    const r = element.getBoundingClientRect();
    return isRtl ? {start: -r.right, end: -r.left, top: r.top} : {start: r.left, end: r.right, top: r.top};
  };
  terms.forEach((term, i) => {
    if (!i) return;
    const before = box(terms[i - 1].lastChild), here = box(term.lastChild);
    const overlap = before.end - here.start + 7;
    if (Math.abs(before.top - here.top) < 8 && overlap > 0) term.style.marginInlineStart = Math.ceil(overlap) + 'px';
  });
};

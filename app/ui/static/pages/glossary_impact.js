/* The effect of glossaries on the document: terms that occur, that others suppress, and that do not occur. */
import {button, count, h, t, textIn, tn} from '../core/dom.js';

const MAX_PLACES = 8;

/**
 * The counts, as a list.
 * @param {DryRunCounts} run
 */
export const impactFigures = run => {
  /** @type {[name: string, value: number, of?: number][]} */
  const rows = [
    ['segments', run.num_segments_hit, run.num_segments],
    ['terms', run.num_found, run.num_terms],
    ['unused', run.num_unused],
    ['suppressed', run.num_suppressed],
    ['without', run.num_without],
  ];
  return h(
    'ul.impact',
    rows.map(([name, value, of]) =>
      h('li', h('b.num', count(value)), h('span', tn(`dry.figure.${name}`, value, {n: count(of ?? 0)}))),
    ),
  );
};

/**
 * The counts, and the terms with the segments they occur in.
 * @param {Pick<Bench, 'languages' | 'numberOf'>} bench
 * @param {DryRun} run
 * @param {(index: number) => void} goTo opens a segment
 */
export const impactTables = (bench, run, goTo) => {
  /** @param {number[]} indices */
  const places = indices => [
    ...indices
      .slice(0, MAX_PLACES)
      .flatMap(index => [button('.link', {onclick: () => goTo(index)}, String(bench.numberOf(index))), ' ']),
    indices.length > MAX_PLACES ? '\u2026' : '',
  ];
  /** @param {GlossaryTerm} term */
  const status = term => (term.status === 'preferred' ? '' : [' ', h('span.tag.off', t(`grid.status.${term.status}`))]);
  /** @param {GlossaryTerm} term */
  const pair = term => [
    h('span', textIn(bench.languages.source), term.source),
    ' \u2192 ',
    h('b', textIn(bench.languages.target), term.target),
    status(term),
  ];
  const unused = run.uses.filter(use => use.unused_in.length);
  /**
   * @param {string} label
   * @param {string[]} heads
   * @param {Child[]} rows
   */
  const table = (label, heads, rows) =>
    h(
      'section.card',
      {'aria-label': label},
      h('h2', label),
      rows.length
        ? h(
            'div.tblscroll',
            {tabindex: 0, role: 'group', 'aria-label': label},
            h(
              'table',
              h(
                'thead',
                h(
                  'tr',
                  heads.map(head => h(head === t('dry.hits') ? 'th.n' : 'th', {scope: 'col'}, head)),
                ),
              ),
              h('tbody', rows),
            ),
          )
        : h('p.muted', t('glossaries.none')),
    );
  return [
    h('p.muted', t('dry.lead')),
    impactFigures(run),
    table(
      t('dry.unused'),
      [t('dry.term'), t('dry.glossary'), t('dry.places')],
      unused.map(use => h('tr', h('td', pair(use)), h('td', use.glossary), h('td.num', places(use.unused_in)))),
    ),
    table(
      t('dry.suppressed'),
      [t('dry.term'), t('dry.by'), t('dry.why'), t('dry.hits'), t('dry.places')],
      run.suppressed.map(lost =>
        h(
          'tr',
          h('td', pair(lost)),
          h('td', pair(lost.by)),
          h('td', t(lost.is_same_place ? 'dry.same_words' : 'dry.longer')),
          h('td.n', count(lost.num_hits)),
          h('td.num', places(lost.segments)),
        ),
      ),
    ),
    table(
      t('dry.found'),
      [t('dry.term'), t('dry.glossary'), t('dry.hits'), t('dry.places')],
      run.uses.map(use =>
        h(
          'tr',
          h('td', pair(use)),
          h('td', use.glossary),
          h('td.n', count(use.num_hits)),
          h('td.num', places(use.segments)),
        ),
      ),
    ),
  ];
};

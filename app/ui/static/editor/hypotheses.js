/* The n-best list: scores per token and gaps to the best, with constraints, differences and unmet constraints
   marked. */
import {withChips} from '../core/chips.js';
import {button, h, icon, number, sr, t, textIn} from '../core/dom.js';

/** @type {Record<string, (content: Child) => Child>} */
const RUNS = {
  s: content => content,
  d: content => h('span.df', {}, content),
  b: content => h('span.bx', {dir: 'auto'}, content),
  e: content => h('span.el', {title: t('nbest.same')}, content),
};

/** @param {Hypothesis} row */
const scoreTitle = ({score, penalty}) =>
  penalty
    ? t('nbest.penalty.title', {score: number(score + penalty), penalty: number(penalty)})
    : t('nbest.score.title');

export class Hypotheses {
  /**
   * onTake(hypothesis): take its text into the edit field; onLeave(): return to the field.
   * @param {{onTake: (hypothesis: Hypothesis) => void, onLeave: () => void}} options
   */
  constructor({onTake, onLeave}) {
    this.onTake = onTake;
    this.onLeave = onLeave;
    this.signature = '';
    this.list = h('ul', {'aria-label': t('nbest.label')});
    this.free = h('div.freerow', {hidden: true});
    this.element = h('div.nbest', {}, this.list, this.free);
    /** @type {Hypothesis[]} */
    this.rows = [];
    this.list.addEventListener('keydown', event => this.onKey(event));
  }

  focus(at = 0) {
    /** @type {HTMLElement | null | undefined} */ (this.list.children[at]?.firstElementChild)?.focus();
  }

  /**
   * Arrows move between hypotheses; a digit takes the one with that number.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = [...this.list.children].findIndex(item => item.contains(/** @type {Node} */ (event.target)));
    const last = this.rows.length - 1;
    const numbered = this.rows.find(row => String(row.rank + 1) === event.key);
    const to = {ArrowDown: Math.min(at + 1, last), ArrowUp: at - 1, Home: 0, End: last}[event.key];
    if (event.key === 'Escape' || to === -1) this.onLeave();
    else if (to !== undefined) this.focus(to);
    else if (numbered) this.onTake(numbered);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * free: the best translation without constraints, or null.
   * @param {Hypothesis[]} rows
   * @param {{lang?: string, current?: string, free?: FreeHypothesis | null, tags?: Tags}} options
   */
  render(rows, {lang = '', current, free = null, tags = {}}) {
    const signature = JSON.stringify([rows, lang, rows.findIndex(row => row.text === current), free]);
    if (signature === this.signature) return;
    this.signature = signature;
    const focused = [...this.list.children].findIndex(item => item.contains(document.activeElement));
    this.rows = rows;
    this.list.replaceChildren(
      ...rows.map(row => {
        const isTaken = row.text === current;
        return h(
          'li',
          {},
          button(
            `.nb${isTaken ? '.taken' : ''}`,
            {'data-rank': row.rank, title: row.text, onclick: () => this.onTake(row)},
            h('span.rk.num', {}, String(row.rank + 1)),
            h('span.sc.num', {dir: 'ltr', title: scoreTitle(row)}, number(row.score)),
            h(
              'span.gp.num',
              {dir: 'ltr', title: t('nbest.gap.title')},
              row.rank ? number(row.gap, 3, true) : t('nbest.best'),
            ),
            h(
              'span.tx',
              textIn(lang),
              row.unmet.length
                ? h(
                    'span.un',
                    {title: t('nbest.unmet', {texts: row.unmet.join(', ')})},
                    icon('problem', true),
                    ' ',
                    row.unmet.join(', '),
                    sr(t('nbest.unmet.sr')),
                  )
                : null,
              row.runs.map(([kind, text]) => (RUNS[kind] || RUNS.s)(withChips(text, tags))),
            ),
            h('span.use', {}, isTaken ? t('nbest.taken') : t('nbest.use')),
          ),
        );
      }),
    );
    this.free.hidden = !free || !rows.length;
    if (free) {
      this.free.title = t('nbest.free.title');
      this.free.replaceChildren(
        h('span.rk', {}, t('nbest.free')),
        h('span.sc.num', {dir: 'ltr'}, number(free.score)),
        h('span.gp.num', {dir: 'ltr'}, number(free.gap, 3, true)),
        h(
          'span.tx',
          textIn(lang),
          free.runs.map(([kind, text]) => (RUNS[kind] || RUNS.s)(withChips(text, tags))),
        ),
      );
    }
    if (focused >= 0)
      /** @type {HTMLElement | null | undefined} */ (
        this.list.children[Math.min(focused, rows.length - 1)]?.firstElementChild
      )?.focus({preventScroll: true});
  }
}

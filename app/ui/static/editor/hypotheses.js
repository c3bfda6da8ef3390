/* The n-best list: bars for the scores, with constraints, differences from the best one and unmet constraints marked. */
import {withChips} from '../core/chips.js';
import {button, h, icon, number, setText, sr, t, textIn} from '../core/dom.js';
import {fitWord} from '../core/fit.js';
import {hint, shortcut, speltFor} from '../core/key_bindings.js';

/** @type {Record<string, (content: Child, text: string) => Child>} */
const RUNS = {
  s: content => content,
  d: content => h('span.df', content),
  p: content => h('span.bx', {dir: 'auto'}, content),
  t: content => h('span.bx.term', {dir: 'auto'}, content),
  k: content => h('span.bx.kept', {dir: 'auto'}, content),
  x: (_, text) => [
    /^\s*/.exec(text)?.[0],
    h('del', {title: t('nbest.left_out')}, sr(t('nbest.left_out.sr')), text.trim()),
    text.trim() && /\s*$/.exec(text)?.[0],
  ],
};

const NUM_SHOWN = 5;
const MAX_LINES = 2; // long ones are shortened
const LONG_TEXT = 110; // letters that fit into a line
const LONG_RUN = 56;
const CONTEXT_WORDS = 3;
const LINE = 20; // pixels, as LETTER, a little more than the average, and those below
const LETTER = 7.2;
const BESIDE_TEXT = 330;
const HEAD_EDGES = 20; // around the heading
const LAST_ROW = 38; // with the edges of the list
const NOTE = 25;
const MIN_HEIGHT = 50; // two hypotheses; after a pin there may be more, which are scrolled to
const COMPARED_TOKENS = 5; // of a single one, the probabilities are nearly equal

/**
 * The runs of a long hypothesis, where of what is the same as in the best one only the words beside a difference are left.
 * @param {[string, string][]} runs
 * @returns {[string, string][]}
 */
export const shortened = runs => {
  const length = runs.reduce((sum, [, text]) => sum + text.length, 0);
  if (length <= LONG_TEXT || runs.length < 2) return runs;
  return runs.map(([kind, text], i) => {
    if (kind !== 's' || text.length <= LONG_RUN) return [kind, text];
    const words = text.match(/\s*\S+\s*/g) ?? [];
    const left = i > 0 ? words.slice(0, CONTEXT_WORDS).join('').trimEnd() : '';
    const right = i < runs.length - 1 ? words.slice(-CONTEXT_WORDS).join('').trimStart() : '';
    const short = `${left}${left && ' '}\u2026${right && ' '}${right}`;
    return [kind, short.length < text.length ? short : text];
  });
};

/**
 * A bar for the probability of a few tokens, compared with the best one's, and how well the text fits, compared with the
 * best one without constraints; the score as a number for the pointer and for screen readers.
 * @param {{score: number, score_difference: number, penalty?: number}} row
 * @param {number} best the highest score of the model
 */
const scoreBar = ({score, score_difference, penalty}, best) => {
  const bar = h('i', {'aria-hidden': 'true'});
  bar.style.inlineSize = `${100 * Math.min(1, Math.exp(COMPARED_TOKENS * score_difference))}%`;
  const label = t('nbest.score', {score: number(score), difference: number(score_difference, 3, true)});
  const detail = penalty
    ? t('nbest.penalty', {score: number(score + penalty), penalty: number(penalty)})
    : t('nbest.unit');
  return h(
    'span.sc',
    {title: `${label}\n${detail}`},
    h('span.scbar', {'aria-hidden': 'true'}, bar),
    h('span', fitWord(best - modelScore({score, penalty})), sr(`. ${label}`)),
  );
};

/**
 * The model's score, without what is subtracted to rank the text.
 * @param {{score: number, penalty?: number}} row
 */
const modelScore = ({score, penalty = 0}) => score + penalty;

export class Hypotheses {
  /**
   * onTake(hypothesis, number): take the text with that number into the edit field; onLeave(): return to the field;
   * onToggle(): shows or hides the list.
   * @param {{onTake: (hypothesis: Hypothesis, number: number) => void, onLeave: () => void, onToggle: () => void}} options
   */
  constructor({onTake, onLeave, onToggle}) {
    this.onTake = onTake;
    this.onLeave = onLeave;
    this.signature = '';
    this.list = h('ul', {'aria-label': t('nbest.label')});
    this.free = h('div.freerow', {hidden: true});
    this.note = h('p.muted');
    this.end = h('div.end', {hidden: true}, this.note); // why the list has no more, where there is room for it
    const advice = t('nbest.advice', {pin: speltFor('pin'), ban: speltFor('ban_selection')});
    this.advice = h('p.muted.advice', {hidden: true, title: advice}, advice);
    this.toggle = button(
      '.panelhead',
      {...shortcut('details'), 'aria-expanded': 'true', onclick: onToggle},
      icon('more', true),
      t('nbest.show'),
      hint('details'),
    );
    this.head = h('div.panelbar', this.toggle);
    this.element = h('div.nbest', this.head, this.list, this.end, this.free, this.advice);
    /** @type {Hypothesis[]} the best first */
    this.rows = [];
    this.list.addEventListener('keydown', event => this.onKey(event));
  }

  get isOpen() {
    return this.toggle.getAttribute('aria-expanded') === 'true';
  }

  /** @param {boolean} isOpen whether the list is shown, or only its heading */
  show(isOpen) {
    this.toggle.setAttribute('aria-expanded', String(isOpen));
    this.element.classList.toggle('closed', !isOpen);
  }

  /**
   * The height, in pixels, that the list needs with the last row: the free translation, or the advice in its place.
   * @param {number | null} length the number of characters of hypotheses that are not known yet; null for those listed
   */
  neededHeight(length) {
    const head = this.head.offsetHeight + HEAD_EDGES;
    if (!this.isOpen) return head;
    if (length !== null) {
      const lines = Math.min(MAX_LINES, Math.ceil((length * LETTER) / (this.element.clientWidth - BESIDE_TEXT)));
      return head + NUM_SHOWN * (LINE * lines + 5) + LINE * lines + 18;
    }
    /** @param {number} sum @param {Element} item */
    const withItem = (sum, item) => sum + /** @type {HTMLElement} */ (item).offsetHeight;
    const height = [...this.list.children].reduce(withItem, this.end.hidden ? 0 : NOTE);
    return head + LAST_ROW + Math.max(height, MIN_HEIGHT);
  }

  focus(at = 0) {
    const item = /** @type {HTMLElement | null | undefined} */ (this.list.children[at]?.firstElementChild);
    item?.focus({preventScroll: true});
    item?.scrollIntoView({block: 'nearest'});
  }

  /**
   * Arrows move between hypotheses; a digit takes the one with that number.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = [...this.list.children].findIndex(item => item.contains(/** @type {Node} */ (event.target)));
    const last = this.rows.length - 1;
    const numbered = /^[1-9]$/.test(event.key) ? this.rows[Number(event.key) - 1] : undefined;
    const to = {ArrowDown: Math.min(at + 1, last), ArrowUp: at - 1, Home: 0, End: last}[event.key];
    if (event.key === 'Escape' || to === -1) this.onLeave();
    else if (to !== undefined) this.focus(to);
    else if (numbered) this.take(numbered);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Takes a hypothesis by its number as it is listed, from 1, which is not its rank: bad ones are left out.
   * @param {Hypothesis} row
   */
  take(row) {
    this.onTake(row, this.rows.indexOf(row) + 1);
  }

  /**
   * current: the text of the field; free: the best translation without constraints, or null.
   * @param {Hypothesis[]} rows
   * @param {{lang?: string, current?: string, free?: FreeHypothesis | null, tags?: Tags, isPending?: boolean}} options
   */
  render(rows, {lang = '', current, free = null, tags = {}, isPending = false}) {
    const signature = JSON.stringify([rows, lang, rows.findIndex(row => row.text === current), free, isPending]);
    if (signature === this.signature) return;
    this.signature = signature;
    const focused = [...this.list.children].findIndex(item => item.contains(document.activeElement));
    this.rows = rows;
    const best = Math.max(...(free ? [free] : rows).map(modelScore));
    const content = (/** @type {[string, string][]} */ runs) =>
      shortened(runs).map(([kind, text]) => (RUNS[kind] || RUNS.s)(withChips(text, tags), text));
    this.list.replaceChildren(
      ...rows.map(row => {
        const isTaken = row.text === current;
        return h(
          'li',
          button(
            `.nb${isTaken ? '.taken' : ''}`,
            {'data-rank': row.rank, title: row.text, onclick: () => this.take(row)},
            h('span.rk.num', String(rows.indexOf(row) + 1)),
            scoreBar(row, best),
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
              content(row.runs),
            ),
            h('span.use', isTaken ? t('nbest.taken') : t('nbest.use')),
          ),
        );
      }),
    );
    this.end.hidden = (!rows.length && !isPending) || rows.length >= NUM_SHOWN;
    setText(this.note, t(isPending ? 'nbest.pending' : rows.length > 1 ? 'nbest.few' : 'nbest.none'));
    this.free.hidden = !free || !rows.length;
    this.advice.hidden = Boolean(free) || !rows.length;
    if (free) {
      this.free.title = t('nbest.free.title');
      this.free.replaceChildren(
        h('span.rk', t('nbest.free')),
        scoreBar(free, best),
        h('span.tx', textIn(lang), content(free.runs)),
      );
    }
    if (focused >= 0) this.focus(Math.min(focused, rows.length - 1));
  }
}

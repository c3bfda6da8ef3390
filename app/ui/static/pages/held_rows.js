/* The decisions on the messy rows of a glossary import: the proposal is accepted, the row is kept as it is, or, without a
   decision, left out. Buttons and keys decide one row or all of them; each step can be undone. */
import {button, h, icon, setText, t, tn} from '../core/dom.js';

/** @typedef {'accept' | 'keep' | 'leave'} Decision */
/** @typedef {{decisions: [name: string, decision: Decision, numTerms: number][], others: Decision}} Kept */

export class HeldRows {
  /**
   * @param {Partial<Kept>} kept the choices that this tab kept
   * @param {(kept: Kept) => void} onChange
   */
  constructor({decisions = [], others = 'leave'}, onChange) {
    /** @type {Map<string, {decision: Decision, numTerms: number}>} */
    this.decisions = new Map(decisions.map(([name, decision, numTerms]) => [name, {decision, numTerms}]));
    this.others = others; // the decision on the rows that have none of their own
    /** @type {Kept[]} */
    this.earlier = [];
    this.onChange = onChange;
    this.text = h('span.grow', {role: 'status'});
    this.undoButton = button('.btn.small', {onclick: () => this.undo()}, icon('undo', true), t('held.undo'));
    this.bar = h(
      'div.gtools.held',
      {role: 'group', 'aria-label': t('import.shown.held')},
      this.text,
      button('.btn.small', {onclick: () => this.decideAll('accept')}, t('held.accept_all')),
      button('.btn.small', {onclick: () => this.decideAll('keep')}, t('held.keep_all')),
      this.undoButton,
    );
  }

  /** The choices as the page keeps and sends them. */
  get kept() {
    const decisions = [...this.decisions].map(
      ([name, {decision, numTerms}]) => /** @type {Kept['decisions'][number]} */ ([name, decision, numTerms]),
    );
    return {decisions, others: this.others};
  }

  /** The choices for the server. */
  get choices() {
    return {
      decisions: Object.fromEntries([...this.decisions].map(([name, {decision}]) => [name, decision])),
      others: this.others,
    };
  }

  /** @param {string} name */
  decisionOn(name) {
    return this.decisions.get(name)?.decision ?? this.others;
  }

  /**
   * Decides one row, or takes its decision back.
   * @param {NonNullable<ImportRow['fix']>} fix
   * @param {Decision} decision
   */
  decide({name, num_terms: numTerms}, decision) {
    this.earlier.push(this.kept);
    this.decisions.set(name, {decision: this.decisionOn(name) === decision ? 'leave' : decision, numTerms});
    this.onChange(this.kept);
  }

  /** @param {Decision} decision */
  decideAll(decision) {
    this.earlier.push(this.kept);
    this.decisions.clear();
    this.others = decision;
    this.onChange(this.kept);
  }

  /** Takes the last step back. */
  undo() {
    const before = this.earlier.pop();
    if (!before) return;
    this.others = before.others;
    this.decisions = new Map(before.decisions.map(([name, decision, numTerms]) => [name, {decision, numTerms}]));
    this.onChange(this.kept);
  }

  /**
   * The number of terms that the rows become.
   * @param {number} numRows
   * @param {number} numProposed if all proposals are accepted
   */
  numTerms(numRows, numProposed) {
    const decided = [...this.decisions.values()];
    const others = {
      accept: numProposed - decided.reduce((sum, one) => sum + one.numTerms, 0),
      keep: numRows - decided.length,
      leave: 0,
    };
    return decided.reduce(
      (sum, {decision, numTerms}) => sum + (decision === 'accept' ? numTerms : decision === 'keep' ? 1 : 0),
      others[this.others],
    );
  }

  /** @param {number} numRows */
  paint(numRows) {
    const open =
      [...this.decisions.values()].filter(({decision}) => decision === 'leave').length +
      (this.others === 'leave' ? numRows - this.decisions.size : 0);
    this.bar.hidden = !numRows;
    this.undoButton.disabled = !this.earlier.length;
    setText(this.text, open ? tn('held.open', open) : t('held.none_open'));
  }

  /**
   * The buttons of one row.
   * @param {number} row
   * @param {NonNullable<ImportRow['fix']>} fix
   */
  buttons(row, fix) {
    const accept = fix.to === null ? t('import.fix.leave_out') : t('import.fix.write', {text: fix.to});
    /**
     * @param {Decision} decision
     * @param {string} key
     * @param {string} label
     */
    const one = (decision, key, label) =>
      button(
        '.btn.small.fix',
        {
          'data-decision': decision,
          'aria-pressed': String(this.decisionOn(fix.name) === decision),
          'aria-keyshortcuts': key,
          'aria-label': `${t('report.row')} ${row}: ${label}`,
          onclick: () => this.decide(fix, decision),
        },
        label,
      );
    return h('div.acts', one('accept', 'A', accept), one('keep', 'K', t('held.keep')));
  }

  /**
   * Moves between the rows with the arrows, and decides the focused one: A accepts its proposal, K keeps it. Ctrl+Z is undo.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    const focused = /** @type {HTMLElement} */ (event.target);
    const row = focused.closest('tr');
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key === 'z' && focused.tagName !== 'INPUT') {
      event.preventDefault();
      this.undo();
      return;
    }
    if (!row || focused.tagName === 'INPUT' || event.ctrlKey || event.metaKey || event.altKey) return;
    const forward = key === 'arrowdown';
    if (forward || key === 'arrowup') {
      event.preventDefault();
      neighbour(row, forward)?.focus();
    }
    const decision = key === 'a' ? 'accept' : key === 'k' ? 'keep' : null;
    const pressed = decision && row.querySelector(`[data-decision="${decision}"]`);
    if (pressed instanceof HTMLElement) {
      event.preventDefault();
      pressed.click();
      neighbour(row, true)?.focus();
    }
  }
}

/**
 * The first button or field of the next row that has one.
 * @param {Element} row
 * @param {boolean} forward
 * @returns {HTMLElement | null}
 */
const neighbour = (row, forward) => {
  let other = forward ? row.nextElementSibling : row.previousElementSibling;
  while (other && !other.querySelector('button, input'))
    other = forward ? other.nextElementSibling : other.previousElementSibling;
  return other?.querySelector('button, input') ?? null;
};

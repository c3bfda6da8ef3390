/* Alt+R: keeps what the person wrote and translates the rest of the sentence again. */
import {isSame} from '../core/constraints.js';
import {t} from '../core/dom.js';

/**
 * True if a text has this beginning and contains the locked texts in their order.
 * @param {string} text
 * @param {Kept} kept
 */
const holds = (text, {prefix, locked}) => {
  if (!text.startsWith(prefix.normalize())) return false;
  let from = prefix.normalize().trimEnd().length;
  return locked.every(lock => {
    const at = text.indexOf(lock.normalize(), from);
    from = at + lock.length;
    return at >= 0;
  });
};

export class Rest {
  /**
   * @param {Pick<Bench, 'say'>} page
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {ConstraintSet} parts.constraints
   * @param {(kind: string) => void} parts.record records a step of undo before a change
   * @param {() => void} parts.onCancel undoes the newest step
   */
  constructor(page, {current, text, constraints, record, onCancel}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.record = record;
    this.onCancel = onCancel;
    /** @type {{index: number, text: string, kept: Kept} | null} */
    this.asked = null; // the field waits for the translation of this
  }

  ask() {
    const {text, constraints, current} = this;
    const {detail} = current;
    const {selectionStart: start, selectionEnd: end} = text.field.area;
    if (!detail || current.refusesChanges()) return;
    text.flush();
    const kept = constraints.keptIn({text: text.value, start, end}, {...constraints.now, prefix: ''});
    if (!kept.prefix && !kept.locked.length) {
      this.page.say('info', t('rest.nothing'));
      return;
    }
    const changes = {...kept, follow: ''};
    const isRepeated =
      text.value === detail.proposal?.text && isSame({...constraints.now, ...changes}, constraints.now);
    if (!isRepeated) this.record('rest');
    this.asked = {index: current.index, text: text.value, kept};
    constraints.change(changes, 'rest', false);
    text.focus();
    this.settle();
  }

  /** Stops waiting; the constraints are again as before. */
  cancel() {
    this.forget();
    this.onCancel();
  }

  /** Stops waiting. */
  forget() {
    this.asked = null;
  }

  /** Puts the answer into the field once it is there, unless the person has typed meanwhile. */
  settle() {
    const {page, text, current, asked} = this;
    const {detail} = current;
    if (!asked || !detail) return;
    const isOpen = asked.index === current.index;
    if (isOpen && (current.isPending('edit') || current.awaitsProposal())) return;
    this.asked = null;
    if (!isOpen || text.value !== asked.text) return;
    const {proposal} = detail;
    if (!proposal?.text || proposal.is_stale || !holds(proposal.text, asked.kept)) {
      page.say('warn', t('rest.unmet'));
      return;
    }
    if (detail.target === null || proposal.text === text.value) return; // the field shows the proposal already
    text.replace(proposal.text, 'rest', {more: {rank: 0}});
  }
}

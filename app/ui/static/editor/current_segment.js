/* The open segment, and its details when the server has sent them. Only Segment changes this; its parts read it. */
import {t} from '../core/dom.js';

export class CurrentSegment {
  /** @param {Pick<Bench, 'rows' | 'connection' | 'say'>} page */
  constructor(page) {
    this.page = page;
    /** @type {number} */
    this.index = /** @type {any} */ (null); // until a segment is open
    this.source = '';
    /** @type {Detail | null} */
    this.detail = null;
  }

  /** The row of the list, known before the details. */
  get row() {
    return this.page.rows[this.index];
  }

  /** The other person to whom the segment is assigned, so that it may only be read; "" if it may be changed. */
  get holder() {
    return this.row?.is_held ? this.row.assignee : '';
  }

  /** True if the segment can only be read; then shows the reason. */
  refusesChanges() {
    const {holder} = this;
    if (holder) this.page.say('info', t('held.why', {name: holder}));
    return Boolean(holder);
  }

  /**
   * True if a command for this segment has not been answered yet: "edit", "constrain", "comment" or "reopen".
   * @param {string} command
   */
  isPending(command) {
    return this.page.connection.isPending(`${command}:${this.index}`);
  }

  /** True if the proposal is about to change: a newer one is awaited, and not only the others of its list. */
  awaitsProposal() {
    const {detail} = this;
    const isComing = Boolean(detail?.is_pending && !detail.proposal?.is_first_of_more);
    return isComing || this.isPending('constrain');
  }
}

/* The open segment, and its details when the server has sent them. Only Segment changes this; its parts read it. */
import {t} from '../core/dom.js';
import {speltFor} from '../core/key_bindings.js';

export class CurrentSegment {
  /** @param {Pick<Bench, 'rows' | 'connection' | 'document' | 'person' | 'say'>} page */
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

  /** True if nobody may change the segment. */
  get isLocked() {
    return Boolean(this.row?.is_locked);
  }

  /** Who has locked the segment, as a sentence; until the details are here, only that it is locked. */
  get lockReason() {
    const lock = this.detail?.lock;
    if (lock?.is_of_file) return t('lock.of_file');
    const name = lock && (lock.person || (this.page.person ? t('people.owner') : ''));
    return name ? t('lock.by', {name}) : t('state.locked');
  }

  /** Why the segment can only be read, in a few words; "" if it may be changed. */
  get barrier() {
    const {holder} = this;
    return this.isLocked ? this.lockReason : holder && t('held', {name: holder});
  }

  /** The same in sentences, with what the person can do. */
  get explainedBarrier() {
    const {holder} = this;
    if (!this.isLocked) return holder && t('held.why', {name: holder});
    const mayLock = this.page.document.project.may_lock;
    return `${this.lockReason}. ${mayLock ? t('lock.why', {keys: speltFor('lock')}) : t('lock.why.others')}`;
  }

  /** True if the segment can only be read; then shows the reason. */
  refusesChanges() {
    const reason = this.explainedBarrier;
    if (reason) this.page.say('info', reason);
    return Boolean(reason);
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

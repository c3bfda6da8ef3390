/* Which segment is open, and its details once the server has sent them. Only Segment changes it; its parts read it. */

export class CurrentSegment {
  /** @param {Pick<Bench, 'rows' | 'connection'>} page */
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

  /**
   * Whether a command for this segment is not answered yet: "edit", "constrain" or "comment".
   * @param {string} command
   */
  isPending(command) {
    return this.page.connection.isPending(`${command}:${this.index}`);
  }
}

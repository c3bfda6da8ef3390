/* The states of segments before the page was loaded, from the log: undo returns to them, too. */

import {PerDocument} from '../core/history.js';

export class EarlierStates {
  /** @type {Set<number>} the segments that have been opened in this page */
  #asked = new Set();
  /** @type {PerDocument<Set<number>>} */
  #kept = new PerDocument(() => new Set());
  /** @type {Set<import('../core/history.js').History>} those whose earlier states have not arrived yet */
  #awaited = new Set();

  /**
   * @param {Pick<Bench, 'server' | 'session'>} page
   * @param {import('../core/history.js').Histories} histories
   * @param {() => void} onChange an answer has arrived, perhaps with more steps
   */
  constructor(page, histories, onChange) {
    this.page = page;
    this.histories = histories;
    this.onChange = onChange;
  }

  /**
   * Another document is shown, or the same one anew.
   * @param {string} token
   */
  show(token) {
    this.#asked = this.#kept.show(token);
  }

  /** @param {number} index */
  isAwaited(index) {
    return this.#awaited.has(this.histories.of(index));
  }

  /** A change of many segments was undone or redone: the states may be different now. */
  forget() {
    for (const index of this.#asked) {
      const history = this.histories.of(index);
      history.dropEarlier();
      if (history.isEmpty) this.#asked.delete(index);
    }
  }

  /**
   * Adds the earlier states of a segment that is opened for the first time in this page. A fast person may have typed in it
   * already; these steps stay behind the earlier ones.
   * @param {Detail} detail
   */
  async recall(detail) {
    const {server, session} = this.page;
    const {index, state} = detail;
    const {token, version} = session;
    const history = this.histories.of(index);
    const {pins, bans} = detail.constraints;
    const isWorkedOn = ['edited', 'confirmed'].includes(state) || pins.length || bans.length;
    if (this.#asked.has(index)) return;
    this.#asked.add(index); // also if there is nothing to ask for: what comes later is made in this page
    if (!isWorkedOn || detail.is_from_memory) return;
    let reply;
    this.#awaited.add(history);
    try {
      reply = await server.command({
        token,
        name: 'earlier',
        segment: index,
        since: version,
        open: null,
        detail_since: 0,
      });
    } catch {
      this.#asked.delete(index); // offline: asked again with the next details
      return;
    } finally {
      this.#awaited.delete(history);
    }
    if (session.token !== token || this.histories.of(index) !== history) return;
    if (reply?.ok && this.#asked.has(index)) {
      /** @type {EarlierState[]} */
      const states = reply.result.states;
      history.addEarlier(
        states.map(({text, constraints, is_confirmed: isConfirmed}) => {
          const end = text?.length ?? 0;
          return {text, constraints, isConfirmed, start: end, end};
        }),
      );
    }
    this.onChange();
  }
}

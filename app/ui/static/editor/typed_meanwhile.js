/* What a person types and presses while another document is on its way belongs to that document, not to the one that they
   have left. */
import {h, t} from '../core/dom.js';
import {insertText} from './text_commands.js';

const MAX_WAIT_MS = 5000; // then the typed text returns to the field that is shown, where it is visible and stored

/** The keys that were pressed while another document comes, with what was typed before each of them. */
export class Meanwhile {
  isComing = false;
  /** @type {HTMLInputElement | null} */
  catcher = null;
  /** @type {{typed: string, press: () => void}[]} */
  #held = [];

  /**
   * Holds a key until the document is there. Returns false if none is on its way.
   * @param {() => void} press
   */
  hold(press) {
    if (!this.isComing) return false;
    this.#held.push({typed: this.takeTyped(), press});
    return true;
  }

  /** What was typed since the last key. */
  takeTyped() {
    const typed = this.catcher?.value ?? '';
    if (this.catcher) this.catcher.value = '';
    return typed;
  }

  takeHeld() {
    return this.#held.splice(0);
  }
}

/**
 * Shows another document. Text that is typed in the edit field until then is inserted where the caret is afterwards, and
 * keys act there; if nothing else is shown, they do nothing.
 * @template T
 * @param {Pick<Bench, 'meanwhile' | 'root' | 'segment' | 'session'>} bench
 * @param {() => Promise<T>} show
 * @returns {Promise<T>}
 */
export const keepingTyped = async ({meanwhile, root, segment, session}, show) => {
  if (meanwhile.isComing) return show();
  const {text} = segment;
  const {token, open} = session;
  const catcher = document.activeElement === text.field.area ? h('input.sr', {'aria-label': t('joined.coming')}) : null;
  Object.assign(meanwhile, {isComing: true, catcher});
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    clearTimeout(timer);
    removeEventListener('pagehide', release);
    const last = meanwhile.takeTyped();
    const held = meanwhile.takeHeld();
    Object.assign(meanwhile, {isComing: false, catcher: null});
    if (catcher && document.activeElement === catcher) segment.focusField();
    catcher?.remove();
    const isThere = session.token !== token || session.open !== open;
    for (const {typed, press} of [...held, {typed: last, press: () => {}}]) {
      if (meanwhile.isComing && meanwhile.catcher)
        meanwhile.catcher.value += typed; // a key leads to a further document
      else if (typed) {
        segment.caret = null; // it has been used
        insertText(text, typed);
      }
      if (isThere && !meanwhile.hold(press)) press();
    }
  };
  const timer = setTimeout(release, MAX_WAIT_MS);
  addEventListener('pagehide', release);
  if (catcher) {
    root.append(catcher);
    catcher.focus({preventScroll: true});
  }
  try {
    return await show();
  } finally {
    release();
  }
};

/* Counts the keys pressed in the edit field by class, and tells the server now and then. Never which character it was. */

const TELL_AFTER_MS = 10000;
const NAVIGATION = /^(Arrow|Home|End|Page|Tab|Escape|F\d)/;

/** "character", "delete", "navigation", "command", or null for a key that does nothing by itself. */
export const keyClass = event => {
  if (['Control', 'Alt', 'Shift', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Unidentified'].includes(event.key)) return null;
  if (event.key === 'Backspace' || event.key === 'Delete') return 'delete';
  if (event.key.length === 1 && (event.getModifierState('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey))) return 'character';
  if (NAVIGATION.test(event.key) && !event.altKey) return 'navigation';
  return 'command';
};

export class KeyCounter {
  /** tell(counts) is called a while after the first key, and by flush(). */
  constructor(area, tell) {
    Object.assign(this, {tell, counts: {}, timer: null});
    // On the window and before anybody else: a key that is a command is kept from the field.
    window.addEventListener('keydown', event => { if (document.activeElement === area) this.count(keyClass(event)); }, true);
  }

  count(name) {
    if (!name) return;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    this.timer ??= setTimeout(() => this.flush(), TELL_AFTER_MS);
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    const {counts} = this;
    this.counts = {};
    if (Object.keys(counts).length) this.tell(counts);
  }
}

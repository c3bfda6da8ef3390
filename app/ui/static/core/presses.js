/* Replies wait while a pointer button is down: an element replaced between press and release never gets the click. */

export class PressQueue {
  /** @type {[Reply, Command | null][] | null} replies that wait; null while no button is down */
  #held = null;

  /**
   * @param {HTMLElement} root
   * @param {(reply: Reply, command: Command | null) => void} deliver
   */
  constructor(root, deliver) {
    this.deliver = deliver;
    const release = () => setTimeout(() => this.release()); // the click comes right after the release
    root.addEventListener(
      'pointerdown',
      () => {
        this.#held ??= [];
      },
      true,
    );
    for (const name of ['pointerup', 'mouseup', 'pointercancel', 'dragend'])
      window.addEventListener(name, release, true);
    window.addEventListener(
      'pointermove',
      event => {
        if (this.#held && !event.buttons) release(); // released outside of the window
      },
      true,
    );
    window.addEventListener('blur', event => {
      if (event.target === window) release();
    });
  }

  /**
   * Delivers a reply, now or when the button is released.
   * @param {Reply} reply
   * @param {Command | null} command
   */
  add(reply, command) {
    if (this.#held) this.#held.push([reply, command]);
    else this.deliver(reply, command);
  }

  release() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const [reply, command] of held) this.deliver(reply, command);
  }
}

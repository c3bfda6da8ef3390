/* Replies wait while a pointer button is down: an element replaced between press and release never gets the click. */

/**
 * Watches the presses of a pointer button on an element. onRelease() comes after the click that follows the release, and not
 * while the next press is held: on a busy computer, a timer can be later than the next press.
 * @param {EventTarget} element
 * @param {() => void} onPress
 * @param {() => void} onRelease
 */
export const watchPresses = (element, onPress, onRelease) => {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isDown = false;
  const release = () => {
    isDown = false;
    clearTimeout(timer);
    timer = setTimeout(onRelease);
  };
  element.addEventListener(
    'pointerdown',
    () => {
      isDown = true;
      clearTimeout(timer);
      onPress();
    },
    true,
  );
  for (const name of ['pointerup', 'mouseup', 'pointercancel', 'dragend']) window.addEventListener(name, release, true);
  window.addEventListener(
    'pointermove',
    event => {
      if (isDown && !event.buttons) release(); // released outside of the window
    },
    true,
  );
  window.addEventListener('blur', event => {
    if (event.target === window) release();
  });
};

export class PressQueue {
  /** @type {[Reply, Command | null][] | null} replies that wait; null while no button is down */
  #held = null;

  /**
   * @param {EventTarget} root
   * @param {(reply: Reply, command: Command | null) => void} deliver
   */
  constructor(root, deliver) {
    this.deliver = deliver;
    watchPresses(
      root,
      () => {
        this.#held ??= [];
      },
      () => this.#release(),
    );
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

  #release() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const [reply, command] of held) this.deliver(reply, command);
  }
}

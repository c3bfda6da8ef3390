/* Reports when the person is idle and when they return. The log does not count a longer pause as work. */

export const IDLE_MS = 60000; // the server has the same limit
const ACTS = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'input'];

/**
 * onIdle(milliseconds since the last act); onReturn(): the first act after that. A hidden window reports neither.
 * @param {(idleMs: number) => void} onIdle
 * @param {() => void} onReturn
 */
export const watchIdle = (onIdle, onReturn) => {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isIdle = false;
  const restart = () => {
    clearTimeout(timer);
    const since = performance.now();
    timer = setTimeout(() => {
      if (document.hidden) return;
      isIdle = true;
      onIdle(Math.round(performance.now() - since));
    }, IDLE_MS);
  };
  const act = () => {
    if (isIdle) {
      isIdle = false;
      onReturn();
    }
    restart();
  };
  for (const name of ACTS) window.addEventListener(name, act, {capture: true, passive: true});
  document.addEventListener('visibilitychange', () => {
    isIdle = false; // hiding and showing the window is reported elsewhere
    restart();
  });
  restart();
};

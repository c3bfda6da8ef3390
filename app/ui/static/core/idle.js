/* Tells when the person has done nothing for a while, and when they go on. The log counts a longer pause as no work. */

export const IDLE_MS = 60000; // as the server counts it
const ACTS = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'input'];

/**
 * onIdle(milliseconds since the last act); onReturn(): the first act after that. A hidden window is neither.
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
    isIdle = false;
    restart();
  }); // leaving and coming back are told
  restart();
};

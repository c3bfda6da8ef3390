/* Tells the server when the person is at the document, so that it does not count other time or long pauses. */

export const IDLE_MS = 60000; // the server has the same limit
const ACTS = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'input'];

/**
 * onIdle(milliseconds since the last act); onReturn(): the first act after that. A hidden window reports neither.
 * @param {(idleMs: number) => void} onIdle
 * @param {() => void} onReturn
 */
const watchIdle = (onIdle, onReturn) => {
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
    isIdle = false; // `Presence` reports hiding and showing the window
    restart();
  });
  restart();
};

export class Presence {
  /** @param {Pick<Bench, 'connection' | 'pages' | 'segment' | 'session'>} bench */
  constructor(bench) {
    this.bench = bench;
    this.isAway = false; // the window is hidden, or shows another page than the document
    document.addEventListener('visibilitychange', () => this.update());
    addEventListener('pagehide', () => this.onPageHide()); // comes before the window is hidden
    watchIdle(
      ms => this.onIdle(ms),
      () => this.update(),
    );
  }

  /** The server does not count the time in another window or on another page. */
  update() {
    const {open} = this.bench.session;
    if (open === null) return;
    const wasAway = this.isAway;
    this.isAway = document.hidden || this.bench.pages.isOpen;
    if (!this.isAway) this.bench.connection.send('open', {segment: open}, 'open');
    else if (!wasAway) {
      this.bench.segment.flush();
      this.bench.connection.send('leave', {segment: open});
    }
  }

  /** The tab is closed, or shows another address. */
  onPageHide() {
    const {open} = this.bench.session;
    if (open === null || this.isAway) return;
    this.isAway = true;
    this.bench.connection.sendLast('leave', {segment: open});
  }

  /**
   * The server does not count idle time.
   * @param {number} idle_ms
   */
  onIdle(idle_ms) {
    const {open} = this.bench.session;
    if (open === null || this.isAway) return;
    this.bench.segment.keys.flush();
    this.bench.connection.send('idle', {segment: open, idle_ms});
  }
}

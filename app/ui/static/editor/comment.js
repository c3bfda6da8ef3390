/* The comment on the open segment, under the edit field. */
import {button, h, icon, t} from '../core/dom.js';

const SAVE_PAUSE_MS = 1000;
export const MAX_CHARACTERS = 2000;

export class Comment {
  /**
   * onLeave(): the person has finished the comment.
   * @param {Pick<Bench, 'connection'>} page
   * @param {Readonly<CurrentSegment>} current
   * @param {{onLeave: () => void}} options
   */
  constructor(page, current, {onLeave}) {
    this.page = page;
    this.current = current;
    this.onLeave = onLeave;
    this.area = h('textarea', {
      rows: 1,
      maxlength: MAX_CHARACTERS,
      dir: 'auto',
      spellcheck: 'true',
      'aria-label': t('comment.label'),
      placeholder: t('comment.placeholder'),
      oninput: () => {
        this.grow();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.flush(), SAVE_PAUSE_MS);
      },
      onblur: () => {
        this.flush();
        this.fold();
      },
      onkeydown: event => this.onKey(event),
    });
    this.element = h(
      'div.comment',
      {hidden: true},
      icon('comment', true),
      this.area,
      button(
        '.x',
        {
          'aria-label': t('comment.remove'),
          title: t('comment.remove'),
          onclick: () => {
            this.set('');
            this.leave();
          },
        },
        icon('x'),
      ),
    );
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.sent = '';
    this.reset();
  }

  /** Another segment is open; its comment arrives with its details. */
  reset() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sent = ''; // the text that was sent
    this.set('');
    this.fold();
  }

  /** Shows the server's comment, unless the person is writing or the newest text is not stored yet. */
  update() {
    if (document.activeElement === this.area || this.timer || this.current.isPending('comment')) return;
    this.sent = this.current.detail?.comment ?? '';
    this.set(this.sent);
    this.fold();
  }

  edit() {
    this.element.hidden = false;
    this.grow();
    this.area.focus();
    this.area.setSelectionRange(this.area.value.length, this.area.value.length);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.isComposing) return;
    const isDone = event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (!isDone && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.leave();
  }

  leave() {
    this.flush();
    this.onLeave();
    this.fold();
  }

  /** Sends the comment without waiting for a pause. */
  flush() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const {index} = this.current;
    const text = this.area.value.trim();
    if (index === null || text === this.sent) return;
    this.sent = text;
    this.page.connection.send('comment', {segment: index, text}, `comment:${index}`);
  }

  /** @param {string} text */
  set(text) {
    if (this.area.value !== text) this.area.value = text;
    this.grow();
  }

  /** Hides an empty comment. */
  fold() {
    this.element.hidden = !this.area.value.trim() && document.activeElement !== this.area;
  }

  grow() {
    this.area.style.blockSize = 'auto';
    this.area.style.blockSize = `${this.area.scrollHeight}px`;
  }
}

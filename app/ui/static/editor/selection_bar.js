/* A bar beside the words that are selected in the field, or the word clicked, with what can be done with them: above the first
   line of the text, or below the last, so that it covers no word. The field keeps the focus; each
   command has keys, too. */
import {button, h, t} from '../core/dom.js';
import {shortcut, speltFor} from '../core/key_bindings.js';

const PAUSE_MS = 250; // not while a selection grows
const AWAY = 6; // pixels between the bar and the words
const EDGE = 12; // pixels kept free at the sides

export class SelectionBar {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  #isClicked = false; // the caret is where the person clicked

  /**
   * @param {Pick<TargetText, 'field'>} text
   * @param {[label: () => string, action: string, act: () => void][]} commands `action`: the action of the same keys
   */
  constructor(text, commands) {
    this.text = text;
    this.element = h('div.selbar', {
      role: 'toolbar',
      'aria-label': t('bar.label'),
      hidden: true,
      onmousedown: event => event.preventDefault(),
    });
    this.commands = commands;
    const {area} = text.field;
    area.addEventListener('selectionchange', () => this.#update());
    area.addEventListener('pointerdown', () => {
      this.#isClicked = true;
    });
    area.addEventListener('click', () => this.#update());
    for (const name of ['keydown', 'beforeinput'])
      area.addEventListener(name, () => {
        this.#isClicked = false;
        this.hide();
      });
    area.addEventListener('blur', () => this.hide());
  }

  #update() {
    this.hide();
    this.#timer = setTimeout(() => this.#show(), PAUSE_MS);
  }

  #show() {
    const {area, box} = this.text.field;
    if (area.readOnly || document.activeElement !== area) return;
    const [start, end] = this.text.field.words();
    if (start === end || (area.selectionStart === area.selectionEnd && !this.#isClicked)) return;
    this.element.replaceChildren(
      ...this.commands.map(([label, action, act]) =>
        button('.btn.small.quiet', {onclick: act, title: speltFor(action), ...shortcut(action)}, label()),
      ),
    );
    this.element.hidden = false;
    const host = this.element.offsetParent?.getBoundingClientRect();
    const [place, first, last] = [start, 0, area.value.length].map(at => box.placeOf(at));
    if (!host || !place) return;
    const isBelow = first && last && place.top > first.top + 1;
    const room = host.width - this.element.offsetWidth - EDGE;
    this.element.style.left = `${Math.max(EDGE, Math.min(place.left - host.left, room))}px`;
    const top = isBelow ? last.bottom + AWAY : place.top - this.element.offsetHeight - AWAY;
    this.element.style.top = `${top - host.top}px`;
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }
}

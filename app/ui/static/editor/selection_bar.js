/* A bar above the words that are selected in the field, or above the word clicked, with what can be done with them. The field keeps the focus; each
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
   * @param {TargetText} text
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
    const place = box.placeOf(start);
    if (!host || !place) return;
    const room = host.width - this.element.offsetWidth - EDGE;
    this.element.style.left = `${Math.max(EDGE, Math.min(place.left - host.left, room))}px`;
    this.element.style.top = `${place.top - host.top - this.element.offsetHeight - AWAY}px`;
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }
}

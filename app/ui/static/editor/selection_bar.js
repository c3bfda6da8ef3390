/* A bar beside the words that are selected in the field or in the source, or the word clicked, with what can be done with
   them: above the first line of the text, or below the last, so that it covers no word. The focus stays where it is; each
   command has keys, too. */
import {button, h, t} from '../core/dom.js';
import {shortcut, speltFor} from '../core/key_bindings.js';

const PAUSE_MS = 250; // not while a selection grows
const AWAY = 6; // pixels between the bar and the words
const EDGE = 12; // pixels kept free at the sides

/**
 * The words that a bar in the field is for: those selected, or the word that the person clicked.
 * @param {Field} field
 * @returns {BarHost}
 */
export const wordsInField = field => ({
  area: field.area,
  place: isClicked => {
    const {area, box} = field;
    if (area.readOnly || document.activeElement !== area) return null;
    const [start, end] = field.words();
    if (start === end || (area.selectionStart === area.selectionEnd && !isClicked)) return null;
    const [words, first] = [start, 0].map(at => box.placeOf(at));
    return words && {words, text: {top: (first ?? words).top, bottom: box.bottom()}};
  },
});

export class SelectionBar {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  #isClicked = false; // the caret is where the person clicked

  /**
   * @param {BarHost} host
   * @param {[label: () => string, action: string, act: () => void][]} commands `action`: the action of the same keys
   * @param {string} [label]
   */
  constructor({area, place}, commands, label = t('bar.label')) {
    this.place = place;
    this.element = h('div.selbar', {
      role: 'toolbar',
      'aria-label': label,
      hidden: true,
      onmousedown: event => event.preventDefault(),
    });
    this.commands = commands;
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
    area.addEventListener('focusout', () => this.hide());
  }

  #update() {
    this.hide();
    this.#timer = setTimeout(() => this.#show(), PAUSE_MS);
  }

  #show() {
    const place = this.place(this.#isClicked);
    if (!place) return;
    this.element.replaceChildren(
      ...this.commands.map(([label, action, act]) =>
        button('.btn.small.quiet', {onclick: act, title: speltFor(action), ...shortcut(action)}, label()),
      ),
    );
    this.element.hidden = false;
    const host = this.element.offsetParent?.getBoundingClientRect();
    if (!host) return;
    const {words, text} = place;
    const above = words.top - this.element.offsetHeight - AWAY;
    const isBelow =
      words.top > text.top + 1 || above < (this.element.closest('.scroll')?.getBoundingClientRect().top ?? 0);
    const room = host.width - this.element.offsetWidth - EDGE;
    this.element.style.left = `${Math.max(EDGE, Math.min(words.left - host.left, room))}px`;
    this.element.style.top = `${(isBelow ? text.bottom + AWAY : above) - host.top}px`;
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }
}

/* Alt+Shift+→: puts the pin at the caret where it stands next best, and the text that then differs least into the field. After
   the last place comes the first. */
import {t} from '../core/dom.js';

/**
 * The number of characters as the server counts them, up to a place of the browser's string.
 * @param {string} text
 * @param {number} place
 */
const characters = (text, place) => [...text.slice(0, place)].length;

/**
 * The place in the browser's string of a character as the server counts them.
 * @param {string} text
 * @param {number} character
 */
const placeOf = (text, character) => [...text].slice(0, character).join('').length;

export class PinPlaces {
  /** @type {{text: string, start: number}[]} texts with the pin at its places, the one that it had first */
  #places = [];
  #at = 0; // which of them the field shows
  #pin = '';
  #number = 0; // of the newest question

  /**
   * @param {Pick<Bench, 'server' | 'session' | 'say'>} page
   * @param {{current: Readonly<CurrentSegment>, text: TargetText, constraints: ConstraintSet, marks: WordMarks}} parts
   */
  constructor(page, {current, text, constraints, marks}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.marks = marks;
  }

  async next() {
    const {text, current, page} = this;
    if (current.refusesChanges()) return;
    const {selectionStart: caret} = text.field.area;
    const pin = this.marks.pins().find(([start, end]) => start <= caret && caret <= end);
    if (!pin) {
      page.say('info', t('places.nowhere'));
      return;
    }
    const {value} = text;
    const isKnown = this.#pin === pin[2] && this.#places[this.#at]?.text === value;
    if (!isKnown && !(await this.#ask(pin[2], value, pin[0]))) return;
    if (this.#places.length < 2) {
      page.say('info', t('places.none', {text: pin[2]}));
      return;
    }
    this.#at = (this.#at + 1) % this.#places.length;
    const {text: moved, start} = this.#places[this.#at];
    this.marks.release(pin[2], pin[0]);
    text.replace(moved, 'revision', {step: 'place', caret: start, isTyped: true});
    this.marks.choose(pin[2], start);
    this.constraints.change({follow: moved}, 'person', false);
    text.focus();
  }

  /**
   * Asks for the places of a pin in a text; false if the answer came too late, or there is none.
   * @param {string} pin
   * @param {string} text
   * @param {number} start where the pin begins
   */
  async #ask(pin, text, start) {
    const {page, current} = this;
    const {index} = current;
    const number = ++this.#number;
    let answer;
    try {
      const moved = characters(text, start);
      answer = await page.server.places({token: page.session.token, segment: index, pin, text, moved});
    } catch {
      answer = null;
    }
    if (number !== this.#number || index !== current.index || this.text.value !== text || answer?.is_overtaken)
      return false;
    if (!answer?.ok) {
      page.say('warn', answer?.error?.message ?? t('alts.offline'));
      return false;
    }
    this.#pin = pin;
    this.#at = 0;
    this.#places = [
      {text, start},
      ...answer.rows.map((/** @type {{text: string, start: number}} */ row) => ({
        text: row.text,
        start: placeOf(row.text, row.start),
      })),
    ];
    return true;
  }
}

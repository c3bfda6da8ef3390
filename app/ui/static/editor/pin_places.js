/* Alt+Shift+→: puts the pin at the caret where it stands next best, and the text that then differs least into the field. After
   the last place comes the first. A phrase that was in the text before it was pinned can have one more place, too. */
import {placesOf} from '../core/boundaries.js';
import {t} from '../core/dom.js';
import {speltFor} from '../core/key_bindings.js';

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
   * @param {Pick<Bench, 'server' | 'session' | 'say' | 'notes'>} page
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
    const {selectionStart: caret} = this.text.field.area;
    const pin = this.marks.pins().find(([start, end]) => start <= caret && caret <= end);
    if (pin) await this.#put(pin[2], pin[0]);
    else this.page.say('info', t('places.nowhere'));
  }

  /**
   * True if a phrase is in the text more often than it is pinned.
   * @param {string} phrase
   */
  hasUnpinned(phrase) {
    const numPins = this.constraints.now.pins.filter(pin => pin === phrase).length;
    return [...placesOf(this.text.value, phrase)].length > numPins;
  }

  /**
   * Says that a phrase that was pinned was in the text already, and offers one more of it, or another place. The caret goes
   * to it, so that the key moves it.
   * @param {string} phrase
   */
  sayThere(phrase) {
    const {text, page} = this;
    const start = this.marks.pins().find(([, , pin]) => pin === phrase)?.[0] ?? 0;
    text.focus();
    text.field.area.setSelectionRange(start, start);
    page.notes.say(
      'info',
      t('places.there', {text: phrase}),
      [
        [t('places.another'), () => this.#put(phrase, null)],
        [t('places.move', {keys: speltFor('move_pin')}), () => this.#put(phrase, start)],
      ],
      {key: 'places'},
    );
  }

  /**
   * Puts a pin where it stands next best.
   * @param {string} pin
   * @param {number | null} start where it is now; null for one more of it
   */
  async #put(pin, start) {
    const {text, current, page, constraints} = this;
    if (current.refusesChanges()) return;
    page.notes.take('places');
    const {value} = text;
    const isMoved = start !== null;
    const isKnown = isMoved && this.#pin === pin && this.#places[this.#at]?.text === value;
    if (!isKnown && !(await this.#ask(pin, value, start))) return;
    if (this.#places.length < (isMoved ? 2 : 1)) {
      page.say('info', t('places.none', {text: pin}));
      return;
    }
    this.#at = (this.#at + 1) % this.#places.length;
    const {text: follow, start: place} = this.#places[this.#at];
    if (isMoved) this.marks.release(pin, start);
    text.replace(follow, 'revision', {step: 'place', caret: place, isTyped: true});
    this.marks.choose(pin, place);
    const {pins} = constraints.now;
    constraints.change({pins: isMoved ? pins : [...pins, pin], follow}, 'person', false);
    text.focus();
  }

  /**
   * Asks for the places of a pin in a text; false if the answer came too late, or there is none.
   * @param {string} pin
   * @param {string} text
   * @param {number | null} start where the pin begins that moves; null for one more
   */
  async #ask(pin, text, start) {
    const {page, current} = this;
    const {index} = current;
    const number = ++this.#number;
    let answer;
    try {
      const moved = start === null ? null : characters(text, start);
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
    this.#at = start === null ? -1 : 0;
    this.#places = [
      ...(start === null ? [] : [{text, start}]),
      ...answer.rows.map((/** @type {{text: string, start: number}} */ row) => ({
        text: row.text,
        start: placeOf(row.text, row.start),
      })),
    ];
    return true;
  }
}

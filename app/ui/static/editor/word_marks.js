/* What is known of the words in the field: pins, terms, copied texts, the model's doubts, where the words come from, and which
   of them the machine wrote. They are marked in the text without width: no letter moves. */
import {placesOf} from '../core/boundaries.js';
import {pinPlaces} from '../core/constraints.js';
import {t} from '../core/dom.js';
import {percent} from '../core/texts.js';
import {keptPlaces, runsOf} from './own_words.js';

const DOUBTS = [0.25, 0.5, 0.8]; // below each, a word is underlined more heavily

/**
 * The number of the occurrence of words that begins at a place, from 0.
 * @param {string} text
 * @param {string} words
 * @param {number} start
 */
const occurrenceAt = (text, words, start) => [...placesOf(text, words)].findIndex(([first]) => first === start);

/** @typedef {{start: number, end: number, run: Run}} Word */

export class WordMarks {
  /** @type {{tokens: Run[], confidence: number[], origins: string[]}} what is known of the words of the proposal */
  #known = {tokens: [], confidence: [], origins: []};
  showsConfidence = false;
  /** @type {number[]} */
  #aligned = [];
  /** @type {Set<number>} */
  #learned = new Set();
  /** @type {ChosenPlace[]} which of several places of the same words the person pinned */
  #chosen = [];
  /** @type {[number, number] | null} */
  #asked = null; // the word that alternatives are shown for
  /** @type {{text: string, tokens: Run[], words: Word[]}} the newest result of `words` */
  #found = {text: '', tokens: [], words: []};

  /**
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {ConstraintSet} parts.constraints
   */
  constructor({current, text, constraints}) {
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    text.field.box.marksOf = written => this.#marksOf(written);
  }

  /**
   * @param {Run[]} tokens joined, they are the proposal; empty if there is none
   * @param {{confidence?: number[], origins?: string[]}} [known] of each word, 0 to 1; where it comes from
   */
  show(tokens, {confidence = [], origins = []} = {}) {
    this.#known = {tokens, confidence, origins};
    this.repaint();
  }

  /** @param {boolean} isShown */
  showConfidence(isShown) {
    this.showsConfidence = isShown;
    this.repaint();
  }

  /** @param {number[]} words those aligned with a word of the source */
  align(words) {
    if (String(words) === String(this.#aligned)) return;
    this.#aligned = words;
    this.repaint();
  }

  /** @param {Set<number>} words those that come from a confirmed segment */
  learn(words) {
    this.#learned = words;
    this.repaint();
  }

  /** @param {[number, number] | null} place of the word that alternatives are shown for */
  ask(place) {
    this.#asked = place;
    this.repaint();
  }

  repaint() {
    this.text.field.box.repaint();
  }

  /**
   * The machine's words in a text.
   * @param {string} [text]
   */
  words(text = this.text.value) {
    const {tokens} = this.#known;
    if (this.#found.text !== text || this.#found.tokens !== tokens) {
      let end = 0;
      const words = runsOf(text, tokens).map(run => {
        const start = end;
        end += run.t.length;
        return {start, end, run};
      });
      this.#found = {text, tokens, words};
    }
    return this.#found.words;
  }

  /** The places of the pins, as [start, end, pin]. */
  pins(text = this.text.value) {
    return pinPlaces(
      text,
      this.words(text).map(({run}) => run),
      this.constraints.now.pins,
      this.#chosen,
    );
  }

  /**
   * Remembers which of several places of the same words the person pinned, or moved the pin to.
   * @param {string} pin
   * @param {number} start
   */
  choose(pin, start) {
    const {pins} = this.constraints.now;
    this.#chosen = this.#chosen.filter(other => pins.includes(other.pin)); // the others were taken back
    this.#chosen.push({pin, occurrence: occurrenceAt(this.text.value, pin, start)});
  }

  /**
   * The pin at a place is removed; without arguments, all are forgotten.
   * @param {string} [pin]
   * @param {number} [start]
   */
  release(pin, start = 0) {
    const {value} = this.text;
    this.#chosen = this.#chosen.filter(
      other => pin && !(other.pin === pin && other.occurrence === occurrenceAt(value, pin, start)),
    );
  }

  /**
   * The number of the machine's word at a place, or null.
   * @param {number} place
   */
  wordAt(place) {
    return (
      this.words().find(({start, end, run}) => run.w !== undefined && start <= place && place <= end)?.run.w ?? null
    );
  }

  /**
   * Where a word of the machine's is, or null.
   * @param {number} word
   */
  placeOf(word) {
    return this.words().find(({run}) => run.w === word)?.start ?? null;
  }

  /**
   * The marks of a text: places with a class, and the attributes of their element.
   * @param {string} text
   * @returns {WordMark[]}
   */
  #marksOf(text) {
    const {row, detail} = this.current;
    if (!row) return [];
    const isOwn = this.text.isTyped && row.state !== 'confirmed';
    const kept = keptPlaces(text, this.constraints.now);
    const isKept = (/** @type {Word} */ {start, end}) => kept.some(([a, b]) => a <= start && end <= b);
    const words = this.words(text)
      .filter(({run}) => run.w !== undefined)
      .map(word => this.#wordMark(word, isOwn && detail !== null && !isKept(word)));
    const pins = this.pins(text).map(([start, end]) => ({
      start,
      end,
      classes: 'pin',
      attributes: {title: t('proposal.pinned.title')},
    }));
    const asked = this.#asked && this.#asked[1] <= text.length ? [this.#asked] : [];
    return [...pins, ...words, ...asked.map(([start, end]) => ({start, end, classes: 'asked', attributes: {}}))];
  }

  /**
   * @param {Word} word
   * @param {boolean} isQuiet
   */
  #wordMark({start, end, run}, isQuiet) {
    const number = Number(run.w);
    const probability = this.showsConfidence && !run.kept ? this.#known.confidence[number] : undefined;
    const level = probability === undefined ? -1 : DOUBTS.findIndex(limit => probability < limit);
    const known = [
      run.terms || run.is_term ? t('proposal.term.title') : '',
      run.new ? t(run.was ? 'proposal.was' : 'proposal.added', {text: run.was ?? ''}) : '',
      probability === undefined ? '' : t('confidence.word', {percent: percent(probability)}),
      run.listed ? t(run.listed === 'lexicon' ? 'proposal.listed.lexicon' : 'proposal.listed.set_phrase') : '',
      run.kept ? t('kept.title') : (this.#known.origins[number] ?? ''),
    ];
    const classes = {
      w: true,
      machine: isQuiet,
      asis: run.kept,
      term: run.is_term,
      new: run.new,
      aligned: this.#aligned.includes(number),
      learned: this.#learned.has(number),
    };
    /** @type {Record<string, string>} */
    const attributes = {'data-word': String(number), title: known.filter(Boolean).join('\n')};
    if (run.kept) attributes.dir = 'ltr';
    if (level >= 0) attributes['data-doubt'] = String(DOUBTS.length - level);
    const names = Object.entries(classes).filter(([, isOn]) => isOn);
    return {start, end, classes: names.map(([name]) => name).join(' '), attributes};
  }
}

/* The constraints of the open segment as the person set them, a moment ahead of the server. */
import {occursIn} from '../core/boundaries.js';
import {ban, isSame, partsOf, pin, unpin} from '../core/constraints.js';
import {t} from '../core/dom.js';
import {unsentConstraints} from '../core/storage.js';

/** @type {Constraints} */
const NO_CONSTRAINTS = {pins: [], termsOff: [], bans: [], beginning: '', locked: [], previous: ''};

/** @param {Constraints} set */
const hasAny = ({pins, bans, beginning, locked}) => Boolean(pins.length || bans.length || beginning || locked.length);

/**
 * Sends a set of constraints; the browser keeps it until the server has stored it, also over a reload.
 * @param {Pick<Bench, 'connection' | 'session'>} page
 * @param {CommandArgs} args
 */
export const sendConstraints = async ({connection, session}, args) => {
  const {token} = session;
  unsentConstraints.keep(token, args);
  await connection.send('constrain', args, `constrain:${args.segment}`);
  unsentConstraints.drop(token, args);
};

export class ConstraintSet {
  /** @type {string[]} */
  pins = [];
  /** @type {string[]} */
  termsOff = [];
  /** @type {Ban[]} */
  bans = [];
  beginning = '';
  /** @type {string[]} */
  locked = [];
  previous = ''; // the text that the proposal keeps as far as it can; empty for a free translation

  /**
   * record(kind): records a step of undo before a change; onChange(origin): the set has changed and is sent next;
   * textSeen(): the text that the person sees as the translation, and whether it is their own.
   * @param {Pick<Bench, 'connection' | 'session' | 'say'>} page
   * @param {Readonly<CurrentSegment>} current
   * @param {{record: (kind: string) => void, onChange: (origin: string) => void, textSeen: () => {text: string, isOwn: boolean}}} options
   */
  constructor(page, current, {record, onChange, textSeen}) {
    this.page = page;
    this.current = current;
    this.record = record;
    this.onChange = onChange;
    this.textSeen = textSeen;
  }

  clear() {
    Object.assign(this, partsOf(NO_CONSTRAINTS));
  }

  /**
   * Takes over the set that the server has.
   * @param {Detail} detail
   */
  adopt(detail) {
    Object.assign(this, partsOf({...detail, termsOff: detail.terms_off}));
  }

  /**
   * Changes parts of the set and sends the whole set; a newer set replaces one that still waits to be sent. `previous`
   * is chosen by itself unless it is among the changes.
   * @param {Partial<Constraints>} changes
   * @param {string} [origin]
   * @param {boolean} [isRecorded] whether undo takes the change back as a step of its own
   */
  change(changes, origin = 'person', isRecorded = true) {
    const after = {...partsOf(this), ...changes};
    if (isSame(after, this) || this.current.refusesChanges()) return;
    if (origin === 'person') after.previous = changes.previous ?? this.#previousFor(after);
    if (isRecorded) this.record('constrain');
    Object.assign(this, after);
    this.onChange(origin);
    const {pins, termsOff, bans, beginning, locked, previous} = this;
    const {index} = this.current;
    sendConstraints(this.page, {segment: index, pins, terms_off: termsOff, bans, beginning, locked, previous, origin});
  }

  get isEmpty() {
    return !hasAny(this);
  }

  /**
   * The text to keep as far as possible under a new set: the one that the first constraint began with, or the person's
   * own newer text. The proposal, if only there the new pins have a place. Empty without constraints, and after the
   * person chose a free translation.
   * @param {Constraints} after
   */
  #previousFor(after) {
    if (!hasAny(after) || (hasAny(this) && !this.previous)) return '';
    const {text, isOwn} = this.textSeen();
    const hasPlace = (/** @type {string} */ pinned) => !this.previous || occursIn(this.previous, pinned);
    const isOnlyInProposal = after.pins.some(
      pinned => !this.pins.includes(pinned) && !hasPlace(pinned) && occursIn(text, pinned),
    );
    return this.previous && !isOwn && !isOnlyInProposal ? this.previous : text;
  }

  /** Switches between a proposal near to the text seen before the constraints, and a free translation. */
  toggleFree() {
    if (hasAny(this)) this.change({previous: this.previous ? '' : this.textSeen().text}, 'free');
  }

  /**
   * @param {string} text
   * @param {string[]} [replaced] pins that the new one replaces
   * @param {string} [previous] the text to keep, with the pin in its place; otherwise it is chosen by itself
   */
  pin(text, replaced = [], previous) {
    const {lifted, ...changes} = pin(this, text.trim(), replaced);
    this.reportLifted('bans.lifted', 'bans.lifted_same', text.trim(), lifted);
    if (text.trim()) this.change(previous === undefined ? changes : {...changes, previous});
  }

  /**
   * Keeps a text in which the pins have other places.
   * @param {string} previous
   */
  place(previous) {
    this.change({previous});
  }

  /** @param {string} text */
  unpin(text) {
    if (this.pins.includes(text)) this.change(unpin(this, text));
  }

  /**
   * @param {string} text
   * @param {BanCase} [kind]
   */
  ban(text, kind = 'exact') {
    const {lifted, ...changes} = ban(this, text.trim(), kind);
    this.reportLifted('bans.lifts_pins', 'bans.lifts_pins_same', text.trim(), lifted);
    if (text.trim()) this.change(changes);
  }

  /** @param {string} text */
  unban(text) {
    this.change({bans: this.bans.filter(item => item.text !== text)});
  }

  /**
   * Switches a term off for this segment, or on again.
   * @param {string} key
   * @param {boolean} isOff
   */
  setTerm(key, isOff) {
    this.change({termsOff: isOff ? [...this.termsOff, key] : this.termsOff.filter(other => other !== key)});
  }

  /**
   * Shows which bans a pin removed, or which pins a ban removed.
   * @param {string} key text for other words than `text`
   * @param {string} same text for the same words
   * @param {string} text
   * @param {string[]} lifted
   */
  reportLifted(key, same, text, lifted) {
    const others = lifted.filter(other => other !== text);
    if (lifted.length)
      this.page.say('info', others.length ? t(key, {text, texts: others.join(', ')}) : t(same, {text}));
  }
}

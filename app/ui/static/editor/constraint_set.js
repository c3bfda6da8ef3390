/* The constraints of the open segment as the person set them, a moment ahead of the server. */
import {occursIn} from '../core/boundaries.js';
import {containsBanned, isEmpty, isSame, NO_CONSTRAINTS, withBan, withoutPin, withPin} from '../core/constraints.js';
import {t} from '../core/dom.js';
import {unsentConstraints} from '../core/storage.js';
import {keptOf} from './own_words.js';

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
  /** @type {Readonly<Constraints>} replaced at each change */
  now = NO_CONSTRAINTS;

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
    this.now = NO_CONSTRAINTS;
  }

  /**
   * Takes over the constraints that the server has.
   * @param {Constraints} constraints
   */
  adopt(constraints) {
    this.now = constraints;
  }

  /**
   * Changes parts of the constraints and sends them all; newer ones replace those that still wait to be sent. `follow` is
   * chosen by itself unless it is among the changes.
   * @param {Partial<Constraints>} changes
   * @param {string} [origin]
   * @param {boolean} [isRecorded] whether undo takes the change back as a step of its own
   * @param {CommandArgs} [more] for the command
   */
  change(changes, origin = 'person', isRecorded = true, more = {}) {
    const constraints = {...this.now, ...changes};
    constraints.pin_sources = constraints.pin_sources.filter(({text}) => constraints.pins.includes(text));
    if (isSame(constraints, this.now) || this.current.refusesChanges()) return;
    if (origin === 'person') {
      Object.assign(constraints, this.#ownWords(constraints, changes));
      constraints.follow = changes.follow ?? this.#followFor(constraints);
    }
    if (isRecorded) this.record('constrain');
    this.now = constraints;
    this.onChange(origin);
    sendConstraints(this.page, {segment: this.current.index, constraints, origin, ...more});
  }

  /**
   * The words of a text of the person's own, which stay beside pins and bans, unless the person has freed them.
   * @param {Constraints} after
   * @param {Partial<Constraints>} changes
   */
  #ownWords(after, {pins, bans, prefix, locked}) {
    const {text, isOwn} = this.textSeen();
    if (!isOwn) return {};
    if (!after.pins.length && !after.bans.length) return pins || bans ? {prefix: '', locked: []} : {};
    const isFreed = !bans && (prefix !== undefined || locked !== undefined);
    return isFreed ? {} : this.keptIn({text, start: 0, end: 0}, after);
  }

  /**
   * The words of a text that stay: up to the caret or what is selected, those that the person wrote, and those kept before;
   * without what is banned.
   * @param {{text: string, start: number, end: number}} chosen
   * @param {Readonly<Constraints>} [constraints]
   * @returns {Kept}
   */
  keptIn(chosen, constraints = this.now) {
    const {now} = this;
    // Then the text followed is the person's own, and these are their words in it.
    const isKnown = Boolean(now.follow && (now.prefix || now.locked.length));
    const before = isKnown ? now.follow : (this.current.detail?.proposal?.text ?? '');
    const {prefix, locked} = keptOf(chosen, before, constraints);
    const isFree = (/** @type {string} */ part) => !constraints.bans.some(ban => containsBanned(part, ban));
    return {prefix: isFree(prefix) ? prefix : '', locked: locked.filter(isFree)};
  }

  get isEmpty() {
    return isEmpty(this.now);
  }

  /**
   * The text to follow as far as possible under new constraints: the one that the first constraint began with, or the
   * person's own newer text. The proposal, if only there the new pins have a place. Empty without constraints, and after
   * the person chose a free translation.
   * @param {Constraints} after
   */
  #followFor(after) {
    const {pins, follow} = this.now;
    if (isEmpty(after) || (!this.isEmpty && !follow)) return '';
    const {text, isOwn} = this.textSeen();
    const hasPlace = (/** @type {string} */ pinned) => !follow || occursIn(follow, pinned);
    const isOnlyInProposal = after.pins.some(
      pinned => !pins.includes(pinned) && !hasPlace(pinned) && occursIn(text, pinned),
    );
    return follow && !isOwn && !isOnlyInProposal ? follow : text;
  }

  /** Switches between a proposal near to the text seen before the constraints, and a free translation. */
  toggleFree() {
    if (!this.isEmpty) this.change({follow: this.now.follow ? '' : this.textSeen().text}, 'free');
  }

  /**
   * @param {string} text
   * @param {string[]} [replaced] pins that the new one replaces
   * @param {SourceWords | null} [source] the source words that it translates
   */
  pin(text, replaced = [], source = null) {
    const pinned = text.trim();
    const {lifted, constraints} = withPin(this.now, pinned, replaced);
    this.reportLifted('bans.lifted', 'bans.lifted_same', pinned, lifted);
    const {pins, bans} = constraints;
    const others = this.now.pin_sources.filter(other => other.text !== pinned);
    const pin_sources = source
      ? [...others, {text: pinned, start: source.start, end: source.end}]
      : this.now.pin_sources;
    if (pinned) this.change({pins, bans, pin_sources});
  }

  /** @param {string} text */
  unpin(text) {
    const {pins, prefix, locked} = withoutPin(this.now, text);
    if (this.now.pins.includes(text)) this.change({pins, prefix, locked});
  }

  /**
   * @param {string} text
   * @param {BanCase} [kind]
   */
  ban(text, kind = 'exact') {
    const {lifted, constraints} = withBan(this.now, text.trim(), kind);
    this.reportLifted('bans.lifts_pins', 'bans.lifts_pins_same', text.trim(), lifted);
    const {pins, bans, prefix, locked} = constraints;
    if (text.trim()) this.change({pins, bans, prefix, locked});
  }

  /** @param {string} text */
  unban(text) {
    this.change({bans: this.now.bans.filter(item => item.text !== text)});
  }

  /**
   * Switches a term off for this segment, or on again.
   * @param {string} key
   * @param {boolean} isOff
   */
  setTerm(key, isOff) {
    const others = this.now.terms_off.filter(other => other !== key);
    this.change({terms_off: isOff ? [...others, key] : others});
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

/* The open segment: its source with terms, the proposal, the pins, the edit field, the hypotheses. */

import {joinedEdits} from '../core/changes.js';
import {drafts} from '../core/connection.js';
import {ban, isMetBy, isSame, partsOf, pin, unpin} from '../core/constraints.js';
import {h, icon, number, setText, sr, t, tn} from '../core/dom.js';
import {History} from '../core/history.js';
import {speltFor} from '../core/key_bindings.js';
import {KeyCounter} from '../core/key_counter.js';
import {listed} from '../core/steps.js';
import {unseenIn} from '../core/unseen.js';
import {inWords} from '../core/words.js';
import {widen} from '../dialogs/scope.js';
import {askSplit, selectedOffset} from '../dialogs/split.js';
import {Alignment} from './alignment.js';
import {Checks} from './checks.js';
import {Comment} from './comment.js';
import {Completion} from './completion.js';
import {isConfidenceKept, showConfidence} from './confidence.js';
import {Field} from './field.js';
import {buildLayout} from './layout.js';
import {Ledger} from './ledger.js';
import {Offers} from './offers.js';
import {Proposal} from './proposal.js';
import {Rest} from './rest.js';
import {settle, sourceLine} from './source.js';

const SAVE_PAUSE_MS = 300;
/** @type {Constraints} */
const NO_CONSTRAINTS = {pins: [], termsOff: [], bans: [], beginning: '', locked: []};

export class Segment {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** @type {number} */
    this.index = /** @type {any} */ (null); // until a segment is open
    /** @type {Detail | null} */
    this.detail = null;
    // The constraints as the person has set them, ahead of the server by a moment.
    /** @type {string[]} */
    this.pins = [];
    /** @type {string[]} */
    this.termsOff = [];
    /** @type {Ban[]} */
    this.bans = [];
    this.beginning = '';
    /** @type {string[]} */
    this.locked = [];
    this.isDirty = false; // the field holds what the server does not have yet
    this.isTyped = false; // the field holds the person's own words
    /** @type {Map<number, History>} */
    this.histories = new Map();
    /** @type {(() => void)[]} */
    this.waiting = []; // steps asked for before the details were there
    this.source = '';
    /** @type {string | null} */
    this.sent = null;
    this.sourceSignature = '';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.proposal = new Proposal({
      onPin: (text, replaced) => this.pin(text, replaced),
      onUnpin: text => this.unpin(text),
      onBan: text => this.ban(text),
      onLeave: () => this.focusField(),
    });
    this.offers = new Offers(this);
    this.ledger = new Ledger({
      onUnpin: text => {
        this.unpin(text);
        this.focusField();
      },
      onUnban: text => {
        this.unban(text);
        this.focusField();
      },
      onRecase: (text, kind) => this.ban(text, kind),
      onScope: text => widen(this, text),
      onFree: changes => {
        this.constrain(changes);
        this.focusField();
      },
    });
    this.rest = new Rest(this);
    this.field = new Field({
      onBeforeInput: kind => this.history.record(this.snapshot(), kind),
      onInput: () => this.onTyped(),
      onBlur: () => this.flush(),
      onLoss: codes => bench.say('warn', t('field.lost', {codes: codes.join(', ')})),
    });
    this.keys = new KeyCounter(this.field.area, {
      hasConsent: () => bench.keepsKeys,
      tell: noted => {
        if (bench.numbers?.has(this.index)) bench.connection.send('keys', {segment: this.index, ...noted});
      },
    });
    this.completion = new Completion(this);
    this.checks = new Checks(this);
    this.comment = new Comment(this);
    this.layout = buildLayout(this);
    showConfidence(this, isConfidenceKept());
    this.alignment = new Alignment(this.layout.sourceHost, this.proposal);
    addEventListener('resize', () => settle(this.layout.sourceHost.firstElementChild));
    addEventListener('pagehide', () => {
      this.flush();
      this.comment.flush();
    });
  }

  clearConstraints() {
    Object.assign(this, partsOf(NO_CONSTRAINTS));
  }

  get history() {
    let history = this.histories.get(this.index);
    if (!history) {
      history = new History();
      this.histories.set(this.index, history);
    }
    return history;
  }

  /**
   * Shows another segment; its details arrive a moment later.
   * @param {number} index
   */
  open(index) {
    this.flush();
    this.comment.flush();
    this.keys.flush();
    this.offers.alternatives.close(false);
    this.completion.dismiss();
    this.index = index;
    this.detail = null;
    this.waiting = [];
    this.isDirty = false;
    this.isTyped = false;
    this.offers.hideQuestion();
    this.checks.reset();
    this.comment.reset();
    this.layout.pinInput.value = '';
    const row = this.bench.rows[index];
    this.source = row.source;
    this.paintNumber();
    this.clearConstraints();
    this.proposal.current = 0;
    this.paintSource([{t: row.source}], []);
    this.layout.sourceNote.hidden = true;
    this.proposal.render([], {lang: this.bench.languages.target, isBusy: true, placeholder: ''});
    this.alignment.update([]);
    this.offers.hypotheses.render([], {});
    this.ledger.clear();
    this.layout.said.replaceChildren();
    setText(this.layout.proposalNote, '');
    this.field.setLanguage(this.bench.languages.target);
    this.field.set(row.target ?? '', (row.target ?? '').length);
    this.paintState();
  }

  paintNumber() {
    const n = this.bench.numberOf(this.index);
    setText(this.layout.no, String(n));
    this.layout.element.setAttribute('aria-label', t('segment.label', {n}));
  }

  /**
   * The server's view of this segment. While a command of ours is on its way, ours is the newer one.
   * @param {Detail} detail
   */
  update(detail) {
    if (detail.index !== this.index || (this.detail && detail.stamp < this.detail.stamp)) return;
    this.detail = inWords(detail);
    this.sync();
    for (const step of this.waiting.splice(0)) step();
  }

  /** Shows what the server has, but for what is on its way to it; called again once that has arrived. */
  sync() {
    const {detail} = this;
    if (!detail) return;
    if (!this.bench.connection.isPending(`constrain:${this.index}`)) {
      Object.assign(this, partsOf({...detail, termsOff: detail.terms_off}));
      this.paintProposal();
    }
    this.rest.settle();
    if (!this.isDirty && !this.bench.connection.isPending(`edit:${this.index}`)) {
      this.field.set(detail.target ?? detail.machine_text ?? '');
      this.isTyped = detail.origin === 'typed';
      if (detail.is_from_memory) this.history.begin({...this.snapshot(), text: null});
    }
    this.paintSource(detail.source, detail.terms);
    this.alignment.update(detail.proposal?.alignment ?? []);
    this.layout.sourceNote.textContent = detail.note;
    this.layout.sourceNote.hidden = !detail.note;
    this.paintPins();
    this.paintHypotheses();
    this.paintState();
    this.checks.update();
    this.comment.update();
    this.bench.side.update(detail);
  }

  /**
   * @param {Run[]} runs
   * @param {Term[]} terms
   */
  paintSource(runs, terms) {
    const signature = JSON.stringify([this.index, runs, terms]);
    if (signature === this.sourceSignature) return;
    this.sourceSignature = signature;
    this.layout.sourceHost.replaceChildren(sourceLine(runs, terms, this.bench.languages));
    settle(this.layout.sourceHost.firstElementChild);
  }

  paintProposal() {
    if (!this.detail) return;
    const {proposal, is_pending: isPending, notices} = this.detail;
    if (this.offers.alternatives.isOpen && proposal?.text !== this.offers.alternatives.text)
      this.offers.alternatives.close();
    this.proposal.render(proposal ? structuredClone(proposal.tokens) : [], {
      lang: this.bench.languages.target,
      isBusy: isPending,
      confidence: proposal?.confidence ?? [],
      placeholder: isPending
        ? t(this.bench.model.state === 'ready' ? 'proposal.pending' : 'proposal.model_loading')
        : t('proposal.none'),
    });
    setText(this.layout.proposalNote, proposal ? t('proposal.score', {score: number(proposal.score)}) : '');
    const says = [...notices];
    if (proposal?.is_stale && !isPending) says.push(t('proposal.stale'));
    this.layout.said.replaceChildren(...says.map(text => h('p.said', {}, icon('problem', true), h('span', {}, text))));
  }

  paintPins() {
    if (!this.detail) return;
    const prices = this.bench.connection.isPending(`constrain:${this.index}`) ? null : this.detail.prices; // of what was asked before
    this.ledger.render(this, this.detail, prices, this.bench.languages.target);
  }

  paintHypotheses() {
    if (this.detail)
      this.offers.hypotheses.render(this.detail.nbest, {
        lang: this.bench.languages.target,
        current: this.field.text,
        free: this.detail.free,
      });
  }

  paintState() {
    const state = this.isDirty ? 'edited' : (this.detail?.state ?? this.bench.rows[this.index].state);
    const label = t('segment.current', {state: t(`state.${state}`)});
    this.layout.stateIcon.replaceChildren(icon('current', true), sr(label));
    this.layout.stateIcon.title = label;
    const {unit} = this.bench;
    setText(this.layout.sourceCount, this.detail ? tn(`source.${unit}`, this.detail.num_words) : '');
    this.layout.reopenButton.hidden = state !== 'confirmed';
    const unseen = unseenIn(this.field.text);
    const length =
      state === 'confirmed'
        ? t('state.confirmed')
        : state === 'pretranslated' && this.detail?.is_from_memory
          ? t('field.memory')
          : tn('field.characters', this.field.text.length);
    setText(
      this.layout.fieldNote,
      unseen.length ? `${length} \u00b7 ${t('field.unseen', {names: unseen.join(', ')})}` : length,
    );
    this.layout.useProposal.hidden = !this.detail?.proposal || this.detail.proposal.text === this.field.text;
    const canStep = (/** @type {boolean} */ isUndo) => this.history.newest(isUndo) || this.bench.steps.newest(isUndo);
    this.layout.undoButton.disabled = !canStep(true);
    this.layout.redoButton.disabled = !canStep(false);
  }

  /* ---- text ---- */
  snapshot() {
    const isOnItsWay = this.bench.connection.isPending(`edit:${this.index}`);
    const row = this.bench.rows[this.index];
    const stored = this.detail
      ? this.detail.target
      : ['edited', 'confirmed'].includes(row.state) || row.is_from_memory
        ? row.target
        : null;
    const isOwn = this.isDirty || (isOnItsWay ? this.sent : stored) != null;
    const {selectionStart: start, selectionEnd: end} = this.field.area;
    return {
      text: isOwn ? this.field.text : null,
      isConfirmed: !this.isDirty && !isOnItsWay && row.state === 'confirmed',
      ...partsOf(this),
      start,
      end,
    };
  }

  onTyped() {
    this.completion.dismiss();
    this.isDirty = true;
    this.isTyped = true;
    this.offers.hideQuestion();
    this.checks.paintLink();
    this.keepDraft(this.field.text);
    this.paintState();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), SAVE_PAUSE_MS);
    this.bench.status.update();
  }

  /** @param {string} text */
  keepDraft(text) {
    drafts.keep(this.bench.session.token, this.index, text, this.detail?.target);
  }

  /** Sends what was typed, now. */
  flush() {
    clearTimeout(this.timer);
    if (this.isDirty && this.index !== null)
      this.sendText(this.field.text, 'typed', {reported: this.field.changes.take(this.field.text)});
  }

  /**
   * @param {string | null} text
   * @param {string} origin
   * @param {CommandArgs} [more]
   */
  async sendText(text, origin, more = {}) {
    const {index} = this;
    this.isDirty = false; // from here on the pending command protects the field
    this.sent = text;
    const reply = await this.bench.connection.send(
      'edit',
      {segment: index, text, origin, ...more},
      `edit:${index}`,
      joinedEdits,
    );
    if (!reply.ok && index === this.index && this.field.text === text) this.isDirty = true; // not stored: keep it here
    if (!reply.ok && index === this.index && more.reported) this.field.changes.putBack(more.reported);
    if (text !== null && reply.ok) drafts.drop(this.bench.session.token, index, text);
    this.paintHypotheses();
  }

  /**
   * A text that is being sent already.
   * @param {string} text
   */
  show(text) {
    this.field.set(text, text.length);
    this.isTyped = true;
    this.paintState();
  }

  /**
   * Puts another text into the field and sends it; the caret stays where it is without `caret`.
   * @param {string} text
   * @param {string} origin where the text comes from
   * @param {{step?: string, caret?: number, isTyped?: boolean, rank?: number}} [options] `step`: undo takes it back as
   *   one step of that kind; `isTyped`: it counts as the person's own words; `rank`: of the hypothesis
   */
  replaceText(text, origin, {step, caret, isTyped = false, rank} = {}) {
    if (step) this.rememberStep(step);
    this.flush();
    this.field.set(text, caret ?? this.field.area.selectionStart);
    this.isTyped = isTyped;
    this.keepDraft(text);
    this.sendText(text, origin, rank === undefined ? {} : {rank});
    this.paintState();
  }

  /**
   * Undo goes back to the segment as it is now.
   * @param {string} kind
   */
  rememberStep(kind) {
    this.history.record(this.snapshot(), kind);
  }

  /** The field shows the proposal again, as long as the person types nothing. */
  followProposal() {
    this.sendText(null, 'proposal');
  }

  /** Another document is opened: no segment is shown, and there is nothing to undo. */
  forget() {
    this.index = /** @type {any} */ (null);
    this.histories.clear();
  }

  /* ---- pins, bans and terms ---- */
  /**
   * @param {string} text
   * @param {string[]} [replaced]
   */
  pin(text, replaced = []) {
    const {lifted, ...wanted} = pin(this, text.trim(), replaced);
    this.sayLifted('bans.lifted', 'bans.lifted_same', text.trim(), lifted);
    if (text.trim()) this.constrain(wanted);
  }

  /**
   * What had to give way to a pin or a ban: the same words, or others.
   * @param {string} key
   * @param {string} same
   * @param {string} text
   * @param {string[]} lifted
   */
  sayLifted(key, same, text, lifted) {
    const others = lifted.filter(other => other !== text);
    if (lifted.length)
      this.bench.say('info', others.length ? t(key, {text, texts: others.join(', ')}) : t(same, {text}));
  }

  /** @param {string} text */
  unpin(text) {
    if (this.pins.includes(text)) this.constrain(unpin(this, text));
  }

  /**
   * @param {string} text
   * @param {BanCase} [kind]
   */
  ban(text, kind = 'exact') {
    const {lifted, ...wanted} = ban(this, text.trim(), kind);
    this.sayLifted('bans.lifts_pins', 'bans.lifts_pins_same', text.trim(), lifted);
    if (text.trim()) this.constrain(wanted);
  }

  /** @param {string} text */
  unban(text) {
    this.constrain({bans: this.bans.filter(item => item.text !== text)});
  }

  /**
   * @param {string} key
   * @param {boolean} isOff
   */
  setTerm(key, isOff) {
    this.constrain({termsOff: isOff ? [...this.termsOff, key] : this.termsOff.filter(other => other !== key)});
  }

  /**
   * Changes some of the set and sends all of it; only the newest counts.
   * @param {Partial<Constraints>} changes
   * @param {string} [origin]
   * @param {boolean} [isRecorded]
   */
  constrain(changes, origin = 'person', isRecorded = true) {
    if (isSame({...this, ...changes}, this)) return;
    this.offers.alternatives.close();
    this.completion.dismiss();
    if (isRecorded) this.rememberStep('constrain');
    const {pins, termsOff, bans, beginning, locked} = Object.assign(this, changes);
    if (this.detail) {
      this.proposal.render(
        this.proposal.tokens.map(token =>
          token.pin !== undefined && !pins.includes(token.pin) ? {...token, pin: undefined, at: undefined} : token,
        ),
        {lang: this.bench.languages.target, isBusy: true, placeholder: t('proposal.pending')},
      );
      this.paintPins();
    }
    this.paintState();
    if (['person', 'alternative'].includes(origin) && this.detail?.is_from_memory && !isMetBy(this.field.text, this))
      this.leaveMemory();
    this.bench.connection.send(
      'constrain',
      {segment: this.index, pins, terms_off: termsOff, bans, beginning, locked, origin},
      `constrain:${this.index}`,
    );
  }

  /** A match of the memory that lacks what the person asks for makes way for the proposal. */
  leaveMemory() {
    this.followProposal();
    this.bench.say('info', t('memory.left', {keys: speltFor('undo')}));
  }

  /**
   * What was typed under the source becomes a pin or a ban.
   * @param {(text: string) => void} act
   */
  addTyped(act) {
    const text = this.layout.pinInput.value.trim();
    this.layout.pinInput.value = '';
    if (text) act(text);
    this.layout.pinInput.focus();
  }

  /** Alt+P: the word in focus in the proposal, else what is selected in the field, else the word at the caret. */
  pinSelection() {
    if (this.proposal.line.contains(document.activeElement)) {
      this.proposal.press(this.proposal.anchor ?? this.proposal.current, this.proposal.current);
      return;
    }
    const text = this.field.selection();
    if (text && !this.pins.includes(text)) this.pin(text);
    else if (!text) {
      this.layout.pinInput.focus();
    }
  }

  /** The word or phrase chosen in the proposal, else what is selected in the field, else the word at the caret. */
  banSelection() {
    const {proposal} = this;
    if (proposal.line.contains(document.activeElement))
      proposal.ban(proposal.anchor ?? proposal.current, proposal.current);
    else this.ban(this.field.selection());
  }

  /* ---- steps ---- */
  /**
   * Undoes or redoes what was done last: in this segment, or in many at once.
   * @param {boolean} isUndo
   */
  step(isUndo) {
    const {steps} = this.bench;
    const own = this.history.newest(isUndo);
    const wide = steps.newest(isUndo);
    if (wide && (!own || wide.at > (own.at ?? 0))) {
      this.flush();
      steps.step(isUndo);
      return;
    }
    if (!this.detail) {
      this.waiting.push(() => this.step(isUndo));
      return;
    } // what is pinned is not known yet
    const snapshot = this.history.step(this.snapshot(), isUndo);
    if (!snapshot) return;
    this.flush();
    const origin = isUndo ? 'undo' : 'redo';
    this.rest.asked = null;
    this.completion.dismiss();
    this.offers.hideQuestion();
    const text = snapshot.text ?? this.detail?.proposal?.text ?? '';
    if (snapshot.text !== this.snapshot().text) {
      this.field.set(text, snapshot.start, snapshot.end);
      this.isTyped = snapshot.text !== null;
      if (snapshot.text !== null) this.keepDraft(snapshot.text);
      this.sendText(snapshot.text, origin);
    }
    this.constrain(partsOf(snapshot), origin, false);
    if (snapshot.isConfirmed && snapshot.text !== null)
      this.bench.connection.send('confirm', {segment: this.index, text, origin});
    this.paintState();
    this.focusField();
  }

  async confirm() {
    const {index} = this;
    const text = this.field.text;
    if (!text.trim()) {
      this.bench.say('warn', t('confirm.empty'));
      this.focusField();
      return;
    }
    if (!this.checks.isFine() && !(await this.checks.agrees(index, text))) return;
    this.flush();
    const before = this.snapshot();
    this.history.pause();
    this.keepDraft(text);
    const next = this.bench.list.nextUnconfirmed(index);
    const sent = this.bench.connection.send('confirm', {segment: index, text});
    if (!before.isConfirmed) this.bench.steps.confirmation(true, index, {text, before: before.text, sent});
    if (next !== null) this.bench.openSegment(next);
    else this.bench.say('info', t('confirm.all'));
    const reply = await sent;
    if (!reply.ok) return;
    drafts.drop(this.bench.session.token, index, text);
    if (reply.result)
      this.bench.steps.batch(
        reply.result.step,
        tn('propagated', reply.result.segments.length, {where: listed(reply.result.segments, this.bench)}),
      );
  }

  /** Alt+Shift+X: cuts the segment where the person chooses; at first where the source is selected. */
  split() {
    const {bench, index} = this;
    const {sourceHost} = this.layout;
    const selection = getSelection();
    const place = selection && sourceHost.contains(selection.anchorNode) ? selectedOffset(sourceHost, selection) : null;
    this.flush();
    askSplit(bench, {
      source: this.source,
      place,
      onChoose: offset => bench.steps.divide('split', index, {offset}),
    });
  }

  /** Alt+Shift+J: joins the segment with the next. */
  merge() {
    this.flush();
    this.bench.steps.divide('merge', this.index);
  }

  reopen() {
    const {index} = this;
    const text = this.field.text;
    this.focusField();
    const sent = this.bench.connection.send('reopen', {segment: index});
    this.bench.steps.confirmation(false, index, {text, sent});
  }

  focusField() {
    this.field.area.focus({preventScroll: true});
  }
}

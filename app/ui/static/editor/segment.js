/* The open segment: creates its parts, gives them the server's details, and performs the commands that concern several
   parts, such as undo and confirm. */

import {isMetBy} from '../core/constraints.js';
import {t} from '../core/dom.js';
import {Histories} from '../core/history.js';
import {speltFor} from '../core/key_bindings.js';
import {KeyCounter} from '../core/key_counter.js';
import {inWords} from '../core/words.js';
import {widen} from '../dialogs/scope.js';
import {askSplit} from '../dialogs/split.js';
import {Alignment} from './alignment.js';
import {Checks} from './checks.js';
import {Comment} from './comment.js';
import {Completion} from './completion.js';
import {Confirmation} from './confirmation.js';
import {ConstraintSet} from './constraint_set.js';
import {CurrentSegment} from './current_segment.js';
import {EarlierStates} from './earlier_states.js';
import {buildLayout} from './layout.js';
import {Ledger} from './ledger.js';
import {Offers} from './offers.js';
import {Origins} from './origins.js';
import {PinPlaces} from './pin_places.js';
import {Rest} from './rest.js';
import {Review} from './review.js';
import {Revision} from './revision.js';
import {SegmentView} from './segment_view.js';
import {SelectionBar, wordsInField} from './selection_bar.js';
import {SourceSelection, selectedOffset} from './source_words.js';
import {TargetText} from './target_text.js';
import {WordMarks} from './word_marks.js';

export class Segment {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.histories = new Histories();
    this.earlier = new EarlierStates(bench, this.histories, () => {
      this.view.paintState();
      this.#takeWaiting();
    });
    /** @type {(() => void)[]} */
    this.waiting = []; // undo and redo pressed before the details or the earlier states arrived
    /** @type {[number, number] | null} */
    this.caret = null; // where the caret returns to when the text arrives
    const current = new CurrentSegment(bench);
    this.current = current;
    const record = (/** @type {string} */ kind) => this.history.record(this.snapshot(), kind);
    const text = new TargetText(bench, current, {
      record,
      onTyped: () => this.onTyped(),
      onChange: () => {
        bench.side.preview.draw(current.index);
        this.revision.settle();
        this.completion.settle();
        this.marks.repaint();
        this.view.paintState();
      },
      onAnswer: () => this.view.paintHypotheses(),
    });
    this.text = text;
    const constraints = new ConstraintSet(bench, current, {
      record,
      onChange: origin => this.onConstrained(origin),
      textSeen: () => ({text: text.isTyped ? text.value : (current.detail?.proposal?.text ?? ''), isOwn: text.isTyped}),
    });
    this.constraints = constraints;
    const marks = new WordMarks({current, text, constraints});
    this.marks = marks;
    this.offers = new Offers(bench, {
      current,
      text,
      constraints,
      marks,
      record,
      onToggle: () => this.view.togglePanel(),
    });
    this.ledger = new Ledger({
      onUnpin: pinned => {
        constraints.unpin(pinned);
        text.focus();
      },
      onUnban: banned => {
        constraints.unban(banned);
        text.focus();
      },
      onRecase: (banned, kind) => constraints.ban(banned, kind),
      onScope: pinned => this.widen(pinned),
      onFree: changes => {
        constraints.change(changes);
        text.focus();
      },
    });
    this.origins = new Origins(
      {text, marks},
      {
        language: () => bench.languages.source,
        onGo: index => bench.openSegment(index),
      },
    );
    this.rest = new Rest(bench, {current, text, constraints, record, onCancel: () => this.step(true)});
    this.keys = new KeyCounter(text.field.area, {
      hasConsent: () => bench.keepsKeys,
      onCount: counted => {
        if (bench.numbers?.has(current.index)) bench.connection.send('keys', {segment: current.index, ...counted});
      },
    });
    this.completion = new Completion(bench, {current, text});
    this.revision = new Revision(bench, {current, text, constraints});
    this.places = new PinPlaces(bench, {current, text, constraints, marks});
    this.checks = new Checks(bench, {current, text, onConfirm: () => this.confirmation.press()});
    for (const name of ['blur', 'selectionchange'])
      text.field.area.addEventListener(name, () => {
        this.checks.paintLink();
        bench.side.onCursor();
      });
    this.confirmation = new Confirmation(bench, {
      current,
      text,
      constraints,
      checks: this.checks,
      snapshot: () => this.snapshot(),
      onConfirmed: () => this.history.pause(),
    });
    this.comment = new Comment(bench, current, {onLeave: () => text.focus()});
    this.review = new Review(bench, {current, text, confirmation: this.confirmation});
    this.bar = new SelectionBar(wordsInField(text.field), [
      [() => t(this.#pinnedWords() ? 'bar.unpin' : 'pins.add'), 'pin', () => this.pinSelection()],
      [() => t('bans.add'), 'ban_selection', () => this.banSelection()],
      [() => t('action.alternatives'), 'alternatives', () => this.offers.askAlternatives()],
      [() => t('bar.term'), 'scope', () => this.widen()],
      [() => t('bar.concordance'), 'memory', () => bench.side.openMemory()],
    ]);
    this.layout = buildLayout(this);
    const {sourceHost, pinInput} = this.layout;
    this.source = new SourceSelection(sourceHost, pinInput, {current, text});
    this.sourceBar = new SelectionBar(
      {area: sourceHost, place: () => this.source.place()},
      [
        [() => t('bar.pin_source'), 'pin', () => this.pinSelection()],
        [() => t('bar.term'), 'scope', () => this.widen()],
        [() => t('bar.concordance'), 'memory', () => bench.side.openMemory()],
      ],
      t('bar.source'),
    );
    this.layout.element.querySelector('.desk')?.append(this.sourceBar.element);
    this.view = new SegmentView(bench, this.layout, {
      current,
      text,
      constraints,
      marks,
      offers: this.offers,
      ledger: this.ledger,
      origins: this.origins,
      canStep: isUndo => Boolean(this.history.newest(isUndo) || bench.steps.newest(isUndo)),
    });
    this.alignment = new Alignment(this.layout.sourceHost, {text, marks});
    addEventListener('pagehide', () => {
      text.flush();
      this.comment.flush();
    });
  }

  get index() {
    return this.current.index;
  }

  get history() {
    return this.histories.of(this.current.index);
  }

  /** Everything that a step of undo restores. */
  snapshot() {
    return {...this.text.snapshot(), constraints: this.constraints.now};
  }

  /**
   * Shows another segment; its details arrive a moment later.
   * @param {number} index
   */
  open(index) {
    this.text.flush();
    this.comment.flush();
    this.review.leave();
    this.keys.flush();
    this.offers.alternatives.close(false);
    this.completion.dismiss();
    this.revision.dismiss();
    this.bar.hide();
    this.marks.release();
    this.sourceBar.hide();
    this.source.forget();
    Object.assign(this.current, {index, detail: null, source: this.bench.rows[index].source});
    this.waiting = [];
    this.caret = null;
    this.offers.hideQuestion();
    this.confirmation.forget();
    this.constraints.clear();
    this.view.reset();
    this.text.reset();
    this.checks.reset();
    this.comment.reset();
    this.review.reset();
    this.alignment.update([]);
    this.view.paintState();
  }

  /**
   * Puts the caret back to where the person left the segment, now or when its text arrives.
   * @param {number} start
   * @param {number} end
   */
  placeCaret(start, end) {
    this.caret = [start, end];
    this.#returnCaret();
  }

  #returnCaret() {
    const {caret, text} = this;
    if (!caret || caret[1] > text.value.length) return;
    text.field.area.setSelectionRange(...caret);
    if (this.current.detail) this.caret = null;
  }

  /**
   * Another document is opened: no segment is open. What was done in it in this window can be undone.
   * @param {string} token
   */
  forget(token) {
    this.current.index = /** @type {any} */ (null);
    this.histories.show(token);
    this.earlier.show(token);
    this.review.forget();
  }

  /**
   * New details from the server; older ones are dropped.
   * @param {Detail} detail
   */
  update(detail) {
    const {current} = this;
    if (detail.index !== current.index || (current.detail && detail.stamp < current.detail.stamp)) return;
    const isFirst = !current.detail;
    current.detail = inWords(detail);
    this.sync();
    if (isFirst && !detail.is_pending) this.view.holdHeight();
    this.#returnCaret();
    this.earlier.recall(detail);
    this.#takeWaiting();
  }

  #takeWaiting() {
    for (const step of this.waiting.splice(0)) step();
  }

  /** Shows the server's details, except where a command of ours is not answered yet; called again after the answer. */
  sync() {
    const {detail} = this.current;
    if (!detail) return;
    const {view} = this;
    const isPending = this.current.isPending('constrain');
    if (!isPending) this.constraints.adopt(detail.constraints);
    this.rest.settle();
    if (this.text.adopt(detail) && detail.is_from_memory) this.history.begin({...this.snapshot(), text: null});
    if (!isPending) view.paintProposal();
    this.revision.settle();
    this.completion.settle();
    view.paintSource(detail.source, detail.terms);
    this.alignment.update(detail.proposal?.alignment ?? []);
    if (!isPending) this.revision.answered();
    view.paintSourceNote(detail.note);
    view.paintPins();
    view.paintHypotheses();
    view.paintState();
    this.checks.update();
    this.comment.update();
    this.review.update();
    this.confirmation.settle();
    this.bench.side.update(detail);
  }

  onTyped() {
    this.caret = null;
    this.waiting = []; // a late undo would take back the letters that were typed after it
    this.completion.typed();
    this.revision.typed();
    this.offers.hideQuestion();
    this.confirmation.forget();
    this.checks.paintLink();
    this.review.update();
    this.bench.status.update();
  }

  /** @param {string} origin */
  onConstrained(origin) {
    const {current, text, view} = this;
    this.offers.alternatives.close();
    this.completion.dismiss();
    this.revision.dismiss();
    if (current.detail) {
      view.paintPending();
      view.paintPins();
      this.revision.expect();
    }
    view.paintState();
    const isByPerson = ['person', 'alternative'].includes(origin);
    if (isByPerson && current.detail?.is_from_memory && !isMetBy(text.value, this.constraints.now)) {
      text.followProposal(); // the match of the memory does not meet the constraints
      this.bench.say('info', t('memory.left', {keys: speltFor('undo')}));
    }
  }

  /* ---- pins and bans ---- */
  /** Pins the text typed under the source, to the source words that it was asked for; without one, what is selected. */
  pinTyped() {
    this.#addTyped(
      text => {
        const source = this.source.takeAsked();
        const wasThere = this.places.hasUnpinned(text);
        this.constraints.pin(text, [], source);
        if (wasThere) this.places.sayThere(text);
        else if (source) this.focusField();
      },
      () => this.pinSelection(),
    );
  }

  /** Bans the text typed under the source; without one, what is selected. */
  banTyped() {
    this.#addTyped(
      text => this.constraints.ban(text),
      () => this.banSelection(),
    );
  }

  /**
   * @param {(text: string) => void} act
   * @param {() => void} actOnSelection
   */
  #addTyped(act, actOnSelection) {
    const {pinInput} = this.layout;
    const text = pinInput.value.trim();
    pinInput.value = '';
    if (!text) {
      if (document.activeElement !== pinInput) actOnSelection();
      return;
    }
    pinInput.focus();
    act(text);
  }

  /**
   * Alt+P: pins what is selected in the match in focus, else the words selected in the field, else the word at the caret. In
   * the source, asks for the translation of the words.
   */
  pinSelection() {
    const {constraints, text, marks} = this;
    if (this.bench.side.memory.pinFocused()) return;
    if (this.source.chosen()) {
      if (!this.current.refusesChanges()) this.source.askTranslation();
      return;
    }
    let [start, end] = text.field.words();
    if (start === end) {
      this.layout.pinInput.focus();
      return;
    }
    const pinned = this.#pinnedWords();
    if (pinned) {
      marks.release(pinned[2], pinned[0]);
      constraints.unpin(pinned[2]);
      return;
    }
    const touched = marks.pins().filter(([first, last]) => first < end && start < last);
    start = Math.min(start, ...touched.map(([first]) => first));
    end = Math.max(end, ...touched.map(([, last]) => last));
    const words = text.value.slice(start, end);
    marks.choose(words.trim(), start + words.length - words.trimStart().length);
    constraints.pin(
      words,
      touched.map(([, , pin]) => pin),
    );
  }

  /** Alt+Shift+B: bans the words selected in the field, else the word at the caret. */
  banSelection() {
    this.constraints.ban(this.text.field.selection());
  }

  /**
   * Adds a term of the document, a glossary or the project; suggests as its translation `text`, else what is selected in the
   * field, else, outside of the source, the pin at the caret or the newest pin.
   * @param {string} [text]
   */
  widen(text) {
    const {text: written, constraints, source, current} = this;
    const inSource = source.chosen();
    const pin = inSource ? '' : (this.#pinAtCaret() ?? constraints.now.pins.at(-1) ?? '');
    const chosenSource = (inSource ?? source.last)?.text ?? '';
    widen(this.bench, {text: text ?? (written.field.chosen().trim() || pin), current, chosenSource});
  }

  /** The pin that contains the words selected in the field, or the word at the caret. */
  #pinnedWords() {
    const [start, end] = this.text.field.words();
    return this.marks.pins().find(([first, last]) => first <= start && start < end && end <= last);
  }

  #pinAtCaret() {
    const {selectionStart: caret} = this.text.field.area;
    return this.marks.pins().find(([start, end]) => start <= caret && caret <= end)?.[2];
  }

  /* ---- commands ---- */
  /**
   * Undoes or redoes the newest step: of this segment, or of many segments.
   * @param {boolean} isUndo
   */
  step(isUndo) {
    const {bench, text, current} = this;
    const own = this.history.newest(isUndo);
    const wide = bench.steps.newest(isUndo);
    if (wide && (!own || wide.at > (own.at ?? 0))) {
      text.flush();
      bench.steps.step(isUndo);
      return;
    }
    if (current.refusesChanges()) return;
    if (!current.detail || (isUndo && !own && this.earlier.isAwaited(current.index))) {
      this.waiting.push(() => this.step(isUndo)); // the constraints, or what was before them, are not known yet
      return;
    }
    const snapshot = this.history.step(this.snapshot(), isUndo);
    if (!snapshot) return;
    this.restore(snapshot, isUndo ? 'undo' : 'redo');
    text.focus();
  }

  /**
   * Returns to a state of the segment.
   * @param {Snapshot} snapshot
   * @param {string} origin
   */
  restore(snapshot, origin) {
    const {bench, text, current} = this;
    text.flush();
    this.rest.forget();
    this.completion.dismiss();
    this.revision.dismiss();
    this.offers.hideQuestion();
    this.confirmation.forget();
    text.restore(snapshot, current.detail?.proposal?.text ?? '', origin);
    this.constraints.change(snapshot.constraints, origin, false);
    if (snapshot.isConfirmed && snapshot.text !== null)
      bench.connection.send('confirm', {segment: current.index, text: snapshot.text, origin});
    this.view.paintState();
  }

  /** Alt+Shift+X: asks where to split the segment; suggests the place that is selected in the source. */
  split() {
    const {bench, index, current} = this;
    if (current.refusesChanges()) return;
    const {sourceHost} = this.layout;
    const selection = getSelection();
    const place = selection && sourceHost.contains(selection.anchorNode) ? selectedOffset(sourceHost, selection) : null;
    this.text.flush();
    askSplit(bench, {
      source: current.source,
      place,
      onChoose: offset => bench.steps.divide('split', index, {offset}),
    });
  }

  /** Alt+Shift+J: merges the segment with the next one. */
  merge() {
    if (this.current.refusesChanges()) return;
    this.text.flush();
    this.bench.steps.divide('merge', this.index);
  }

  /** Alt+Shift+L: locks the segment, so that nobody changes it, or unlocks it. */
  lock() {
    const {bench, current} = this;
    if (!bench.document.project.may_lock) {
      bench.say('info', t('lock.not_allowed'));
      return;
    }
    this.text.flush();
    bench.steps.lock([current.index], !current.isLocked);
  }

  reopen() {
    const {index} = this;
    if (this.current.refusesChanges()) return;
    const text = this.text.value;
    this.text.reopen();
    this.focusField();
    const sent = this.bench.connection.send('reopen', {segment: index}, `reopen:${index}`);
    this.bench.steps.confirmation(false, index, {text, sent});
  }

  focusField() {
    this.text.focus();
  }

  /** Sends typed text, also of the comment, without waiting for a pause. */
  flush() {
    this.text.flush();
    this.comment.flush();
  }
}

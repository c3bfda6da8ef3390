/* Draws the open segment into the elements of its layout. */
import {bar, h, icon, setText, sr, t, textIn, tn} from '../core/dom.js';
import {scoreTitle, sureWord} from '../core/fit.js';
import {limitNote} from '../core/limits.js';
import {readStored, writeStored} from '../core/storage.js';
import {unseenIn} from '../core/unseen.js';
import {languageNames} from '../dialogs/direction.js';
import {originTexts} from './origins.js';
import {settle, sourceLine} from './source.js';

const CONFIDENCE_KEY = 'pinpoint:confidence';
const PANEL_KEY = 'pinpoint:details'; // other translations, scores and prices
const FULL_LEDGER = 90; // pixels: the ledger's heading and two constraints; a third takes the place of the free translation
const LEDGER_LINE = 28; // of a closed panel: all constraints on one line
const ABOVE = 31; // pixels: a row above the open segment
const BELOW = 24; // most of one below it

export class SegmentView {
  #sourceSignature = '';
  /** @type {{prices: Prices | null, free: FreeHypothesis | null}} the newest ones, shown until others replace them */
  #known = {prices: null, free: null};

  /**
   * @param {Pick<Bench, 'document' | 'languages' | 'unit' | 'model' | 'numberOf'>} page
   * @param {SegmentLayout} layout
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {ConstraintSet} parts.constraints
   * @param {WordMarks} parts.marks
   * @param {Offers} parts.offers
   * @param {Ledger} parts.ledger
   * @param {Origins} parts.origins
   * @param {(isUndo: boolean) => boolean} parts.canStep whether there is a step to undo or to redo
   */
  constructor(page, layout, {current, text, constraints, marks, offers, ledger, origins, canStep}) {
    this.page = page;
    this.layout = layout;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.marks = marks;
    this.offers = offers;
    this.ledger = ledger;
    this.origins = origins;
    this.canStep = canStep;
    this.showConfidence(readStored('local', CONFIDENCE_KEY) === 'shown');
    this.showPanel(readStored('local', PANEL_KEY) === 'shown');
    addEventListener('resize', () => {
      settle(layout.sourceHost.firstElementChild);
      this.holdHeight();
    });
  }

  /** After another segment was opened: shows the data that the list has. */
  reset() {
    const {layout, page} = this;
    layout.pinInput.value = '';
    this.paintNumber();
    this.paintSource([{t: this.current.source}], []);
    layout.sourceNote.hidden = true;
    this.paintBetween('');
    const {row} = this.current;
    this.marks.show([]);
    this.setBusy(true);
    this.offers.hypotheses.render([], {});
    this.ledger.clear();
    this.#known = {prices: null, free: null};
    layout.notices.replaceChildren();
    this.paintOrigin(null, []);
    this.text.field.setLanguage(page.languages.target, row.tags);
  }

  /**
   * Keeps the height of the open segment, with room for a full ledger and its n-best list: what arrives or changes later
   * takes its space from there, so that the rows below stay where they are. Called when the segment opens, and when its
   * details arrive a moment later if the proposal was known before: then the room is that of its own hypotheses.
   */
  holdHeight() {
    const {element, columns, sourceHost} = this.layout;
    const {field} = this.text;
    const {hypotheses} = this.offers;
    const {list, total} = this.ledger;
    const full = hypotheses.isOpen ? FULL_LEDGER : LEDGER_LINE;
    for (const name of ['--held', '--columns']) element.style.setProperty(name, '0px');
    element.style.setProperty('--nbest', '');
    const top = hypotheses.element.getBoundingClientRect().top; // right below the two columns
    const ledgerEnd = list.parentElement?.getBoundingClientRect().bottom ?? top;
    const filling = Math.max(0, full - list.offsetHeight - total.offsetHeight);
    const coming = this.text.value ? 0 : Math.max(0, sourceHost.offsetHeight - field.element.offsetHeight);
    const growth = Math.max(0, ledgerEnd + filling - top, coming);
    const held = top - element.getBoundingClientRect().top + growth;
    element.style.setProperty('--held', `${held}px`);
    element.style.setProperty('--columns', `${columns.offsetHeight + growth}px`);
    const scroll = element.closest('.scroll');
    const isFirst = scroll?.querySelector('li')?.contains(element); // there is no row above
    const room = (scroll?.clientHeight ?? 0) - held - (isFirst ? 0 : ABOVE) - BELOW;
    const {detail, row} = this.current;
    const isKnown = detail?.proposal && !detail.is_pending;
    const needed = hypotheses.neededHeight(isKnown ? null : Math.max(row.source.length, row.target?.length ?? 0));
    const least = Math.min(needed, hypotheses.element.offsetHeight - growth); // in a low window
    element.style.setProperty('--nbest', `${Math.max(least, Math.min(room, needed))}px`);
  }

  paintNumber() {
    const n = this.page.numberOf(this.current.index);
    setText(this.layout.no, String(n));
    this.layout.element.setAttribute('aria-label', t('segment.label', {n}));
  }

  /**
   * @param {Run[]} runs
   * @param {Term[]} terms
   */
  paintSource(runs, terms) {
    const {tags} = this.current.row;
    const signature = JSON.stringify([this.current.index, runs, terms, tags]);
    if (signature === this.#sourceSignature) return;
    this.#sourceSignature = signature;
    this.layout.sourceHost.replaceChildren(sourceLine(runs, terms, this.page.languages, tags));
    settle(this.layout.sourceHost.firstElementChild);
  }

  /** @param {string} note */
  paintSourceNote(note) {
    this.layout.sourceNote.textContent = note;
    this.layout.sourceNote.hidden = !note;
  }

  /**
   * The text in the language between two models, which explains odd proposals; closed until the person opens it.
   * @param {string} text
   */
  paintBetween(text) {
    const {between, betweenLabel, betweenText} = this.layout;
    const language = this.page.model.pivot;
    between.hidden = !language;
    if (!language) return;
    setText(betweenLabel, t('between.label', {language: languageNames()(language)}));
    setText(betweenText, text || t('between.none'));
    for (const [name, value] of Object.entries(textIn(language))) betweenText.setAttribute(name, value);
  }

  paintProposal() {
    const {detail} = this.current;
    if (!detail) return;
    this.paintBetween(detail.between);
    const {proposal, is_pending: isPending, notices, learned_from: learned} = detail;
    const {alternatives} = this.offers;
    if (alternatives.isOpen && this.text.value !== alternatives.text) alternatives.close();
    this.marks.show(proposal?.tokens ?? [], {confidence: proposal?.confidence, origins: originTexts(learned)});
    this.setBusy(this.current.awaitsProposal());
    this.paintOrigin(proposal, learned);
    const texts = [...notices];
    if (proposal?.is_stale && !isPending) texts.push(t('proposal.stale'));
    this.layout.notices.replaceChildren(...texts.map(text => h('p.said', icon('problem', true), h('span', text))));
  }

  /**
   * The score, and the confirmed segments that words of the translation come from.
   * @param {ProposalView | null} proposal
   * @param {LearnedView[]} learned
   */
  paintOrigin(proposal, learned) {
    const {scoreNote} = this.layout;
    setText(scoreNote, proposal ? sureWord(proposal.score) : '');
    scoreNote.title = proposal ? scoreTitle(proposal.score) : '';
    this.origins.render(learned);
  }

  /** @param {boolean} isBusy whether the machine's text is about to change */
  setBusy(isBusy) {
    this.text.field.element.setAttribute('aria-busy', String(isBusy));
  }

  /** Shows that an answer to changed constraints is awaited; pins get or lose their mark at once. */
  paintPending() {
    this.marks.repaint();
    this.setBusy(true);
  }

  /** True if the shown prices are of the earlier constraints, and newer prices are being computed. */
  isPricing() {
    const {current} = this;
    return current.isPending('constrain') || Boolean(current.detail?.is_pending || current.detail?.is_pricing);
  }

  paintPins() {
    const {detail} = this.current;
    if (!detail) return;
    const isPricing = this.isPricing();
    if (!isPricing) this.#known = {prices: detail.prices, free: detail.free};
    this.ledger.render(this.constraints.now, detail, this.#known.prices, this.page.languages.target, isPricing);
  }

  paintHypotheses() {
    const {detail} = this.current;
    if (detail)
      this.offers.hypotheses.render(detail.nbest, {
        lang: this.page.languages.target,
        current: this.text.value,
        tags: this.current.row.tags,
        free: this.#known.free,
        isPending: detail.is_pending && this.page.model.state === 'ready',
      });
  }

  paintState() {
    const {layout, text} = this;
    const {detail, row} = this.current;
    const state = text.isDirty ? 'edited' : (detail?.state ?? row.state);
    const review = (!text.isDirty && this.page.document?.project.has_review && detail?.review) || '';
    const {barrier, isLocked} = this.current;
    const shown = isLocked ? this.current.lockReason : t(`state.${review || state}`);
    const label = t('segment.current', {state: shown});
    layout.stateIcon.replaceChildren(icon(isLocked ? 'locked' : 'current', true), sr(label));
    layout.stateIcon.title = label;
    setText(layout.sourceCount, detail ? tn(`source.${this.page.unit}`, detail.num_words) : '');
    layout.reopenButton.hidden = state !== 'confirmed' || isLocked || this.page.document?.project.may_review; // a reviewer returns it
    layout.element.classList.toggle('locked', isLocked);
    text.field.area.readOnly = Boolean(barrier);
    layout.pinInput.disabled = Boolean(barrier);
    text.field.element.classList.toggle('quiet', state !== 'confirmed' && text.snapshot().text === null);
    const isReady = this.page.model.state === 'ready';
    const coming = detail?.is_pending ? t(isReady ? 'proposal.pending' : 'proposal.model_loading') : t('proposal.none');
    text.field.element.dataset.hint = text.value || !detail ? '' : coming;
    const unseen = unseenIn(text.value);
    const limit = limitNote(text.value, detail?.limits);
    layout.fieldNote.classList.toggle('over', limit.isOver);
    setText(layout.limitStatus, limit.isOver ? (limit.said ?? '') : '');
    const length =
      barrier ||
      limit.text ||
      (review || state === 'confirmed'
        ? shown
        : state === 'pretranslated' && detail?.is_from_memory
          ? t('field.memory', {n: detail.match_rate})
          : tn('field.characters', text.value.length));
    setText(
      layout.fieldNote,
      unseen.length ? `${length} \u00b7 ${t('field.unseen', {names: unseen.join(', ')})}` : length,
    );
    this.paintFree();
    for (const control of layout.changing) bar(control, this.current.explainedBarrier);
    layout.undoButton.disabled = !this.canStep(true);
    layout.redoButton.disabled = !this.canStep(false);
  }

  /** Shows if the machine's text changes as little as possible or everything except the constraints, and the key. */
  paintFree() {
    const {free, freeNote, freeButton} = this.layout;
    const isFree = !this.constraints.now.follow;
    free.hidden = this.constraints.isEmpty;
    setText(freeNote, t(isFree ? 'free.is.free' : 'free.is.near'));
    setText(freeButton, t(isFree ? 'free.stay' : 'free'));
    freeButton.title = t(isFree ? 'free.stay.title' : 'free.title');
  }

  /** @param {boolean} isShown whether the words show how sure the model is of them */
  showConfidence(isShown) {
    this.marks.showConfidence(isShown);
  }

  /** @param {boolean} isShown whether other translations, scores and prices are shown */
  showPanel(isShown) {
    this.offers.hypotheses.show(isShown);
    this.layout.element.classList.toggle('plain', !isShown);
  }

  togglePanel() {
    const isShown = !this.offers.hypotheses.isOpen;
    writeStored('local', PANEL_KEY, isShown ? 'shown' : 'hidden');
    this.showPanel(isShown);
    this.holdHeight();
  }

  toggleConfidence() {
    const isShown = !this.marks.showsConfidence;
    writeStored('local', CONFIDENCE_KEY, isShown ? 'shown' : 'hidden');
    this.showConfidence(isShown);
  }
}

/* Draws the open segment into the elements of its layout. */
import {h, icon, number, setText, sr, t, tn} from '../core/dom.js';
import {readStored, writeStored} from '../core/storage.js';
import {unseenIn} from '../core/unseen.js';
import {settle, sourceLine} from './source.js';

const CONFIDENCE_KEY = 'pinpoint:confidence';

export class SegmentView {
  #sourceSignature = '';

  /**
   * @param {Pick<Bench, 'languages' | 'unit' | 'model' | 'numberOf'>} page
   * @param {SegmentLayout} layout
   * @param {object} parts
   * @param {Readonly<CurrentSegment>} parts.current
   * @param {TargetText} parts.text
   * @param {ConstraintSet} parts.constraints
   * @param {Proposal} parts.proposal
   * @param {Offers} parts.offers
   * @param {Ledger} parts.ledger
   * @param {(isUndo: boolean) => boolean} parts.canStep whether there is a step to undo or to redo
   */
  constructor(page, layout, {current, text, constraints, proposal, offers, ledger, canStep}) {
    this.page = page;
    this.layout = layout;
    this.current = current;
    this.text = text;
    this.constraints = constraints;
    this.proposal = proposal;
    this.offers = offers;
    this.ledger = ledger;
    this.canStep = canStep;
    this.showConfidence(readStored('local', CONFIDENCE_KEY) === 'shown');
    addEventListener('resize', () => settle(layout.sourceHost.firstElementChild));
  }

  /** Another segment is open: shows what the list knows of it. */
  reset() {
    const {layout, page} = this;
    layout.pinInput.value = '';
    this.paintNumber();
    this.paintSource([{t: this.current.source}], []);
    layout.sourceNote.hidden = true;
    this.proposal.current = 0;
    this.proposal.render([], {lang: page.languages.target, isBusy: true, placeholder: ''});
    this.offers.hypotheses.render([], {});
    this.ledger.clear();
    layout.notices.replaceChildren();
    setText(layout.proposalNote, '');
    this.text.field.setLanguage(page.languages.target);
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
    const signature = JSON.stringify([this.current.index, runs, terms]);
    if (signature === this.#sourceSignature) return;
    this.#sourceSignature = signature;
    this.layout.sourceHost.replaceChildren(sourceLine(runs, terms, this.page.languages));
    settle(this.layout.sourceHost.firstElementChild);
  }

  /** @param {string} note */
  paintSourceNote(note) {
    this.layout.sourceNote.textContent = note;
    this.layout.sourceNote.hidden = !note;
  }

  paintProposal() {
    const {detail} = this.current;
    if (!detail) return;
    const {proposal, is_pending: isPending, notices} = detail;
    const {alternatives} = this.offers;
    if (alternatives.isOpen && proposal?.text !== alternatives.text) alternatives.close();
    this.proposal.render(proposal ? structuredClone(proposal.tokens) : [], {
      lang: this.page.languages.target,
      isBusy: isPending,
      confidence: proposal?.confidence ?? [],
      placeholder: isPending
        ? t(this.page.model.state === 'ready' ? 'proposal.pending' : 'proposal.model_loading')
        : t('proposal.none'),
    });
    setText(this.layout.proposalNote, proposal ? t('proposal.score', {score: number(proposal.score)}) : '');
    const texts = [...notices];
    if (proposal?.is_stale && !isPending) texts.push(t('proposal.stale'));
    this.layout.notices.replaceChildren(
      ...texts.map(text => h('p.said', {}, icon('problem', true), h('span', {}, text))),
    );
  }

  /** Shows the proposal as pending after a change of the constraints; removed pins lose their mark at once. */
  paintProposalPending() {
    const {pins} = this.constraints;
    this.proposal.render(
      this.proposal.tokens.map(token =>
        token.pin !== undefined && !pins.includes(token.pin) ? {...token, pin: undefined, at: undefined} : token,
      ),
      {lang: this.page.languages.target, isBusy: true, placeholder: t('proposal.pending')},
    );
  }

  paintPins() {
    const {detail} = this.current;
    if (!detail) return;
    const prices = this.current.isPending('constrain') ? null : detail.prices; // of the constraints before
    this.ledger.render(this.constraints, detail, prices, this.page.languages.target);
  }

  paintHypotheses() {
    const {detail} = this.current;
    if (detail)
      this.offers.hypotheses.render(detail.nbest, {
        lang: this.page.languages.target,
        current: this.text.value,
        free: detail.free,
      });
  }

  paintState() {
    const {layout, text} = this;
    const {detail, row} = this.current;
    const state = text.isDirty ? 'edited' : (detail?.state ?? row.state);
    const label = t('segment.current', {state: t(`state.${state}`)});
    layout.stateIcon.replaceChildren(icon('current', true), sr(label));
    layout.stateIcon.title = label;
    setText(layout.sourceCount, detail ? tn(`source.${this.page.unit}`, detail.num_words) : '');
    layout.reopenButton.hidden = state !== 'confirmed';
    const unseen = unseenIn(text.value);
    const length =
      state === 'confirmed'
        ? t('state.confirmed')
        : state === 'pretranslated' && detail?.is_from_memory
          ? t('field.memory')
          : tn('field.characters', text.value.length);
    setText(
      layout.fieldNote,
      unseen.length ? `${length} \u00b7 ${t('field.unseen', {names: unseen.join(', ')})}` : length,
    );
    layout.useProposal.hidden = !detail?.proposal || detail.proposal.text === text.value;
    layout.freeButton.hidden = this.constraints.isEmpty;
    layout.freeButton.setAttribute('aria-pressed', String(!this.constraints.previous));
    layout.undoButton.disabled = !this.canStep(true);
    layout.redoButton.disabled = !this.canStep(false);
  }

  /** @param {boolean} isShown whether the proposal shows how sure the model is of each word */
  showConfidence(isShown) {
    this.layout.confidenceButton.setAttribute('aria-pressed', String(isShown));
    this.proposal.showConfidence(isShown);
  }

  toggleConfidence() {
    const isShown = !this.proposal.showsConfidence;
    writeStored('local', CONFIDENCE_KEY, isShown ? 'shown' : 'hidden');
    this.showConfidence(isShown);
  }
}

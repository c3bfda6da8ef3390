/* The confirmed segments that the words of a proposal come from: beside its score, as links. While the pointer or the
   focus is on a word, its segments stand out, with the source of the first; on a link, the words that come from it. No link
   moves, so that the pointer can go from a word to its link. */
import {button, h, t, textIn} from '../core/dom.js';
import {percent} from '../core/texts.js';

/** @param {number} share */
const rounded = share => percent(Math.round(100 * share) / 100);

/**
 * The segments that a word comes from with their share, the greatest first.
 * @param {LearnedView[]} learned
 * @param {number} word
 */
export const originsOf = (learned, word) =>
  learned
    .flatMap(one => one.words.filter(([number]) => number === word).map(([, share]) => ({one, share})))
    .sort((a, b) => b.share - a.share);

/**
 * For each word of the proposal, where it comes from; '' for the model's own.
 * @param {LearnedView[]} learned
 */
export const originTexts = learned => {
  const last = Math.max(-1, ...learned.flatMap(({words}) => words.map(([word]) => word)));
  return Array.from({length: last + 1}, (_, word) =>
    originsOf(learned, word)
      .map(({one: {segment, source, target}, share}) =>
        t(segment === null ? 'proposal.learned.word_elsewhere' : 'proposal.learned.word', {
          percent: rounded(share),
          n: segment ?? 0,
          source,
          target,
        }),
      )
      .join('\n'),
  );
};

export class Origins {
  /** @type {{element: HTMLElement, learned: LearnedView[]}[]} */
  #links = [];
  /** @type {LearnedView[]} */
  #learned = [];
  #signature = '';

  /**
   * @param {Proposal} proposal
   * @param {object} options
   * @param {() => string} options.language of the source
   * @param {(index: number) => void} options.onGo opens a segment
   */
  constructor(proposal, {language, onGo}) {
    this.proposal = proposal;
    this.language = language;
    this.onGo = onGo;
    this.source = h('bdi', {});
    this.share = h('span.num', {});
    this.element = h('span.origins', {hidden: true});
    const {line} = proposal;
    line.addEventListener('mouseover', event => this.show(proposal.wordOf(event.target) ?? this.inFocus()));
    line.addEventListener('mouseleave', () => this.show(this.inFocus()));
    line.addEventListener('focusin', event => this.show(proposal.wordOf(event.target)));
    line.addEventListener('focusout', () => this.show(null));
  }

  /**
   * Shows the segments in the order of the document, and those of other documents as one.
   * @param {LearnedView[]} learned
   */
  render(learned) {
    const signature = JSON.stringify(learned);
    if (signature === this.#signature) return;
    this.#signature = signature;
    this.#learned = learned;
    const own = learned.filter(({segment}) => segment !== null);
    own.sort((a, b) => Number(a.segment) - Number(b.segment));
    const others = learned.filter(({segment}) => segment === null);
    this.#links = own.map(one => ({element: this.#link(one), learned: [one]}));
    if (others.length) {
      const title = others.map(({source, target}) => `${source}\n\u2192 ${target}`).join('\n\n');
      this.#links.push({element: h('span', {title}, t('proposal.learned.elsewhere')), learned: others});
    }
    for (const {element, learned: of} of this.#links)
      for (const [event, isOn] of /** @type {const} */ ([
        ['mouseenter', true],
        ['focus', true],
        ['mouseleave', false],
        ['blur', false],
      ]))
        element.addEventListener(event, () => this.mark(isOn ? of : []));
    this.element.replaceChildren(
      this.source,
      this.share,
      h(
        'span.links',
        {},
        t('proposal.learned'),
        ...this.#links.flatMap(({element}, place) => (place ? [',', element] : [element])),
      ),
    );
    this.element.hidden = !learned.length;
    this.show(this.inFocus());
  }

  /** @param {LearnedView} one */
  #link({segment, index, source, target}) {
    const label = t('proposal.learned.segment', {n: Number(segment), source, target});
    const onclick = () => index !== null && this.onGo(index);
    return button('.link.num', {title: label, 'aria-label': label, onclick}, String(segment));
  }

  inFocus() {
    return this.proposal.wordOf(document.activeElement);
  }

  /**
   * Makes the segments of one word stand out, with the source of the first; null and a word of the model's own: none.
   * @param {number | null} word
   */
  show(word) {
    if (this.element.contains(document.activeElement)) return; // a link in focus stays
    const found = word === null ? [] : originsOf(this.#learned, word);
    for (const {element, learned} of this.#links)
      element.classList.toggle('other', found.length > 0 && !found.some(({one}) => learned.includes(one)));
    const [first] = found;
    Object.assign(this.source, textIn(this.language()));
    this.source.textContent = first ? first.one.source : '';
    this.share.textContent = first ? rounded(first.share) : '';
  }

  /**
   * Marks the words that come from segments.
   * @param {LearnedView[]} learned
   */
  mark(learned) {
    const words = new Set(learned.flatMap(one => one.words.map(([word]) => word)));
    for (const element of this.proposal.line.querySelectorAll('.w'))
      element.classList.toggle('learned', words.has(Number(element.dataset.word)));
  }
}

/* The confirmed segments that the words of the translation come from, as links. While the pointer or the caret is on a word,
   its segments stand out, with the source of the first; on a link, the words that come from it. No link moves, so that the
   pointer can go from a word to its link. */
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
   * @param {{text: TargetText, marks: WordMarks}} parts
   * @param {object} options
   * @param {() => string} options.language of the source
   * @param {(index: number) => void} options.onGo opens a segment
   */
  constructor({text, marks}, {language, onGo}) {
    this.area = text.field.area;
    this.marks = marks;
    this.language = language;
    this.onGo = onGo;
    this.source = h('bdi');
    this.share = h('span.num');
    this.element = h('span.origins', {hidden: true});
    const {area} = this;
    area.addEventListener('mouseover', event => {
      const word = /** @type {Element} */ (event.target).closest('[data-word]')?.getAttribute('data-word');
      this.show(word ? Number(word) : this.inFocus());
    });
    for (const name of ['mouseleave', 'selectionchange', 'focus', 'blur'])
      area.addEventListener(name, () => this.show(this.inFocus()));
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

  /** The machine's word at the caret, or null. */
  inFocus() {
    const {area} = this;
    const isIn = document.activeElement === area && area.selectionStart < area.value.length;
    return isIn ? this.marks.wordAt(area.selectionStart) : null;
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
    this.marks.learn(new Set(learned.flatMap(one => one.words.map(([word]) => word))));
  }
}

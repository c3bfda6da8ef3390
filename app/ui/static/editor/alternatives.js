/* The popover under a word of the text: alternatives for the word, each with the rest of its sentence. An answer
   that arrives after the popover was closed or moved is dropped. */
import {withChips} from '../core/chips.js';
import {h, icon, number, t, textIn} from '../core/dom.js';
import {fitWord} from '../core/fit.js';
import {nameOf} from '../core/key_bindings.js';

const EDGE = 12; // pixels kept free at the sides

export class Alternatives {
  /**
   * ask(before, text): the server's answer about the word behind `before`; onTake(row, answer, rank), onBan(text): the person's
   * choice; onMove(place): the word is another, or none.
   * @param {object} options
   * @param {(before: string, text: string) => Promise<Answer>} options.ask
   * @param {(row: AlternativeRow, answer: Answer, rank: number) => void} options.onTake
   * @param {(text: string) => void} options.onBan
   * @param {(place: [number, number] | null) => void} options.onMove
   */
  constructor({ask, onTake, onBan, onMove}) {
    this.ask = ask;
    this.onTake = onTake;
    this.onBan = onBan;
    this.onMove = onMove;
    this.number = 0;
    /** @type {AlternativeRow[]} */
    this.rows = [];
    /** @type {Answer | null} */
    this.answer = null;
    /** @type {() => {left: number, bottom: number} | null} */
    this.placeOf = () => null;
    this.name = '';
    this.text = '';
    this.lang = '';
    /** @type {Tags} */
    this.tags = {};
    this.goBack = () => {};
    this.element = h('div.pop', {role: 'dialog', tabindex: -1, hidden: true});
    this.element.addEventListener('keydown', event => this.onKey(event));
    this.element.addEventListener('focusout', event => {
      if (!this.element.contains(/** @type {Node | null} */ (event.relatedTarget))) this.close(false);
    });
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /**
   * word: its place in the text; placeOf(): where it is in the window; goBack(): returns the focus.
   * @param {[number, number]} word
   * @param {object} options
   * @param {string} options.text
   * @param {string} options.lang
   * @param {Tags} options.tags
   * @param {() => {left: number, bottom: number} | null} options.placeOf
   * @param {() => void} options.goBack
   */
  async open([start, end], {text, lang, tags, placeOf, goBack}) {
    this.close(false);
    const asked = ++this.number;
    this.placeOf = placeOf;
    this.name = text.slice(start, end);
    this.text = text;
    this.lang = lang;
    this.tags = tags;
    this.goBack = goBack;
    this.rows = [];
    this.show(h('p.say', {role: 'status'}, t('alts.looking')));
    this.place();
    this.onMove([start, end]);
    this.element.focus({preventScroll: true});
    let answer;
    try {
      answer = await this.ask(text.slice(0, start), text);
    } catch {
      answer = null;
    }
    if (asked !== this.number || !this.isOpen || answer?.is_overtaken) return;
    if (!answer?.ok)
      this.show(h('p.say.warn', {role: 'alert'}, icon('problem', true), answer?.error?.message ?? t('alts.offline')));
    else if (!answer.rows.length) this.show(h('p.say', {role: 'status'}, t('alts.none')));
    else this.list(answer);
    this.place();
  }

  /** @param {Answer} answer */
  list(answer) {
    this.rows = answer.rows;
    this.answer = answer;
    const {lang, tags} = this;
    this.show(
      h(
        'div',
        {role: 'listbox', 'aria-label': t('alts.label', {word: this.name})},
        this.rows.map((row, i) =>
          h(
            'button.alt',
            {
              type: 'button',
              role: 'option',
              tabindex: -1,
              title: row.text,
              'aria-selected': 'false',
              onclick: () => this.take(i),
              onfocus: () => this.select(i),
            },
            h('kbd', {'aria-hidden': 'true'}, String(i + 1)),
            h('span.tl', textIn(lang), h('b', withChips(row.word, tags)), withChips(row.tail, tags)),
            row.is_term ? h('span.tag.ok', icon('check', true), t('alts.term')) : h('span'),
            h(
              'span.gp',
              {title: t('alts.figure', {difference: number(row.score_difference, 3, true)})},
              fitWord(-row.score_difference),
            ),
          ),
        ),
      ),
    );
    this.options()[0].focus({preventScroll: true});
  }

  options() {
    return [...this.element.querySelectorAll('.alt')];
  }

  /** @param {Node} content */
  show(content) {
    /**
     * @param {string} name
     * @param {string} label
     */
    const key = (name, label) => h('span', h('kbd', name), label);
    this.element.setAttribute('aria-label', t('alts.label', {word: this.name}));
    this.element.replaceChildren(
      h(
        'div.ph',
        h('span', `${t('alts.instead')} `, h('b', textIn(this.lang), this.name)),
        this.rows.length ? h('span', t('alts.difference')) : null,
      ),
      content,
      h(
        'div.pf',
        this.rows.length ? key(nameOf('Enter'), t('alts.take')) : null,
        key(nameOf('Delete'), t('alts.ban', {word: this.name})),
        key(nameOf('Escape'), t('alts.close')),
      ),
    );
    this.element.hidden = false;
  }

  /** Under the word, within the editor. */
  place() {
    const {element} = this;
    const host = element.offsetParent?.getBoundingClientRect();
    const word = this.placeOf();
    if (!host || !word) return;
    const room = host.width - element.offsetWidth - EDGE;
    element.style.left = `${Math.max(EDGE, Math.min(word.left - host.left - 36, room))}px`;
    element.style.top = `${word.bottom - host.top + 6}px`;
    element.scrollIntoView({block: 'nearest'}); // in a low window or at large zoom it may not fit
  }

  /** @param {number} chosen */
  select(chosen) {
    this.options().forEach((option, i) => option.setAttribute('aria-selected', String(i === chosen)));
  }

  /** @param {number} i */
  take(i) {
    const {rows, answer} = this;
    if (!rows[i] || !answer) return;
    this.close();
    this.onTake(rows[i], answer, i);
  }

  close(goesBack = true) {
    if (!this.isOpen) return;
    this.number++;
    this.element.hidden = true;
    this.onMove(null);
    if (goesBack) this.goBack();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const options = this.options();
    const at = options.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const n = options.length;
    const target = n ? {ArrowDown: (at + 1) % n, ArrowUp: (at - 1 + n) % n, Home: 0, End: n - 1}[event.key] : undefined;
    if (target !== undefined) {
      options[target].focus({preventScroll: true});
      options[target].scrollIntoView({block: 'nearest'});
    } else if (/^[1-9]$/.test(event.key)) this.take(Number(event.key) - 1);
    else if (event.key === 'Enter' || event.key === ' ') this.take(at);
    else if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else if (event.key === 'Delete') {
      this.close();
      this.onBan(this.name);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

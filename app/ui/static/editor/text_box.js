/* The edit field's editor: CodeMirror with one line of text, marked words, tags as atoms, offered changes, and grey text behind
   the last letter.
   Its element has the properties of a text area, so that the rest of the page need not know the library. */
import {chip, partsOf, withChips} from '../core/chips.js';
import {h, t} from '../core/dom.js';
import {watchPresses} from '../core/presses.js';
import {oneLine} from '../core/unseen.js';
import {Annotation, Decoration, EditorState, EditorView, StateEffect, WidgetType} from '../vendor/codemirror.js';

/** @typedef {import('../vendor/codemirror.js').Transaction} Transaction */

const BY_PAGE = Annotation.define(); // a change that the person did not make
const REPAINT = StateEffect.define(); // tags, offers, the grey text or attributes have changed
const REFUSED = /^(insertLineBreak|insertParagraph|history|format)/;

/** Something shown in the text that is not one of its letters; `make` returns its element. */
class Shown extends WidgetType {
  /**
   * @param {string} key the same for what looks the same
   * @param {() => HTMLElement} make
   */
  constructor(key, make) {
    super();
    this.key = key;
    this.make = make;
  }

  /** @param {Shown} other */
  eq(other) {
    return other.key === this.key;
  }

  toDOM() {
    return this.make();
  }

  ignoreEvent() {
    return false;
  }
}

export class TextBox {
  ghost = ''; // the completion shown behind the text
  /** @type {OfferedChange[]} */
  offered = []; // what would change in the text
  /** @type {(text: string) => WordMark[]} */
  marksOf = () => []; // what is marked in a text
  /** @type {Tags} */
  tags = {}; // those of the source
  /** @type {Record<string, string>} */
  attributes = {};
  isComposing = false; // an input method composes letters
  #isReadOnly = false;
  #isPressed = false; // a button of the pointer is down
  #isStale = false; // what is shown has changed meanwhile
  /** @type {{inputType: string, data: string | null} | null} the newest input that the browser reported */
  #reported = null;

  /**
   * onBeforeInput(input): the person is about to change the text; onInput(input, selected): the person changed it, where
   * `selected` was selected before; onLoss(codes): the text lost characters that cannot be stored.
   * @param {object} options
   * @param {Record<string, string>} options.attributes
   * @param {(input: {inputType: string}) => void} options.onBeforeInput
   * @param {(input: {inputType: string, data: string | null}, selected: [number, number]) => void} options.onInput
   * @param {(codes: string[]) => void} options.onLoss
   */
  constructor({attributes, onBeforeInput, onInput, onLoss}) {
    this.onBeforeInput = onBeforeInput;
    this.onInput = onInput;
    this.onLoss = onLoss;
    this.attributes = attributes;
    this.view = new EditorView({
      extensions: [
        EditorView.lineWrapping,
        EditorView.contentAttributes.of(() => ({...this.attributes})),
        EditorView.decorations.of(view => this.#decorations(view.state.doc.toString())),
        EditorView.atomicRanges.of(view => this.#atoms(view.state.doc.toString())),
        EditorState.transactionFilter.of(transaction => this.#filtered(transaction)),
        EditorView.domEventHandlers({
          beforeinput: event => this.#onReport(event),
          keydown: event => this.#onKey(event),
          compositionstart: () => {
            this.isComposing = true;
            this.onBeforeInput({inputType: 'insertText'}); // a composition is one step
            return false;
          },
          compositionend: () => {
            setTimeout(() => {
              this.isComposing = false; // the library has read the letters by now
              this.area.dispatchEvent(new Event('composed'));
            });
            return false;
          },
        }),
      ],
      dispatchTransactions: (transactions, view) => this.#update(transactions, view),
    });
    this.area = this.#asTextArea(this.view.contentDOM);
    watchPresses(
      this.area,
      () => {
        this.#isPressed = true;
      },
      () => this.#release(),
    );
  }

  get element() {
    return this.view.dom;
  }

  /** @param {HTMLElement} element */
  #asTextArea(element) {
    const {view} = this;
    const range = () => view.state.selection.main;
    let isFocusing = false;
    /** Focuses with the selection that the library has; it calls this function again for the element itself. */
    const focus = (/** @type {FocusOptions} */ options) => {
      if (isFocusing) {
        HTMLElement.prototype.focus.call(element, options);
        return;
      }
      isFocusing = true;
      view.focus();
      isFocusing = false;
    };
    Object.defineProperties(element, {
      value: {get: () => view.state.doc.toString()},
      selectionStart: {get: () => range().from},
      selectionEnd: {get: () => range().to},
      setSelectionRange: {value: (/** @type {number} */ start, /** @type {number} */ end) => this.select(start, end)},
      readOnly: {
        get: () => this.#isReadOnly,
        set: isReadOnly => {
          this.#isReadOnly = isReadOnly;
          this.describe({'aria-readonly': String(isReadOnly)});
        },
      },
      focus: {value: focus},
    });
    return /** @type {TextAreaLike} */ (element);
  }

  /**
   * Replaces the text, or what has changed in it, without calling `onInput`.
   * @param {string} text
   */
  replace(text) {
    this.view.dispatch({
      changes: {from: 0, to: this.view.state.doc.length, insert: text},
      annotations: BY_PAGE.of(true),
    });
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  select(start, end) {
    const {length} = this.view.state.doc;
    const within = (/** @type {number} */ at) => Math.max(0, Math.min(at, length));
    this.view.dispatch({selection: {anchor: within(start), head: within(end)}, scrollIntoView: this.view.hasFocus});
  }

  /**
   * Where a letter is in the window, or null if it is not shown.
   * @param {number} offset
   */
  placeOf(offset) {
    return this.view.coordsAtPos(offset);
  }

  /** Where the last line ends in the window, with the grey text behind the words. */
  bottom() {
    return (this.view.contentDOM.lastElementChild ?? this.view.contentDOM).getBoundingClientRect().bottom;
  }

  /**
   * Shows marks, tags, offers, the grey text and the attributes as they are now; while a button is down, after that: an
   * element that is replaced between press and release gets no click.
   */
  repaint() {
    this.#isStale = this.#isPressed;
    if (!this.#isPressed) this.view.dispatch({effects: REPAINT.of(null)});
  }

  #release() {
    this.#isPressed = false;
    if (this.#isStale) this.repaint();
  }

  /** @param {Record<string, string>} attributes */
  describe(attributes) {
    const changed = {...this.attributes, ...attributes};
    if (JSON.stringify(changed) === JSON.stringify(this.attributes)) return;
    this.attributes = changed;
    this.repaint();
  }

  /**
   * Applies changes, and reports those that the person made.
   * @param {readonly import('../vendor/codemirror.js').Transaction[]} transactions
   * @param {EditorView} view
   */
  #update(transactions, view) {
    const byPerson = transactions.filter(one => one.docChanged && !one.annotation(BY_PAGE));
    const input = byPerson.length ? this.#inputOf(byPerson[0]) : null;
    const {from, to} = view.state.selection.main;
    if (byPerson.length) this.offered = [];
    if (input && !this.isComposing) this.onBeforeInput(input);
    view.update(transactions);
    if (input) this.onInput(input, [from, to]);
    if (transactions.some(one => one.docChanged || one.selection))
      this.area?.dispatchEvent(new Event('selectionchange'));
  }

  /** @param {Transaction} transaction */
  #inputOf(transaction) {
    const isPasted = ['input.paste', 'input.drop', 'move.drop'].some(name => transaction.isUserEvent(name));
    if (isPasted) return {inputType: 'insertFromPaste', data: null};
    if (transaction.isUserEvent('delete')) return {inputType: 'deleteContent', data: null};
    return this.#reported ?? {inputType: 'insertText', data: null};
  }

  /**
   * The library reads what the browser has changed; the browser's report says by which means.
   * @param {InputEvent} event
   */
  #onReport(event) {
    if (this.#isReadOnly || REFUSED.test(event.inputType)) {
      event.preventDefault();
      return true;
    }
    this.#reported = {inputType: event.inputType, data: event.data};
    return false;
  }

  /**
   * Keeps a text of one line, without characters that cannot be stored. A field that cannot be changed stays as it is.
   * @param {Transaction} transaction
   */
  #filtered(transaction) {
    if (transaction.annotation(BY_PAGE) || !transaction.docChanged) return transaction;
    if (this.#isReadOnly) return [];
    const written = transaction.newDoc.toString();
    const {text, codes} = oneLine(written);
    if (text === written) return transaction;
    if (codes.length) queueMicrotask(() => this.onLoss(codes));
    const {head} = transaction.newSelection.main;
    return [
      transaction,
      {
        changes: {from: 0, to: written.length, insert: text},
        selection: {anchor: Math.min(text.length, oneLine(written.slice(0, head)).text.length)},
        sequential: true,
      },
    ];
  }

  /**
   * Arrows pass a tag in one step, Backspace and Delete remove it as a whole.
   * @param {KeyboardEvent} event
   */
  #onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return false;
    const {view} = this;
    const {main} = view.state.selection;
    const isDeleting = event.key === 'Backspace' || event.key === 'Delete';
    if (isDeleting && main.empty) {
      const tag = this.#tagAt(main.head, event.key === 'Delete');
      if (!tag) return false;
      view.dispatch({changes: tag, userEvent: 'delete'});
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      if (!main.empty && !event.shiftKey) return false;
      const isForward = (event.key === 'ArrowRight') === (this.area.dir !== 'rtl');
      const tag = this.#tagAt(main.head, isForward);
      if (!tag) return false;
      const head = isForward ? tag.to : tag.from;
      view.dispatch({selection: {anchor: event.shiftKey ? main.anchor : head, head}, userEvent: 'select'});
    } else return false;
    event.preventDefault();
    return true;
  }

  /**
   * @param {number} place
   * @param {boolean} isAfter whether the tag is behind the place, or before it
   */
  #tagAt(place, isAfter) {
    return this.#tagRanges(this.area.value).find(({from, to}) => (isAfter ? from : to) === place);
  }

  /** @param {string} text */
  #tagRanges(text) {
    let to = 0;
    return partsOf(text, this.tags).flatMap(part => {
      const from = to;
      to += part.text.length;
      return part.tag ? [{from, to, text: part.text, tag: part.tag}] : [];
    });
  }

  /** @param {string} text */
  #atoms(text) {
    return Decoration.set(this.#tagRanges(text).map(({from, to}) => Decoration.mark({}).range(from, to)));
  }

  /** @param {string} text */
  #decorations(text) {
    const tags = this.#tagRanges(text).map(({from, to, text: written, tag}) => {
      const widget = new Shown(`${written} ${tag.name} ${tag.content}`, () => chip(written, tag));
      return Decoration.replace({widget}).range(from, to);
    });
    const isInTag = (/** @type {WordMark} */ {start, end}) => tags.some(({from, to}) => from < end && start < to);
    const marks = this.marksOf(text)
      .filter(mark => mark.end > mark.start && !isInTag(mark))
      .map(({start, end, classes, attributes}) =>
        Decoration.mark({class: classes, attributes, inclusive: false}).range(start, end),
      );
    const offered = this.offered.flatMap(({start, end, text: coming, take}, number) => {
      const keep = (/** @type {Event} */ event) => event.preventDefault(); // the field keeps the focus
      const made = () =>
        h(
          `ins.offered${start < end ? '' : /\s/.test(text[start - 1] ?? ' ') ? '.gap' : '.gap.behind'}`,
          {'aria-hidden': 'true', title: t('revision.take_one'), onmousedown: keep, onclick: take},
          withChips(coming, this.tags),
        );
      const widget = new Shown(`offered ${number} ${start} ${end} ${coming}`, made);
      const came = Decoration.widget({widget, side: 1}).range(end);
      return start === end ? [came] : [Decoration.mark({tagName: 'mark'}).range(start, end), came];
    });
    const {ghost} = this;
    // U+200C keeps the text and the completion apart where letters join, as in Arabic.
    const grey = () => h('span', {'aria-hidden': 'true'}, ghost && '\u200c', h('span.ghost', ghost));
    const widget = Decoration.widget({widget: new Shown(`grey ${ghost}`, grey), side: 1});
    return Decoration.set([...marks, ...tags, ...offered, widget.range(text.length)], true);
  }
}

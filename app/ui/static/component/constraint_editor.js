/* The editor of a translation with pins and bans, as a component of Gradio (app/ui/constraint_editor.py): the field, the marks
   and the bar of the workbench, without its server. */

import {placesOf} from '../core/boundaries.js';
import {containsBanned, NO_CONSTRAINTS, pinPlaces, withBan, withoutPin, withPin} from '../core/constraints.js';
import {button, h, icon, isRightToLeft, t} from '../core/dom.js';
import {actionOf, keysOf, loadBindings} from '../core/key_bindings.js';
import {currentLanguage, takeTexts} from '../core/texts.js';
import {Field} from '../editor/field.js';
import {SelectionBar, wordsInField} from '../editor/selection_bar.js';

/** @typedef {{source: string, text: string, pins: string[], bans: string[]}} EditorValue */

const STYLES = ['icons', 'editor', 'component'];
let number = 0;

class ConstraintEditor {
  /** @type {EditorValue} */
  #value = {source: '', text: '', pins: [], bans: []};

  /**
   * @param {HTMLElement} root
   * @param {GradioProps['shared_props']} shared
   * @param {GradioProps['props']} props
   */
  constructor(root, shared, props) {
    const trigger = (/** @type {string} */ event, /** @type {unknown} */ data) =>
      shared.dispatcher(shared.id, event, data);
    this.trigger = trigger;
    this.field = new Field({
      onBeforeInput: () => {},
      onInput: () => this.#typed(),
      onBlur: () => trigger('blur', null),
      onLoss: () => {},
    });
    const {area, box} = this.field;
    this.bar = new SelectionBar(wordsInField(this.field), [
      [() => t(this.#pinAt() ? 'bar.unpin' : 'pins.add'), 'pin', () => this.#pin()],
      [() => t('bans.add'), 'ban_selection', () => this.#ban()],
    ]);
    this.source = h('p.source');
    this.constraints = h('ul.constraints', {'aria-label': t('pins.label')});
    box.marksOf = text => this.#marksOf(text);
    area.addEventListener('focus', () => trigger('focus', null));
    area.addEventListener('keydown', event => this.#onKey(event));
    area.addEventListener('pointerup', () => setTimeout(() => this.#selected()));
    this.label = h('label.lab');
    root.replaceChildren(this.label, this.source, this.field.element, this.constraints, this.bar.element);
    number++;
    box.describe({id: `pinpoint-edit-${number}`});
    this.#configure(props, shared);
    this.#show(/** @type {EditorValue | null} */ (props.value));
  }

  /** The newest value, for Gradio. */
  value() {
    return this.#value;
  }

  /**
   * A function or the page changed properties.
   * @param {Record<string, any>} changes
   */
  update(changes) {
    this.#configure(changes, changes);
    const before = JSON.stringify(this.#value);
    if ('value' in changes) this.#show(changes.value);
    if (JSON.stringify(this.#value) !== before) this.trigger('change', null);
  }

  /**
   * @param {Record<string, any>} props
   * @param {Record<string, any>} shared
   */
  #configure(props, shared) {
    if (props.source_language) {
      this.source.lang = props.source_language;
      this.source.dir = isRightToLeft(props.source_language) ? 'rtl' : 'auto';
    }
    if (props.target_language) this.field.setLanguage(props.target_language, {});
    if (shared.label !== undefined) {
      this.label.textContent = shared.label ?? '';
      this.field.box.describe({'aria-label': shared.label || t('field.label')});
    }
    if (shared.show_label !== undefined) this.label.hidden = !shared.show_label;
    if (shared.interactive !== undefined) this.field.area.readOnly = shared.interactive === false;
    this.#paint();
  }

  /** @param {EditorValue | null} value */
  #show(value) {
    this.#value = {source: '', text: '', pins: [], bans: [], ...value};
    this.field.set(this.#value.text);
    this.#paint();
  }

  #paint() {
    const {source, pins, bans} = this.#value;
    const isFixed = this.field.area.readOnly;
    this.source.textContent = source;
    this.source.hidden = !source;
    const chip = (
      /** @type {string} */ kind,
      /** @type {string} */ text,
      /** @type {string} */ label,
      /** @type {() => void} */ act,
    ) =>
      h(
        'li',
        h(`span.${kind}`, text),
        !isFixed && button('.x', {'aria-label': label, title: label, onclick: act}, icon('x')),
      );
    this.constraints.replaceChildren(
      ...pins.map(text => chip('pin', text, t('pins.remove', {text}), () => this.#unpin(text))),
      ...bans.map(text => chip('banned', text, t('bans.remove', {text}), () => this.#allow(text))),
    );
    this.constraints.hidden = !pins.length && !bans.length;
    this.field.box.repaint();
  }

  /**
   * @param {string} text
   * @returns {WordMark[]}
   */
  #marksOf(text) {
    const {pins, bans} = this.#value;
    const mark =
      (/** @type {string} */ classes) =>
      (/** @type {number[]} */ [start, end]) => ({start, end, classes, attributes: {}});
    const banned = bans.flatMap(ban => [...placesOf(text, ban)]);
    return [...this.#pins(text, pins).map(mark('pin')), ...banned.map(mark('banned'))];
  }

  /**
   * @param {string} text
   * @param {string[]} pins
   * @returns {number[][]}
   */
  #pins(text, pins) {
    return pinPlaces(text, [], pins).map(([start, end]) => [start, end]);
  }

  #typed() {
    this.#value = {...this.#value, text: this.field.text};
    this.trigger('input', null);
    this.trigger('change', null);
  }

  /** @param {Partial<EditorValue>} changes */
  #constrain(changes) {
    this.#value = {...this.#value, ...changes};
    this.bar.hide();
    this.#paint();
    this.trigger('change', null);
    this.trigger('submit', null);
  }

  /** The constraints in the form of the workbench, whose rules decide on pins and bans that contradict each other. */
  get #asConstraints() {
    const {pins, bans} = this.#value;
    return {...NO_CONSTRAINTS, pins, bans: bans.map(text => /** @type {Ban} */ ({text, case: 'exact'}))};
  }

  /** @param {Pick<Constraints, 'pins' | 'bans'>} constraints */
  #take({pins, bans}) {
    this.#constrain({pins, bans: bans.map(({text}) => text)});
  }

  /** The pin of the words selected, or undefined. */
  #pinAt() {
    const [start, end] = this.field.words();
    const words = this.field.text.slice(start, end);
    return this.#value.pins.find(pin => start < end && containsBanned(pin, {text: words, case: 'exact'}));
  }

  #pin() {
    const words = this.field.selection();
    const pinned = this.#pinAt();
    if (pinned) this.#unpin(pinned);
    else if (words && !this.field.area.readOnly) this.#take(withPin(this.#asConstraints, words).constraints);
  }

  #ban() {
    const words = this.field.selection();
    if (words && !this.field.area.readOnly) this.#take(withBan(this.#asConstraints, words).constraints);
  }

  /** @param {string} text */
  #unpin(text) {
    this.#take(withoutPin(this.#asConstraints, text));
  }

  /** @param {string} text */
  #allow(text) {
    this.#constrain({bans: this.#value.bans.filter(other => other !== text)});
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const keys = keysOf(event);
    const action = actionOf(keys ?? '');
    if (action === 'pin') this.#pin();
    else if (action === 'ban_selection') this.#ban();
    else if (keys === 'Enter') this.trigger('submit', null);
    else return;
    event.preventDefault();
  }

  #selected() {
    const {text} = this.field;
    const [start, end] = this.field.words();
    const points = (/** @type {number} */ at) => [...text.slice(0, at)].length;
    if (start < end) this.trigger('select', {index: [points(start), points(end)], value: text.slice(start, end)});
  }
}

/** @param {string} name */
const style = name =>
  new Promise((resolve, reject) => {
    const href = new URL(`../styles/${name}.css`, import.meta.url).href;
    if (document.querySelector(`link[href="${href}"]`)) return resolve(null);
    document.head.append(h('link', {rel: 'stylesheet', href, onload: resolve, onerror: reject}));
  });

/**
 * @param {HTMLElement} root
 * @param {GradioProps['shared_props']} shared
 * @param {GradioProps['props'] & {texts: Record<string, Record<string, string>>}} props
 */
export const show = async (root, shared, props) => {
  takeTexts(props.texts);
  await Promise.all(STYLES.map(style));
  loadBindings();
  root.lang = currentLanguage();
  root.classList.add('part');
  return new ConstraintEditor(root, shared, props);
};

/* Several rows of the open document that are selected, and a toolbar in the place of the filter for what is done with all
   of them. Shift+click or Shift+arrow keys select a range; Escape ends it. */
import {button, h, icon, setText, t, tn} from '../core/dom.js';
import {openAssignment} from '../dialogs/assign.js';

export class RowSelection {
  /**
   * @param {Pick<Bench, 'document' | 'focusEditor' | 'order' | 'root' | 'segment' | 'session' | 'steps'> & Bench} bench
   * @param {object} list
   * @param {() => number[]} list.visible the rows in their order
   * @param {(index: number) => HTMLElement | undefined} list.itemOf
   * @param {(isOn: boolean) => void} list.onChange
   */
  constructor(bench, {visible, itemOf, onChange}) {
    this.bench = bench;
    this.visible = visible;
    this.itemOf = itemOf;
    this.onChange = onChange;
    /** @type {number | null} */
    this.anchor = null;
    this.end = -1;
    /** @type {Set<number>} */
    this.chosen = new Set();
    this.announcement = h('span.sr', {role: 'status'});
    this.number = h('b');
    this.commands = h('span.commands');
    this.element = h(
      'div.tools.selection',
      {
        role: 'toolbar',
        'aria-label': t('select.toolbar'),
        hidden: true,
        onkeydown: event => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          this.close();
        },
      },
      this.number,
      this.commands,
    );
  }

  get isOn() {
    return this.chosen.size > 0;
  }

  /**
   * Selects the rows from the first one of the selection to this one; a new selection begins at `from`.
   * @param {number} index
   * @param {number} from
   */
  extend(index, from) {
    const visible = this.visible();
    if (this.anchor === null || !visible.includes(this.anchor)) this.anchor = visible.includes(from) ? from : index;
    this.end = index;
    const ends = [visible.indexOf(this.anchor), visible.indexOf(index)].sort((a, b) => a - b);
    const before = this.chosen;
    this.chosen = new Set(visible.slice(ends[0], ends[1] + 1));
    for (const one of new Set([...before, ...this.chosen]))
      if (before.has(one) !== this.chosen.has(one)) this.mark(one, this.itemOf(one));
    this.#show();
  }

  /**
   * Marks a row that is painted.
   * @param {number} index
   * @param {HTMLElement | undefined} item
   */
  mark(index, item) {
    item?.classList.toggle('chosen', this.chosen.has(index));
    item
      ?.querySelector(':scope > .row')
      ?.setAttribute('aria-description', this.chosen.has(index) ? t('select.row') : '');
  }

  #show() {
    const said = tn('select.number', this.chosen.size);
    setText(this.number, said);
    setText(this.announcement, `${said}. ${t('select.how')}`);
    if (!this.element.hidden) return;
    const {project} = this.bench.document;
    /** @type {[isShown: boolean, icon: string, label: string, act: () => unknown][]} */
    const commands = [
      [project.may_lock, 'locked', 'lock.lock.short', () => this.#lock(true)],
      [project.may_lock, '', 'lock.unlock.short', () => this.#lock(false)],
      [project.may_assign, 'person', 'select.assign', () => this.#assign()],
      [true, '', 'select.source', () => this.#put(true)],
      [true, '', 'select.empty', () => this.#put(false)],
      [true, '', 'select.end', () => this.close()],
    ];
    this.commands.replaceChildren(
      ...commands
        .filter(([isShown]) => isShown)
        .map(([, iconName, label, act]) =>
          button('.btn.small', {onclick: act}, iconName ? icon(iconName, true) : null, t(label)),
        ),
    );
    this.element.hidden = false;
    this.onChange(true);
  }

  focus() {
    this.commands.querySelector('button')?.focus();
  }

  /** Ends the selection; `focus` the editor has the focus then. */
  close(focus = true) {
    if (!this.isOn) return;
    const before = this.chosen;
    this.chosen = new Set();
    this.anchor = null;
    for (const one of before) this.mark(one, this.itemOf(one));
    this.element.hidden = true;
    setText(this.announcement, t('select.ended'));
    this.onChange(false);
    if (focus) this.bench.focusEditor();
  }

  /** The selected segments in the order of the document. */
  #segments() {
    return this.bench.order.filter(index => this.chosen.has(index));
  }

  /** @param {boolean} isLocked */
  async #lock(isLocked) {
    const {bench} = this;
    bench.segment.flush();
    const reply = await bench.steps.lock(this.#segments(), isLocked);
    if (reply.ok) this.close();
  }

  /** @param {boolean} isSource */
  async #put(isSource) {
    const {bench} = this;
    bench.segment.flush();
    const reply = await bench.steps.putTexts(this.#segments(), isSource);
    if (reply.ok) this.close();
  }

  #assign() {
    openAssignment(this.bench, this.#segments(), () => this.close(false));
  }
}

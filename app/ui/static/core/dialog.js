/* The frame of every dialog: title, cross, body, buttons. Escape and the cross close it. */
import {button, h, icon, t} from './dom.js';

export class Dialog {
  /**
   * @param {object} options
   * @param {string} options.name its title has the id `pinpoint-NAME`
   * @param {string} options.title
   * @param {string} [options.classes] such as '.small'
   * @param {boolean} [options.isAlert] a question that needs an answer: without a cross
   * @param {Child} options.body
   * @param {Child} options.buttons
   * @param {() => void} [options.onSubmit] Enter in a field, or the button of type "submit"
   * @param {() => void} [options.onCancel] Escape or the cross; without it, they close the dialog
   * @param {() => void} [options.onClose] called after it was closed, to move the focus
   */
  constructor({name, title, classes = '', isAlert, body, buttons, onSubmit, onCancel, onClose = () => {}}) {
    this.onClose = onClose;
    const cancel = onCancel ?? (() => this.close());
    this.body = h('div.db', body);
    const frame = [
      h(
        'div.dh',
        h('h2', {id: `pinpoint-${name}`}, title),
        isAlert ? null : button('.x', {'aria-label': t('close'), onclick: cancel}, icon('x')),
      ),
      this.body,
      h('div.df', buttons),
    ];
    /** @param {Event} event */
    const submit = event => {
      event.preventDefault();
      onSubmit?.();
    };
    const element = h(
      `dialog${classes}`,
      {
        'aria-labelledby': `pinpoint-${name}`,
        role: isAlert ? 'alertdialog' : null,
        oncancel: event => {
          event.preventDefault();
          cancel();
        },
      },
      onSubmit ? h('form', {onsubmit: submit, novalidate: true}, frame) : frame,
    );
    this.element = /** @type {HTMLDialogElement} */ (element);
  }

  get isOpen() {
    return this.element.open;
  }

  /**
   * Shows the dialog and moves the focus to `focus`, or else where the browser puts it.
   * @param {HTMLElement} root
   * @param {HTMLElement | null} [focus]
   */
  open(root, focus) {
    if (this.isOpen) return;
    root.append(this.element);
    this.element.showModal();
    focus?.focus();
  }

  close() {
    if (this.isOpen) this.element.close();
    this.element.remove();
    // The browser has given the focus back while the selection was still in the dialog: keys would do nothing there until
    // the element gets the focus once more.
    const held = /** @type {HTMLElement | null} */ (document.activeElement);
    held?.blur();
    this.onClose();
    if (document.activeElement === document.body) held?.focus({preventScroll: true});
  }
}

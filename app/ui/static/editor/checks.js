/* What the checks find in the open segment: told before it is confirmed, and which checks run at all. Pressing confirm
   again goes over what was shown; what is an error stays flagged in the list. */
import {Dialog} from '../core/dialog.js';
import {button, h, icon} from '../core/dom.js';
import {hint} from '../core/key_bindings.js';
import {t, tn} from '../core/texts.js';

const NAMES = ['numbers', 'placeholders', 'terms', 'punctuation', 'doubled', 'length', 'spaces'];
const MAX_WAIT_MS = 1500;
/** @param {Finding} finding */
const keyOf = finding => JSON.stringify([finding.check, finding.kind, finding.texts]);
/** @param {Finding} options */
const sentence = ({check, kind, texts}) =>
  t(`check.${check}.${kind}`, {texts: texts.join(check === 'placeholders' ? ' ' : ', ')});

export class Checks {
  /** @param {Segment} segment */
  constructor(segment) {
    this.segment = segment;
    this.element = h('div.checks', {role: 'status', hidden: true});
    this.link = button('.link', {onclick: () => this.onLink(), title: t('checks.title')});
    /** @type {Set<string>} what was shown of this segment */
    this.shown = new Set();
    /** @type {Promise<Reply> | null} */
    this.asking = null;
    this.reset();
  }

  /** Another segment is open: nothing has been shown of it. */
  reset() {
    this.shown = new Set();
    this.asking = null;
    this.element.hidden = true;
    this.paintLink();
  }

  /** What the server found, where it has the text that stands in the field; else null. */
  known() {
    const {detail, field, isDirty, index, bench} = this.segment;
    if (!detail?.findings || isDirty || bench.connection.isPending(`edit:${index}`)) return null;
    return field.text === (detail.target ?? detail.machine_text ?? '') ? detail.findings : null;
  }

  /** Whether the text can be confirmed without a word, as far as is known here. */
  isFine() {
    return this.known()?.length === 0 || !this.segment.bench.connection.isOnline;
  }

  /**
   * Whether the text is to be confirmed: nothing was found, or all of it was shown before. Shows it otherwise.
   * @param {number} index
   * @param {string} text
   */
  async agrees(index, text) {
    if (this.asking) return false;
    const question = this.segment.bench.connection.send('check', {segment: index, text});
    this.asking = question;
    const reply = await Promise.race([question, new Promise(done => setTimeout(done, MAX_WAIT_MS, null))]);
    if (this.asking !== question) return false; // another segment was opened meanwhile
    this.asking = null;
    /** @type {Finding[]} */
    const findings = reply?.ok ? reply.result.findings : [];
    const isShown = findings.every(finding => this.shown.has(keyOf(finding)));
    if (!isShown) this.show(findings);
    return isShown;
  }

  /** @param {Finding[]} findings */
  show(findings) {
    findings.forEach(finding => this.shown.add(keyOf(finding)));
    this.paint(findings);
  }

  /** @param {Finding[]} findings */
  paint(findings) {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = !findings.length;
    this.element.replaceChildren(
      h(
        'ul',
        {},
        findings.map(finding =>
          h(
            `li.${finding.is_error ? 'error' : 'advice'}`,
            {'data-check': finding.check},
            icon(finding.is_error ? 'err' : 'problem', true),
            h('b', {}, t(finding.is_error ? 'checks.error' : 'checks.advice')),
            ' ',
            h('span', {dir: 'auto'}, sentence(finding)),
          ),
        ),
      ),
      h(
        'div.acts',
        {},
        button('.btn.small.primary', {onclick: () => this.segment.confirm()}, t('checks.confirm'), hint('confirm')),
        button('.btn.small', {onclick: () => openChecks(this.segment.bench)}, t('checks.choose')),
      ),
    );
    if (hadFocus) this.segment.focusField();
  }

  /** The server's view has changed: what is shown goes as soon as it is put right. */
  update() {
    const findings = this.known();
    if (findings && !this.element.hidden) this.paint(findings.filter(finding => this.shown.has(keyOf(finding))));
    this.paintLink();
  }

  paintLink() {
    const n = this.known()?.length ?? 0;
    this.link.replaceChildren(n ? tn('checks.link', n) : t('checks.link.none'));
    this.link.classList.toggle('warn', n > 0);
  }

  onLink() {
    const {segment} = this;
    if (!this.known()?.length) {
      openChecks(segment.bench);
      return;
    }
    this.agrees(segment.index, segment.field.text);
    segment.focusField();
  }
}

/**
 * Which checks run, for this document.
 * @param {Bench} bench
 */
const openChecks = bench => {
  const close = () => dialog.close();
  const boxes = NAMES.map(name =>
    h('input', {
      type: 'checkbox',
      'data-check': name,
      checked: !bench.checksOff.includes(name),
      onchange: () => {
        bench.checksOff = boxes.filter(box => !box.checked).map(box => box.dataset.check ?? '');
        bench.connection.send('choose_checks', {off: bench.checksOff}, 'choose_checks');
      },
    }),
  );
  const dialog = new Dialog({
    name: 'checks',
    title: t('checks.title'),
    body: [
      h('p.muted', {}, t('checks.lead')),
      h(
        'div.checklist',
        {},
        NAMES.map((name, i) =>
          h(
            'label.check',
            {},
            boxes[i],
            h('b', {}, t(`checks.${name}`)),
            ' ',
            h('span.muted', {}, t(`checks.${name}.detail`)),
          ),
        ),
      ),
    ],
    buttons: [button('.btn.primary', {onclick: close}, t('close'))],
    onClose: () => bench.focusEditor(),
  });
  dialog.open(bench.root, boxes[0]);
};

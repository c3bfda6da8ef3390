/* Findings of the checks in the open segment, shown before it is confirmed. Confirming again accepts the findings
   shown; errors stay marked in the list. A text that could not be checked is confirmed only by a second press. A dialog
   chooses which checks run. */
import {Dialog} from '../core/dialog.js';
import {button, h, icon, setText} from '../core/dom.js';
import {hint} from '../core/key_bindings.js';
import {t, tn} from '../core/texts.js';
import {insertText} from './text_commands.js';

const NAMES = ['numbers', 'placeholders', 'terms', 'limits', 'punctuation', 'doubled', 'length', 'spaces'];
const SLOW_MS = 1500; // a check that takes longer can be skipped by a second press
const SKIPPED = Symbol('the person does not wait for the check');
const INSERTED = new Set(['placeholders missing', 'terms unmet']); // findings whose texts can be inserted
/** @param {Finding} finding */
const keyOf = finding => JSON.stringify([finding.check, finding.kind, finding.texts]);
/** @param {Finding} options */
const sentence = ({check, kind, texts}) => {
  const shown = check === 'punctuation' ? texts.map(sign => t('check.sign', {sign})) : texts;
  return t(`check.${check}.${kind}`, {texts: shown.join(check === 'placeholders' ? ' ' : ', ')});
};

export class Checks {
  /**
   * onConfirm(): the person confirms in spite of the findings.
   * @param {Pick<Bench, 'connection' | 'checksOff' | 'root' | 'focusEditor' | 'say' | 'numberOf'>} page
   * @param {{current: Readonly<CurrentSegment>, text: TargetText, onConfirm: () => void}} parts
   */
  constructor(page, {current, text, onConfirm}) {
    this.page = page;
    this.current = current;
    this.text = text;
    this.onConfirm = onConfirm;
    this.element = h('div.checks', {role: 'status', hidden: true});
    this.link = button('.link.warn', {onclick: () => this.onLink(), title: t('checks.link.title')});
    /** @type {Set<string>} findings of this segment that were shown */
    this.shown = new Set();
    /** @type {Promise<Reply> | null} */
    this.asking = null;
    /** @type {(() => void) | null} ends the wait for a check that takes long */
    this.onSkip = null;
    /** @type {string | null} the text whose check failed, as the person was told */
    this.failed = null;
    this.reset();
  }

  /** Another segment is open. */
  reset() {
    this.shown = new Set();
    this.asking = null;
    this.onSkip = null;
    this.failed = null;
    this.element.hidden = true;
    this.paintLink();
  }

  /** The server's findings in the text of the field; null while the server has another text. */
  known() {
    const {current, text} = this;
    const {detail} = current;
    if (!detail?.findings || text.isDirty || current.isPending('edit')) return null;
    return text.value === (detail.target ?? detail.machine_text ?? '') ? detail.findings : null;
  }

  /** True if the text can be confirmed without asking the server: it has no findings. */
  isFine() {
    return this.known()?.length === 0;
  }

  /** Ends the wait for a check that takes long: the text is confirmed without it. Returns whether there is one. */
  skip() {
    this.onSkip?.();
    return this.onSkip !== null;
  }

  /**
   * Asks the server to check the text. True if the person has seen all findings, or confirms without the check; shows the
   * findings otherwise.
   * @param {number} index
   * @param {string} text
   * @param {(key: string) => void} [tell] shows why the text is not confirmed yet: the key of a text of the page, or ''
   */
  async agrees(index, text, tell = () => {}) {
    if (this.asking) return false;
    if (this.failed === text) return true;
    const question = this.page.connection.send('check', {segment: index, text});
    this.asking = question;
    const reply = await this.answer(question, tell);
    if (reply === SKIPPED) {
      this.asking = null;
      return true;
    }
    const isOpen = this.asking === question;
    const findings = reply.ok ? reply.result.findings : [];
    if (!isOpen) {
      // Another segment was opened meanwhile: the findings cannot be shown.
      const isLeft = !reply.ok || findings.length > 0;
      if (isLeft)
        this.page.say('warn', t(reply.ok ? 'confirm.left' : 'confirm.failed', {n: this.page.numberOf(index)}));
      return !isLeft;
    }
    this.asking = null;
    if (!reply.ok) {
      this.failed = text;
      tell('confirm.unchecked');
      return false;
    }
    const isShown = findings.every((/** @type {Finding} */ finding) => this.shown.has(keyOf(finding)));
    if (!isShown) this.show(findings);
    return isShown;
  }

  /**
   * The answer to a question; SKIPPED if it took long, or the server is offline, and the person pressed again.
   * @param {Promise<ReplyTo<'check'>>} question
   * @param {(key: string) => void} tell
   * @returns {Promise<ReplyTo<'check'> | typeof SKIPPED>}
   */
  async answer(question, tell) {
    const isSlow = new Promise(done => setTimeout(done, this.page.connection.isOnline ? SLOW_MS : 0, SKIPPED));
    const first = await Promise.race([question, isSlow]);
    if (first !== SKIPPED || this.asking !== question) return question;
    tell('confirm.checking');
    const isSkipped = new Promise(done => {
      this.onSkip = () => done(SKIPPED);
    });
    const reply = await Promise.race([question, isSkipped]);
    if (this.asking === question) {
      this.onSkip = null;
      tell('');
    }
    return reply;
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
        findings.map(finding => this.item(finding)),
      ),
      h(
        'div.acts',
        button('.btn.small.primary', {onclick: () => this.onConfirm()}, t('checks.confirm'), hint('confirm')),
        this.chooser(),
      ),
    );
    if (hadFocus) this.text.focus();
  }

  /**
   * A finding as an item of a list.
   * @param {Finding} finding
   */
  item(finding) {
    return h(
      `li.${finding.is_error ? 'error' : 'advice'}`,
      {'data-check': finding.check},
      icon(finding.is_error ? 'err' : 'problem', true),
      h('b', t(finding.is_error ? 'checks.error' : 'checks.advice')),
      ' ',
      h('span', {dir: 'auto'}, sentence(finding)),
      this.inserts(finding),
    );
  }

  /**
   * The buttons that insert what a finding misses: tags, placeholders and terms.
   * @param {Finding} finding
   */
  inserts({check, kind, texts}) {
    if (!INSERTED.has(`${check} ${kind}`)) return null;
    return texts.map(text => [
      ' ',
      button('.link', {onclick: () => insertText(this.text, text)}, t('checks.insert', {text})),
    ]);
  }

  /** New details arrived: removes findings that are corrected. */
  update() {
    const findings = this.known();
    if (findings && !this.element.hidden) this.paint(findings.filter(finding => this.shown.has(keyOf(finding))));
    this.paintLink();
  }

  /** The button that opens the choice of checks. */
  chooser() {
    return button('.btn.small', {onclick: () => openChecks(this.page)}, t('checks.choose'));
  }

  /** The number of findings; not while the person is in the middle of the sentence. */
  paintLink() {
    const n = this.text.isHalfTyped ? 0 : (this.known()?.length ?? 0);
    this.link.hidden = !n;
    setText(this.link, tn('checks.link', n));
  }

  onLink() {
    this.agrees(this.current.index, this.text.value);
    this.text.focus();
  }
}

/**
 * The dialog that chooses which checks run, for this document.
 * @param {Pick<Bench, 'connection' | 'checksOff' | 'root' | 'focusEditor'>} page
 */
const openChecks = page => {
  const close = () => dialog.close();
  const boxes = NAMES.map(name =>
    h('input', {
      type: 'checkbox',
      'data-check': name,
      checked: !page.checksOff.includes(name),
      onchange: () => {
        page.checksOff = boxes.filter(box => !box.checked).map(box => box.dataset.check ?? '');
        page.connection.send('choose_checks', {off: page.checksOff}, 'choose_checks');
      },
    }),
  );
  const dialog = new Dialog({
    name: 'checks',
    title: t('checks.title'),
    body: [
      h('p.muted', t('checks.lead')),
      h(
        'div.checklist',
        NAMES.map((name, i) =>
          h('label.check', boxes[i], h('b', t(`checks.${name}`)), ' ', h('span.muted', t(`checks.${name}.detail`))),
        ),
      ),
    ],
    buttons: [button('.btn.primary', {onclick: close}, t('close'))],
    onClose: () => page.focusEditor(),
  });
  dialog.open(page.root, boxes[0]);
};

/* Notices below the list, which ends above them, and what they report of the model and of the server. */
import {button, h, icon, t} from '../core/dom.js';
import {showDirections} from '../dialogs/direction.js';
import {languagesOf} from '../dialogs/published_models.js';

const FADE_MS = 12000;
const MAX_NOTES = 3; // and the questions

/** Notices: plain text and a few buttons. Errors stay until they are dismissed, questions until they are answered. */
export class Notes {
  /**
   * @param {HTMLElement} host
   * @param {() => void} onLeave moves the focus to the document after the last notice with the focus was dismissed
   */
  constructor(host, onLeave) {
    this.host = host;
    this.onLeave = onLeave;
    new ResizeObserver(() => {
      const {root} = this;
      root?.style.setProperty('--notes', host.children.length ? `${host.offsetHeight}px` : '');
      root?.classList.toggle('has-notes', host.children.length > 0);
    }).observe(host);
    host.addEventListener('keydown', event => {
      if (event.key !== 'Escape' || event.isComposing) return;
      this.dismiss(event.target.closest('.banner'));
      event.preventDefault();
      event.stopPropagation();
    });
  }

  get root() {
    return this.host.parentElement;
  }

  /**
   * Dismisses a notice as its cross does, or the newest one that is not a question. Returns whether there is one.
   * @param {HTMLElement | null} [note]
   */
  dismiss(note = [...this.host.querySelectorAll('.banner:not([data-question])')].at(-1) ?? null) {
    const cross = note?.querySelector('.x');
    cross?.click();
    return Boolean(cross);
  }

  /**
   * @param {NoteKind} kind
   * @param {string} text
   * @param {NoteAction[]} [actions]
   * @param {{key?: string, isQuestion?: boolean, stays?: boolean, onDismiss?: () => void}} [options]
   */
  say(
    kind,
    text,
    actions = [],
    {key = text, isQuestion = false, stays = isQuestion || kind === 'bad', onDismiss = () => {}} = {},
  ) {
    this.take(key);
    const close = () => {
      note.remove();
    };
    const dismiss = () => {
      const hadFocus = note.contains(document.activeElement);
      close();
      onDismiss();
      const next = [...this.host.querySelectorAll('.x')].at(-1);
      if (hadFocus && next) next.focus();
      else if (hadFocus) this.onLeave();
    };
    /** @type {HTMLElement} */
    const note = h(
      `div.banner.${kind}`,
      {role: kind === 'bad' ? 'alert' : 'status', 'data-key': key, 'data-question': isQuestion ? '' : null},
      icon({bad: 'err', warn: 'problem', info: 'info'}[kind]),
      h('div.say', text),
      h(
        'div.acts',
        actions.map(([label, action]) =>
          button(
            '.btn.small',
            {
              onclick: () => {
                close();
                action();
              },
            },
            label,
          ),
        ),
        isQuestion
          ? null
          : button('.x', {'aria-label': t('dismiss'), title: t('dismiss'), onclick: dismiss}, icon('x')),
      ),
    );
    this.host.append(note);
    if (!stays) this.fade(note);
    const others = this.host.querySelectorAll(':scope > :not([data-question])');
    for (let i = 0; i < others.length && this.host.children.length > MAX_NOTES; i++) others[i].remove();
    return note;
  }

  /** True if a question waits for its answer. */
  get isAsking() {
    return this.host.querySelector('[data-question]') !== null;
  }

  /**
   * Removes a notice after a while, but not while the pointer or the focus is on it.
   * @param {HTMLElement} note
   */
  fade(note) {
    setTimeout(() => {
      if (note.matches(':hover, :focus-within')) this.fade(note);
      else note.remove();
    }, FADE_MS);
  }

  /**
   * Removes the notice of that key, if it is still shown.
   * @param {string} key
   */
  take(key) {
    [...this.host.children].find(note => note.getAttribute('data-key') === key)?.remove();
  }

  clear() {
    this.host.replaceChildren();
  }
}

/** Reports a failed model, a model of other languages and the server's problem once each; removes what is over. */
export class ServerNotes {
  #model = '';
  #offered = '';
  #problem = '';
  #isSilent = false;

  /**
   * @param {Pick<Bench, 'connection' | 'focusEditor' | 'languages' | 'notes' | 'root' | 'rows' | 'say' | 'segment' |
   *   'switchTo'>} bench
   */
  constructor(bench) {
    this.bench = bench;
    this.notes = bench.notes;
  }

  /** @param {Pick<SuccessReply, 'model' | 'problem'>} reply */
  update({model, problem}) {
    if (model.state === 'failed' && this.#model !== model.message) {
      this.#model = model.message;
      this.notes.say('bad', t('model.failed.note', {message: model.message}));
    } else if (model.state === 'ready' && this.#model) {
      this.notes.take(t('model.failed.note', {message: this.#model}));
      this.#model = '';
    }
    this.offer(model.offered);
    if (this.#isSilent && !model.is_silent) this.notes.say('info', t('model.answers'));
    this.#isSilent = model.is_silent;
    if (problem && problem !== this.#problem) this.notes.say('bad', problem);
    else if (!problem) this.notes.take(this.#problem);
    this.#problem = problem;
  }

  /**
   * Says that a model was installed that does not have the document's languages. The document stays as it is.
   * @param {ModelStatus['offered']} model
   */
  offer(model) {
    const name = model?.name ?? '';
    if (name === this.#offered) return;
    this.#offered = name;
    this.notes.take('other languages');
    if (!model) return;
    const {source, target} = this.bench.languages;
    this.notes.say(
      'info',
      t('model.offered', {
        name,
        pairs: model.directions.map(languagesOf).join(', '),
        own: languagesOf(`${source}-${target}`),
      }),
      model.key ? [[t('models.anew'), () => showDirections(this.bench, {key: model.key, name})]] : [],
      {key: 'other languages', stays: true},
    );
  }
}

/* The status bar: whether everything is saved, working time, and the progress of the translation. */
import {button, count, h, icon, number, setText, t, tn} from '../core/dom.js';
import {hint, shortcut} from '../core/key_bindings.js';
import {clock} from '../core/texts.js';
import {openKeySheet} from '../dialogs/key_sheet.js';

const SLOW_MS = 2000; // of a proposal: then the speed of the model is shown beside it

/**
 * "about 3 min left": an estimated time in words.
 * @param {number} seconds
 */
const duration = seconds => {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return t('status.left.soon');
  return minutes < 90 ? t('status.left.minutes', {n: minutes}) : t('status.left.hours', {n: number(seconds / 3600, 1)});
};

export class Status {
  /**
   * @param {Pick<Bench, 'connection' | 'decode' | 'model' | 'notes' | 'progress' | 'root' | 'segment' | 'unit' | 'work'>} bench
   * @param {HTMLElement} host
   */
  constructor(bench, host) {
    this.bench = bench;
    this.saved = h('span', {role: 'status'});
    this.decode = h('span.num.gives.first');
    this.learned = h('span.num.gives.first', {hidden: true, title: t('status.learned.title')});
    this.bar = h('i');
    this.workTime = h('b');
    this.workSpeed = h('span');
    this.workIdle = h('span.wide');
    this.work = h(
      'span.num.work',
      {hidden: true},
      `${t('status.work')} `,
      this.workTime,
      this.workIdle,
      this.workSpeed,
    );
    this.progressText = h('span.num.gives');
    this.progressButton = button('.btn', {
      onclick: () => bench.connection.send('pretranslate', {is_on: !bench.progress?.is_running}),
    });
    this.progress = h(
      'span.pretranslation',
      this.progressText,
      h(
        'div.bar',
        {role: 'progressbar', 'aria-label': t('status.pretranslation'), 'aria-valuemin': 0, 'aria-valuemax': 100},
        this.bar,
      ),
      this.progressButton,
    );
    this.help = button(
      '.push',
      {'aria-haspopup': 'dialog', ...shortcut('help'), onclick: () => openKeySheet(bench)},
      hint('help'),
      t('status.keys'),
    );
    host.append(this.saved, this.work, this.decode, this.learned, this.progress, this.help);
    this.savedAt = null;
  }

  update() {
    const {connection, notes, segment, progress, decode, model, unit} = this.bench;
    const isUnsaved = segment.text.isDirty || connection.line.length > 0;
    const [kind, iconName, text] = !connection.isOnline
      ? ['bad', 'problem', t(connection.isRestarting ? 'status.restarting' : 'status.offline')]
      : notes.isAsking
        ? ['warn', 'problem', t('status.asking')]
        : isUnsaved
          ? ['warn', 'draft', t('status.saving')]
          : model.is_silent
            ? ['warn', 'problem', t('status.silent')]
            : ['ok', 'check', this.savedAt ? t('status.saved', {when: this.savedAt}) : t('status.ready')];
    if (this.shown !== kind + text) {
      this.shown = kind + text;
      this.saved.className = kind;
      this.saved.dataset.kind = kind;
      this.saved.replaceChildren(icon(iconName, true), text);
    }
    if (decode) {
      this.decode.hidden = decode.last_ms == null;
      const ms = decode.last_ms ?? 0;
      const speed = t('status.tokens', {
        n: number(decode.tokens_per_second ?? 0, 1),
        device: model.device.toUpperCase(),
      });
      this.decode.replaceChildren(
        `${t('status.decode')} `,
        h('b', ms < SLOW_MS ? t('status.ms', {n: Math.round(ms)}) : t('status.seconds', {n: number(ms / 1000, 1)})),
        ms < SLOW_MS ? '' : ` \u00b7 ${speed}`,
      );
      this.decode.title = speed;
    }
    this.learned.hidden = !model.num_learned;
    setText(this.learned, tn('status.learned', model.num_learned));
    this.showWork();
    if (!progress) return;
    const isDone = progress.done >= progress.total;
    this.progress.hidden = isDone || model.state === 'failed';
    if (isDone) return;
    const {done, total, words_per_second: rate, seconds_left: left} = progress;
    setText(
      this.progressText,
      t('status.progress', {done: count(done), total: count(total)}) +
        (rate
          ? ` \u00b7 ${t(`status.rate.${unit}`, {n: rate < 10 ? number(rate, 1) : count(Math.round(rate))})} \u00b7 ${duration(left ?? 0)}`
          : ''),
    );
    const percent = progress.total ? Math.floor((100 * progress.done) / progress.total) : 0;
    this.bar.style.inlineSize = `${percent}%`;
    this.bar.parentElement?.setAttribute('aria-valuenow', String(percent));
    setText(this.progressButton, t(progress.is_running ? 'status.cancel' : 'status.resume'));
  }

  /** Net working time and speed, which the server computes from the log. */
  showWork() {
    const {work, unit} = this.bench;
    this.work.hidden = !work?.net_ms;
    if (!work?.net_ms) return;
    const minutes = Math.floor(work.net_ms / 60000);
    setText(
      this.workTime,
      minutes < 60
        ? t('status.work.minutes', {min: minutes})
        : t('status.work.time', {h: Math.floor(minutes / 60), min: minutes % 60}),
    );
    const speed = work.per_hour;
    setText(this.workSpeed, speed !== null ? `\u00b7 ${t(`status.work.${unit}`, {n: count(Math.round(speed))})}` : '');
    setText(this.workIdle, t('status.work.idle', {idle: work.idle_limit_ms / 1000}));
    this.work.title = t('status.work.title', {idle: work.idle_limit_ms / 1000});
  }

  markSaved() {
    this.savedAt = clock(new Date());
  }
}

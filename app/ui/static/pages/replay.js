/* The replay of a session: a slider over all its events, with the segment's text after each of them. */
import {button, count, h, icon, setText, t, textIn} from '../core/dom.js';
import {styleNames} from '../core/style_names.js';

const MAX_PAUSE_MS = 1500; // longer pauses are shortened to this
const CHANGES = ['insert', 'delete'];
const SPEEDS = [1, 4, 16, 64];
/** @param {number} ms */
const clock = ms => {
  const seconds = Math.floor(ms / 1000);
  /** @param {number} n */
  const pad = n => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
};

/**
 * The details of an event in words, such as the origin of a change.
 * @param {string} type
 * @param {string} detail
 */
const detailText = (type, detail) =>
  CHANGES.includes(type) && detail
    ? t(`origin.${detail}`)
    : type === 'style'
      ? styleNames(detail)
      : type === 'paste'
        ? ''
        : detail;

/**
 * The difference of two texts: [common, removed, new, common].
 * @param {string} before
 * @param {string} after
 */
export const changedPart = (before, after) => {
  const old = [...before];
  const now = [...after];
  let start = 0;
  let end = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [
    now.slice(0, start),
    old.slice(start, old.length - end),
    now.slice(start, now.length - end),
    now.slice(now.length - end),
  ].map(part => part.join(''));
};

export class Replay {
  /**
   * @param {HTMLElement} host
   * @param {Languages} languages
   */
  constructor(host, languages) {
    this.host = host;
    this.at = 0;
    this.speed = 4;
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
    /** @type {Moment[]} */
    this.moments = [];
    /** @type {ReplayView['segments']} */
    this.segments = [];
    this.play = button('.btn.small', {onclick: () => (this.timer ? this.stop() : this.start())});
    this.slider = h('input', {
      type: 'range',
      min: 0,
      max: 0,
      value: 0,
      'aria-label': t('replay.slider'),
      oninput: () => {
        this.stop();
        this.show(Number(this.slider.value));
      },
    });
    this.clock = h('span.num.muted');
    this.what = h('p.what');
    this.source = h('p.muted', textIn(languages.source));
    this.text = h('p.text', textIn(languages.target));
    const speeds = SPEEDS.map(n => h('option', {value: n, selected: n === this.speed}, `${n}×`));
    host.replaceChildren(
      h(
        'div.player',
        this.play,
        this.slider,
        this.clock,
        h(
          'label.speed',
          t('replay.speed'),
          h(
            'select',
            {
              onchange: event => {
                this.speed = Number(event.target.value);
              },
            },
            speeds,
          ),
        ),
      ),
      h('div.stage', {role: 'group', 'aria-label': t('replay.stage')}, this.what, this.source, this.text),
    );
    this.stop();
  }

  /** @param {ReplayView} options */
  load({segments, moments}) {
    this.segments = segments;
    this.moments = moments;
    this.slider.max = String(Math.max(0, moments.length - 1));
    this.show(0);
  }

  /**
   * The text of the segment of moment `at` after that moment, or with `isBefore` before it.
   * @param {number} at
   * @param {boolean} [isBefore]
   */
  textAt(at, isBefore = false) {
    const segment = this.moments[at][3];
    for (let i = isBefore ? at - 1 : at; i >= 0; i--)
      if (this.moments[i][3] === segment && this.moments[i][4] !== null) return this.moments[i][4] ?? '';
    return segment === null ? '' : this.segments[segment].text;
  }

  /** @param {number} at */
  show(at) {
    if (!this.moments.length) return;
    this.at = Math.max(0, Math.min(at, this.moments.length - 1));
    const [, atMs, type, segment, text, detail] = this.moments[this.at];
    this.slider.value = String(this.at);
    this.slider.setAttribute(
      'aria-valuetext',
      t('replay.value', {n: count(this.at + 1), all: count(this.moments.length), time: clock(atMs)}),
    );
    setText(this.clock, `${clock(atMs)} · ${count(this.at + 1)} / ${count(this.moments.length)}`);
    setText(
      this.what,
      [
        segment === null ? t('replay.session') : t('replay.segment', {n: this.segments[segment].number}),
        t(`event.${type}`),
        detailText(type, detail),
      ]
        .filter(Boolean)
        .join(' · '),
    );
    setText(this.source, segment === null ? '' : this.segments[segment].source);
    if (segment === null) {
      this.text.replaceChildren();
      return;
    }
    if (text === null) {
      this.text.replaceChildren(this.textAt(this.at));
      return;
    }
    const [head, gone, added, tail] = changedPart(this.textAt(this.at, true), text);
    this.text.replaceChildren(head, gone && h('del', gone), added && h('ins', added), tail);
  }

  start() {
    if (this.at >= this.moments.length - 1) this.show(0);
    this.play.replaceChildren(icon('stop', true), t('replay.pause'));
    const next = () => {
      if (this.at >= this.moments.length - 1 || !this.host.isConnected) {
        this.stop();
        return;
      }
      const wait = Math.min(MAX_PAUSE_MS, this.moments[this.at + 1][1] - this.moments[this.at][1]) / this.speed;
      this.timer = setTimeout(() => {
        this.show(this.at + 1);
        next();
      }, wait);
    };
    next();
  }

  stop() {
    clearTimeout(this.timer ?? undefined);
    this.timer = null;
    this.play.replaceChildren(icon('play', true), t('replay.play'));
  }
}

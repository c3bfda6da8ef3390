/* The translation memory: matches for the open segment with their differences, words of
   them to pin, pre-filling, and a concordance search. Keys insert a match and focus the search. */
import {button, h, icon, setText, sr, textIn} from '../core/dom.js';
import {hint, shortcut} from '../core/key_bindings.js';
import {count, t, tn} from '../core/texts.js';
import {MatchWords} from './match_words.js';

const PAUSE_MS = 250;
const MIN_MATCH_LIMITS = [50, 100]; // percent, as on the server
const MAX_PENALTY = 30;
const CHOICES_SLOT = 'choose_matches'; // newer choices replace those that still wait
const FILL_FROM = 95; // percent, until the person chooses another rate
/** @type {Record<string, string>} */
const MARKS = {s: 'span', d: 'del', i: 'ins'};

export class Memory {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'files' | 'focusEditor' | 'languages' | 'lookupsLeft' | 'rows' | 'say' | 'segment' | 'server' |
   *   'session' | 'steps'>} bench
   * @param {HTMLElement} panel
   * @param {{counter: HTMLElement, onMatches: () => void}} options onMatches(): the matches are those of another segment
   */
  constructor(bench, panel, {counter, onMatches}) {
    this.bench = bench;
    this.panel = panel;
    this.counter = counter;
    this.onMatches = onMatches;
    this.lookup = 0; // the number of the newest lookup
    /** @type {MemoryMatch[]} */
    this.matches = [];
    /** @type {MatchWords[]} */
    this.lines = []; // the translations shown
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.list = h('ol.matches');
    this.all = button('.btn', {hidden: true, onclick: () => this.confirmAll()});
    this.status = h('p.lead');
    const choose = () => this.choose();
    this.minMatch = percentField('memory.min_match', MIN_MATCH_LIMITS, choose);
    this.otherPenalty = percentField('memory.penalty.other', [0, MAX_PENALTY], choose);
    this.importPenalty = percentField('memory.penalty.import', [0, MAX_PENALTY], choose);
    this.fillFrom = percentField('memory.fill.from', MIN_MATCH_LIMITS, () => this.update());
    this.fillFrom.field.value = String(FILL_FROM);
    this.fillButton = button('.btn', {onclick: () => this.fill()});
    this.lookups = h('p.l2.muted', {hidden: true});
    this.field = h('input', {
      type: 'search',
      placeholder: t('memory.search.placeholder'),
      ...shortcut('memory'),
      maxlength: 200,
      oninput: () => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.search(), PAUSE_MS);
      },
      onkeydown: event => {
        if (event.key === 'Enter' && !event.isComposing && !event.ctrlKey) {
          event.preventDefault();
          event.stopPropagation();
          this.search();
        }
        if (event.key === 'Escape') {
          event.preventDefault();
          bench.focusEditor();
        }
      },
    });
    this.found = h('div', {'aria-live': 'polite'});
    panel.append(
      h('h3', t('memory.heading')),
      this.minMatch.label,
      h('details.penalties', h('summary', t('memory.penalties')), this.otherPenalty.label, this.importPenalty.label),
      this.status,
      this.list,
      h('h3', t('memory.fill.heading')),
      this.fillFrom.label,
      this.lookups,
      h('div.acts', this.fillButton, this.all),
      h('h3', t('memory.search')),
      h('label.search', sr(t('memory.search')), icon('search'), this.field, hint('memory')),
      this.found,
      h('div.acts', button('.btn', {onclick: () => bench.files.choose('memory')}, icon('up'), t('memory.import'))),
    );
  }

  /** Stores the choices of the project, and looks up the open segment with them. */
  async choose() {
    const {bench} = this;
    const [min_match, other_penalty, import_penalty] = [this.minMatch, this.otherPenalty, this.importPenalty].map(
      ({field}) => {
        const value = inLimits(field);
        field.value = String(value);
        return value;
      },
    );
    const choices = {min_match, other_penalty, import_penalty};
    const reply = await bench.connection.send('choose_matches', choices, CHOICES_SLOT);
    this.showChoices();
    if (reply.ok) this.open(bench.session.open);
  }

  /** Shows the choices of the project, except in a field that the person is in and while newer choices are stored. */
  showChoices() {
    const {connection, document: shown} = this.bench;
    if (connection.isPending(CHOICES_SLOT)) return;
    /** @type {[HTMLInputElement, number][]} */
    const values = [
      [this.minMatch.field, shown.project.min_match],
      [this.otherPenalty.field, shown.project.other_penalty],
      [this.importPenalty.field, shown.project.import_penalty],
    ];
    for (const [field, value] of values) if (field !== document.activeElement) field.value = String(value);
  }

  /**
   * Looks up the segment, after all changes made before are stored.
   * @param {number} index
   */
  async open(index) {
    const {bench} = this;
    const lookup = ++this.lookup;
    this.show([], '');
    await bench.connection.settled();
    const {token, version, open} = bench.session;
    if (open !== index) return;
    let reply;
    try {
      reply = await bench.server.command({
        token,
        name: 'matches',
        segment: index,
        since: version,
        open: null,
        detail_since: 0,
      });
    } catch {
      return; // offline: the status bar shows it
    }
    if (!reply?.ok || bench.session.open !== index || bench.session.token !== token) return;
    if (lookup !== this.lookup) return; // its reply may come before this one
    const {matches, num_entries: n} = reply.result;
    this.show(matches, matches.length ? '' : n ? tn('memory.none', n, {}) : t('memory.empty'));
    this.search(); // what was confirmed meanwhile is found, too
  }

  /**
   * @param {MemoryMatch[]} matches
   * @param {string} status
   */
  show(matches, status) {
    this.matches = matches;
    this.lines = [];
    this.status.textContent = status;
    this.status.hidden = !status;
    this.list.replaceChildren(...matches.map((match, i) => this.item(match, i)));
    this.counter.hidden = !matches.length;
    this.counter.textContent = matches.length ? `${count(matches[0].rate)} %` : '';
    this.onMatches();
  }

  /**
   * A match as an item of a list: rate, origin, differences, translation, and the button that inserts it.
   * @param {MemoryMatch} match
   * @param {number} i
   */
  item(match, i) {
    const {source, target} = this.bench.languages;
    const words = new MatchWords(match.target_runs, {
      lang: target,
      onPin: (text, replaced) => this.changePins(constraints => constraints.pin(text, replaced)),
      onUnpin: text => this.changePins(constraints => constraints.unpin(text)),
      onLeave: () => this.bench.focusEditor(),
    });
    words.mark(this.bench.segment.constraints.now.pins);
    this.lines.push(words);
    const details = [
      match.is_adapted ? t('memory.adapted') : '',
      match.other_penalty ? t('memory.other', {n: match.other_penalty}) : '',
      match.import_penalty ? t('memory.imported_penalty', {n: match.import_penalty}) : '',
    ]
      .filter(Boolean)
      .join(' \u00b7 ');
    return h(
      'li.ti',
      {'data-rate': match.rate},
      h(
        'div.l1',
        h('span.tag.off', icon('memory', true), t('memory.rate', {n: match.rate})),
        h('span.muted', {dir: 'auto'}, match.origin),
      ),
      details ? h('p.l2', details) : null,
      h(
        'p',
        textIn(source),
        match.runs.map(([kind, text]) => h(MARKS[kind], {}, text)),
      ),
      words.element,
      h(
        'div.acts',
        button(
          '.btn.small',
          {onclick: () => this.insert(i), ...(i ? {} : shortcut('match'))},
          t('memory.insert'),
          i ? null : hint('match'),
        ),
      ),
    );
  }

  /** Shows the choices of the project, and how many segments can be filled, and confirmed, at once. */
  update() {
    this.showChoices();
    this.lines.forEach(line => line.mark(this.bench.segment.constraints.now.pins));
    const {rows, lookupsLeft} = this.bench;
    const numFillable = rows.filter(row => row.can_be_filled && row.match_rate >= this.fillRate()).length;
    this.fillButton.disabled = !numFillable;
    setText(this.fillButton, tn('memory.fill', numFillable));
    this.lookups.hidden = !lookupsLeft;
    setText(this.lookups, tn('memory.lookups', lookupsLeft));
    const n = rows.filter(
      row => row.source && row.is_from_memory && row.match_rate === 100 && !row.attention && !row.is_locked,
    ).length;
    this.all.hidden = !n;
    setText(this.all, tn('memory.confirm', n));
  }

  /**
   * Pins words of a match, or releases them.
   * @param {(constraints: ConstraintSet) => void} change
   */
  changePins(change) {
    const {constraints} = this.bench.segment;
    change(constraints);
    this.lines.forEach(line => line.mark(constraints.now.pins));
  }

  /** Alt+P in a match: pins the words selected there. Returns whether the focus is in one. */
  pinFocused() {
    return this.lines.some(line => line.pinFocused());
  }

  fillRate() {
    return Math.max(1, inLimits(this.fillFrom.field));
  }

  /** Fills segments that nobody has touched with their matches, as one step of undo. */
  async fill() {
    const {bench} = this;
    const rate = this.fillRate();
    bench.segment.flush();
    const reply = await bench.connection.send('fill_matches', {min_rate: rate});
    if (!reply.ok) return;
    const {step, segments} = reply.result;
    if (segments.length) bench.steps.batch(step, tn('memory.fill.done', segments.length, {rate}));
    bench.focusEditor();
  }

  async confirmAll() {
    const {bench} = this;
    bench.segment.flush();
    const reply = await bench.connection.send('confirm_matches');
    if (!reply.ok) return;
    const {step, segments} = reply.result;
    if (segments.length) bench.steps.batch(step, tn('memory.confirmed', segments.length));
    bench.focusEditor();
  }

  /**
   * Puts a match's translation into the field, as a step of undo.
   * @param {number} number
   */
  insert(number) {
    const match = this.matches[number];
    if (match) this.bench.segment.text.insert(match.target, 'memory', {match_rate: match.rate});
  }

  /**
   * Imports a TMX file and looks up the open segment again. Does not queue behind commands, as a large file takes
   * seconds: typed text is stored meanwhile.
   * @param {string} file
   * @param {string} data
   */
  async import(file, data) {
    const {bench} = this;
    const {token, version} = bench.session;
    const note = bench.say('info', t('memory.importing', {name: file}));
    const reply = await bench.server
      .command({token, name: 'import_memory', file, data, since: version, open: null, detail_since: 0})
      .catch(() => ({ok: false, error: {message: t('alts.offline')}}));
    note.remove();
    if (!reply.ok) {
      bench.say('bad', reply.error.message);
      return;
    }
    const {name, notes, num_pairs: n, num_filled: filled} = reply.result;
    bench.say(
      'info',
      [tn('memory.imported', n, {name}), filled ? tn('memory.filled', filled) : '', ...notes].join(' '),
    );
    if (bench.session.token === token) this.open(bench.session.open);
  }

  async search() {
    const words = this.field.value.trim();
    if (!words) {
      this.found.replaceChildren();
      return;
    }
    const reply = await this.bench.connection.send('concordance', {words}, 'concordance');
    if (!reply.ok || reply.result.words !== this.field.value.trim()) return;
    /** @type {{rows: {source: string, target: string, origin: string}[]}} */
    const {rows} = reply.result;
    const {source, target} = this.bench.languages;
    this.found.replaceChildren(
      h('p.lead', tn('memory.found', rows.length, {words})),
      ...rows.map(row =>
        h(
          'div.ti',
          h('p', textIn(source), marked(row.source, words)),
          h('p', textIn(target), marked(row.target, words)),
          h('p.muted', {dir: 'auto'}, row.origin),
        ),
      ),
    );
  }

  focusSearch() {
    const {segment} = this.bench;
    const selected = segment.source.chosen()?.text ?? segment.text.field.chosen().trim();
    if (selected) {
      this.field.value = selected;
      this.search();
    }
    this.field.focus();
    this.field.select();
  }
}

/**
 * A field for a percentage, with its label.
 * @param {string} key
 * @param {number[]} limits
 * @param {() => void} onchange
 */
const percentField = (key, [min, max], onchange) => {
  const field = h('input.num', {type: 'number', min, max, onchange});
  return {field, label: h('label.percent', h('span', t(key)), field, '%')};
};

/**
 * The whole number in a field that is nearest to what was typed.
 * @param {HTMLInputElement} field
 */
const inLimits = ({value, min, max}) => Math.min(Math.max(Math.round(Number(value)), Number(min)), Number(max));

/**
 * The text with the words marked, in any case.
 * @param {string} text
 * @param {string} words
 */
const marked = (text, words) => {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  return at < 0
    ? [text]
    : [text.slice(0, at), h('mark', text.slice(at, at + words.length)), text.slice(at + words.length)];
};

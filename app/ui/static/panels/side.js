/* The panel beside the list: terms and the best match of the open segment, the translation memory, checks, preview. */
import {button, h, icon, sr, t, textIn, tn} from '../core/dom.js';
import {shortcut} from '../core/key_bindings.js';
import {readStored, writeStored} from '../core/storage.js';
import {statusLabel} from '../editor/source.js';
import {Memory} from './memory.js';
import {Preview} from './preview.js';

const PREVIEW = 3; // the number of its tab
const PREVIEW_KEY = 'pinpoint:preview'; // whether it was shown last

/** @type {Record<string, [kind: string, icon: string | null]>} */
const TAGS = {
  met: ['ok', 'check'],
  unmet: ['warn', 'problem'],
  off: ['off', 'off'],
  pending: ['off', null],
  misaligned: ['warn', 'problem'],
  doubled: ['warn', 'problem'],
};
/**
 * The choices that a person has about two constraints that contradict each other.
 * @type {Record<string, string[]>}
 */
const CHOICES = {
  pin_term: ['keep_pin', 'use_term', 'both'],
  pin_forbidden: ['keep_pin', 'use_term', 'both'],
  ban_term: ['keep_ban', 'use_term'],
  ban_kept: [],
  forbidden_term: ['keep_ban', 'use_term'],
  term_forbidden: [],
  rival: [],
};

export class Side {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'files' | 'focusEditor' | 'glossary' | 'languages' | 'list' | 'lookupsLeft' | 'openSegment' | 'rows' |
   *   'say' | 'segment' | 'server' | 'session' | 'steps'>} bench
   * @param {HTMLElement} host
   */
  constructor(bench, host) {
    this.bench = bench;
    this.host = host;
    this.settled = new Set(); // conflicts that the person accepted
    this.counter = h('span.c.num', {hidden: true});
    this.findingCounter = h('span.c.num.warn', {hidden: true});
    const rate = h('span.c.num', {hidden: true});
    /** @type {[name: string, icon: string, extra: HTMLElement | null][]} */
    const tabs = [
      ['terms', 'book', this.counter],
      ['memory', 'memory', rate],
      ['checks', 'problem', this.findingCounter],
      ['preview', 'preview', null],
    ];
    this.tabs = tabs.map(([name, iconName, extra], i) => {
      const panel = h('div.panel', {
        role: 'tabpanel',
        id: `pinpoint-panel-${name}`,
        'aria-labelledby': `pinpoint-tab-${name}`,
        tabindex: 0,
      });
      const tab = button(
        '',
        {
          role: 'tab',
          id: `pinpoint-tab-${name}`,
          'aria-controls': panel.id,
          title: t(`side.${name}`),
          ...(name === 'preview' ? shortcut('preview') : {}),
          onclick: () => this.select(i, true),
          onkeydown: event => {
            /** @type {Record<string, number>} */
            const steps = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
            const step = steps[event.key] ?? 0;
            const to = (i + step + this.tabs.length) % this.tabs.length;
            if (step) {
              event.preventDefault();
              this.select(to);
              this.tabs[to].tab.focus();
            }
          },
        },
        icon(iconName),
        h('span.t', t(`side.${name}`)),
        extra,
      );
      return {name, tab, panel};
    });
    this.terms = h('div');
    this.best = h('div');
    const [terms, memory, checks, preview] = this.tabs.map(({panel}) => panel);
    terms.append(this.terms, this.best);
    this.memory = new Memory(bench, memory, {counter: rate, onMatches: () => this.showBest()});
    this.checks = checks;
    this.numToCheck = 0;
    this.leavesOut = false; // the findings of a sentence that is half typed // segments of the document with a finding
    this.preview = new Preview(bench, preview);
    this.beforePreview = 0; // the tab to return to
    host.append(
      h('h2.sr', t('side.label')),
      h(
        'div.tabs',
        {role: 'tablist', 'aria-label': t('side.label')},
        this.tabs.map(x => x.tab),
      ),
      h(
        'div.panels',
        this.tabs.map(x => x.panel),
      ),
    );
    const hasPreview = readStored('local', PREVIEW_KEY) === '1';
    if (hasPreview) host.classList.add('open');
    this.select(hasPreview ? PREVIEW : 0);
  }

  /**
   * Shows a tab; in a narrow window, with `canFold`, choosing it again folds the panel.
   * @param {number} chosen
   * @param {boolean} [canFold]
   */
  select(chosen, canFold = false) {
    const wasSelected = this.tabs[chosen].tab.getAttribute('aria-selected') === 'true';
    if (canFold) this.host.classList.toggle('open', !(wasSelected && this.host.classList.contains('open')));
    this.tabs.forEach(({tab, panel}, i) => {
      tab.setAttribute('aria-selected', String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      panel.hidden = i !== chosen;
    });
    if (chosen !== PREVIEW) this.beforePreview = chosen;
    writeStored('local', PREVIEW_KEY, this.preview.isShown ? '1' : '');
    if (this.preview.isShown && this.bench.session.open !== null) this.preview.show();
  }

  /** Shows the preview, or returns to the tab before it; in a narrow window, folds the panel. */
  togglePreview() {
    const isShown = this.preview.isShown;
    this.host.classList.toggle('open', !isShown);
    this.select(isShown ? this.beforePreview : PREVIEW);
  }

  /** Shows the translation memory and focuses its search. */
  openMemory() {
    this.select(1);
    this.host.classList.add('open');
    this.memory.focusSearch();
  }

  /** The best match of the translation memory, under the terms. */
  showBest() {
    const hadFocus = this.best.contains(document.activeElement);
    const [first] = this.memory.matches;
    this.best.replaceChildren(
      h('h3', t('side.best')),
      first ? h('ol.matches', this.memory.item(first, 0)) : h('p.lead', t('side.no_match')),
    );
    if (hadFocus) this.best.querySelector('button')?.focus();
  }

  /**
   * The findings in the open segment, not while the person is in the middle of the sentence, and how many segments have
   * some.
   * @param {Finding[]} known
   */
  showChecks(known) {
    const {segment, list} = this.bench;
    this.leavesOut = segment.text.isHalfTyped;
    const findings = this.leavesOut ? [] : known;
    const focused = this.checks.contains(document.activeElement) ? document.activeElement?.textContent : null;
    this.findingCounter.hidden = !findings.length;
    this.findingCounter.replaceChildren(String(findings.length), sr(` ${tn('side.count.findings', findings.length)}`));
    this.checks.replaceChildren(
      h('h3', t('side.checks.segment')),
      findings.length
        ? h(
            'ul.findings',
            findings.map(finding => segment.checks.item(finding)),
          )
        : h('p.lead', t('side.checks.none')),
      h('h3', t('side.checks.document')),
      h('p.lead', this.numToCheck ? tn('side.checks.open', this.numToCheck) : t('side.checks.all_fine')),
      h(
        'div.acts',
        this.numToCheck
          ? button('.btn.small', {onclick: () => list.setFilter('attention')}, t('side.checks.show'))
          : null,
        segment.checks.chooser(),
      ),
    );
    if (focused) [...this.checks.querySelectorAll('button')].find(b => b.textContent === focused)?.focus();
  }

  /** @param {SuccessReply['counts']} counts */
  updateCounts({attention}) {
    if (attention === this.numToCheck) return;
    this.numToCheck = attention;
    this.showKnownChecks();
  }

  /** The cursor has moved: the person may have left the middle of a sentence, or gone back to it. */
  onCursor() {
    if (this.leavesOut !== this.bench.segment.text.isHalfTyped) this.showKnownChecks();
  }

  showKnownChecks() {
    this.showChecks(this.bench.segment.current.detail?.findings ?? []);
  }

  /** @param {Detail} detail */
  update(detail) {
    this.showChecks(detail.findings);
    const focused = document.activeElement?.getAttribute('data-term');
    const groups = [
      ['unmet', 'side.unmet'],
      ['doubt', 'side.doubt'],
      ['pending', 'side.pending'],
      ['met', 'side.met'],
      ['off', 'side.off'],
    ];
    /** @type {HTMLElement[]} */
    const nodes = groups.flatMap(([status, heading]) => {
      const terms = detail.terms.filter(term => groupOf(term) === status);
      return terms.length ? [h('h3', t(heading)), ...terms.map(term => this.term(detail, term))] : [];
    });
    const conflicts = detail.conflicts.filter(conflict => !this.settled.has(keyOf(detail, conflict)));
    if (conflicts.length)
      nodes.unshift(h('h3', t('side.conflicts')), ...conflicts.map(conflict => this.conflict(detail, conflict)));
    if (!this.bench.glossary) {
      nodes.push(
        h('p.lead', t('side.no_glossary')),
        button('.btn', {onclick: () => this.bench.files.choose('glossary')}, icon('up'), t('glossary.upload')),
        button('.btn', {onclick: () => this.bench.files.importSampleGlossary()}, icon('book'), t('glossary.sample')),
      );
    } else if (!detail.terms.length) nodes.push(h('p.lead', t('side.no_terms')));
    this.terms.replaceChildren(...nodes);
    if (focused) [...this.terms.querySelectorAll('[data-term]')].find(b => b.dataset.term === focused)?.focus();
    const numTerms = detail.terms.length;
    const numUnmet = detail.terms.filter(term => term.status === 'unmet').length;
    this.counter.hidden = !numTerms;
    this.counter.classList.toggle('warn', numUnmet > 0);
    this.counter.replaceChildren(
      String(numUnmet || numTerms),
      sr(` ${numUnmet ? tn('side.count.unmet', numUnmet) : tn('side.count', numTerms)}`),
    );
  }

  /**
   * @param {Detail} detail
   * @param {Conflict} conflict
   */
  conflict(detail, conflict) {
    const {kind, kept, given_up: givenUp, source, term, by} = conflict;
    const {constraints} = this.bench.segment;
    /** @type {Record<string, () => void>} */
    const actions = {
      keep_pin: () => constraints.setTerm(term, true),
      keep_ban: () => constraints.setTerm(term, true),
      use_term: () =>
        by ? constraints.setTerm(by, true) : kind === 'ban_term' ? constraints.unban(kept) : constraints.unpin(kept),
      both: () => {
        this.settled.add(keyOf(detail, conflict));
        this.update(detail);
      },
    };
    return h(
      'div.ti',
      {'data-conflict': kind},
      h('div.l2.warn', icon('problem', true), t(`conflict.${kind}`, {kept, given_up: givenUp, source})),
      h(
        'div.acts',
        CHOICES[kind].map(choice => button('.btn.small.quiet', {onclick: actions[choice]}, t(`conflict.${choice}`))),
      ),
    );
  }

  /**
   * @param {Detail} detail
   * @param {Term} term
   */
  term(detail, term) {
    const shown = term.doubt || term.status;
    const [kind, iconName] = TAGS[shown];
    const isOff = term.status === 'off';
    return h(
      'div.ti',
      {'data-status': term.status},
      h(
        'div.l1',
        h(
          'span.pair',
          h('span.s', textIn(this.bench.languages.source), term.source),
          ' \u2192 ',
          h('b', textIn(this.bench.languages.target), term.target),
        ),
        term.is_for_document ? h('span.tag.off', t('term.document')) : null,
        h(
          `span.tag.${kind}`,
          {title: term.doubt ? t(`term.${term.doubt}.title`) : null},
          iconName && icon(iconName, true),
          statusLabel(term, shown),
        ),
      ),
      term.term_status !== 'preferred' ? h('div.l2', t(`term.status.${term.term_status}`)) : null,
      term.glossary ? h('div.l2.from', term.glossary) : null,
      term.term_note ? h('div.l2', term.term_note) : null,
      term.note ? h(`div.l2${term.status === 'unmet' ? '.warn' : ''}`, term.note) : null,
      h(
        'div.acts',
        button(
          '.btn.small.quiet',
          {
            'data-term': term.key,
            title: t(isOff ? 'term.on.title' : 'term.off.title'),
            onclick: () => this.bench.segment.constraints.setTerm(term.key, !isOff),
          },
          t(isOff ? 'term.switch_on' : 'term.switch_off'),
        ),
        term.is_for_document
          ? button(
              '.btn.small.quiet',
              {
                onclick: () => {
                  this.bench.steps.term(false, {
                    segment: detail.index,
                    source: term.source,
                    target: term.target,
                    scope: 'document',
                  });
                  this.bench.focusEditor();
                },
              },
              t('term.document.remove'),
            )
          : null,
      ),
    );
  }
}

/**
 * The group of a term in the panel: its status, or "doubt" if it is used but perhaps not where it belongs.
 * @param {Pick<Term, 'status' | 'doubt'>} term
 */
export const groupOf = ({status, doubt}) => (status === 'met' && doubt ? 'doubt' : status);

/**
 * @param {Detail} detail
 * @param {Conflict} options
 */
const keyOf = (detail, {kind, kept, term}) => JSON.stringify([detail.index, kind, kept, term]);

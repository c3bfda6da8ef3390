/* The list of constraints under the source, each with its price or its state, and a button that removes it. */
import {button, h, icon, number, sr, t, textIn} from '../core/dom.js';
import {fitWord} from '../core/fit.js';

const COMING = '\u2026'; // in place of a price that is being computed
/** @type {Record<string, string[]>} */
const BAN_TAGS = {kept: ['off', 'check']};

/**
 * How well the constraints fit together; for the pointer, the price and the sum of the single prices, which need not add up.
 * @param {Prices | null | undefined} prices
 * @param {boolean} isPricing
 */
const totalLine = (prices, isPricing) =>
  !isPricing && prices?.total == null
    ? null
    : h(
        'div.head2',
        isPricing || !prices ? {} : {title: totalTitle(prices)},
        h('span', `${t('prices.total')} `, h('b', isPricing || !prices ? COMING : fitWord(prices.total ?? 0))),
      );

/** @param {Prices} prices */
const totalTitle = prices =>
  [
    t('prices.figure', {price: number(prices.total ?? 0, 2)}),
    prices.constraints.length + prices.bans.length > 1
      ? t('prices.parts', {singly: number(prices.singly, 2), together: number(prices.together ?? 0, 2)})
      : '',
    t('prices.title'),
  ]
    .filter(Boolean)
    .join('\n');

const FULL_PRICE = 0.5; // fills the bar

/**
 * The price of a constraint: a bar and a word; the figure for the pointer and screen readers. "…" until it is known.
 * @param {{price: number | null} | undefined} entry the last price, if there is one
 * @param {string} kind
 * @param {boolean} isPricing
 */
const priceTag = (entry, kind, isPricing) => {
  const price = isPricing ? null : (entry?.price ?? null);
  const figure = price != null ? t('prices.figure', {price: number(price, 2)}) : '';
  const bar = h('i');
  bar.style.inlineSize = `${100 * barOf(price)}%`;
  return [
    h(`span.pb.${kind}`, {'aria-hidden': 'true'}, bar),
    h(
      'span.price',
      {title: price != null ? `${figure}\n${t('prices.one')}` : t(isPricing ? 'prices.coming' : 'prices.unknown')},
      price != null
        ? [fitWord(price, kind === 'ban'), sr(` ${figure}`)]
        : isPricing
          ? [h('span', {'aria-hidden': 'true'}, COMING), sr(t('prices.coming'))]
          : '\u2013',
    ),
  ];
};

/**
 * The share of its bar that a price fills, 0 to 1; the same for the same price in every segment.
 * @param {number | null} price
 */
export const barOf = price => Math.min(1, Math.max(0, price ?? 0) / FULL_PRICE);

export class Ledger {
  /**
   * @param {object} options
   * @param {(text: string) => void} options.onUnpin
   * @param {(text: string) => void} options.onUnban
   * @param {(text: string, kind: BanCase) => void} options.onRecase changes whether a ban matches any case
   * @param {(changes: Partial<Constraints>) => void} options.onFree removes a kept text
   * @param {(text: string) => void} options.onScope makes a pin a term
   */
  constructor({onUnpin, onUnban, onRecase, onFree, onScope}) {
    this.onUnpin = onUnpin;
    this.onUnban = onUnban;
    this.onRecase = onRecase;
    this.onFree = onFree;
    this.onScope = onScope;
    this.total = h('div');
    /** @type {Detail | null} */
    this.detail = null;
    /** @type {Prices | null} */
    this.prices = null;
    this.isPricing = false;
    /** @type {Constraints['pin_sources']} */
    this.sources = [];
    this.signature = '';
    this.lang = '';
    this.list = h('ul', {'aria-label': t('pins.label')});
  }

  clear() {
    this.list.replaceChildren();
    this.total.replaceChildren();
    this.signature = '';
  }

  /**
   * @param {Constraints} constraints the current ones, which may be newer than `detail`
   * @param {Detail} detail
   * @param {Prices | null} prices the newest prices, if known
   * @param {string} lang
   * @param {boolean} isPricing whether newer prices are awaited
   */
  render(constraints, detail, prices, lang, isPricing) {
    const {pins, bans, prefix, locked, pin_sources: sources} = constraints;
    const signature = JSON.stringify([
      detail.index,
      pins,
      bans,
      prefix,
      locked,
      sources,
      detail.kept,
      detail.pin_states,
      detail.ban_states,
      detail.is_pending,
      prices,
      isPricing,
    ]);
    if (signature === this.signature) return;
    this.signature = signature;
    this.detail = detail;
    this.prices = prices;
    this.sources = sources;
    this.lang = lang;
    const isAny = Boolean(pins.length || bans.length || prices);
    this.isPricing = isPricing && isAny;
    this.total.replaceChildren(totalLine(prices, this.isPricing) ?? '');
    this.list.replaceChildren(
      ...(prefix ? [this.keptItem('begins', prefix, {prefix: ''})] : []),
      ...locked.map((text, i) => this.keptItem('locked', text, {locked: locked.filter((_, k) => k !== i)})),
      ...[...new Set(pins)].map(text => this.pinItem(text, pins.filter(other => other === text).length)),
      ...bans.map(item => this.banItem(item)),
      ...(prices?.constraints ?? [])
        .filter(entry => !entry.is_pinned && !entry.is_kept)
        .map(entry => this.termItem(entry)),
      ...(detail.kept.length ? [this.sourceItem(detail.kept)] : []),
    );
  }

  /**
   * A text that is kept while the rest is translated again.
   * @param {string} kind
   * @param {string} text
   * @param {Partial<Constraints>} freed
   */
  keptItem(kind, text, freed) {
    return h(
      'li',
      {'data-kept': kind},
      h(
        'span.what',
        {title: text},
        h('span.muted', `${t(`kept.${kind}`)} `),
        h('span.pin', textIn(this.lang), icon('lock'), text),
      ),
      h('span.tag.off', t('kept.tag')),
      this.cross(t('kept.free', {text}), () => this.onFree(freed)),
    );
  }

  /**
   * Placeholders and addresses of the source; they are always kept, so they cannot be removed.
   * @param {KeptText[]} kept
   */
  sourceItem(kept) {
    const missing = kept.filter(/** @param {{status: string}} options */ ({status}) => status === 'unmet');
    const known = (this.prices?.constraints ?? []).filter(entry => entry.is_kept && entry.price != null);
    const price = {price: known.reduce((sum, entry) => sum + (entry.price ?? 0), 0)};
    return h(
      'li',
      {'data-kept': 'source', 'data-status': missing.length ? 'unmet' : 'met'},
      h(
        'span.what.wraps',
        h('span.muted', t('kept.source')),
        kept.map(
          /** @param {{text: string, count: number}} options */ ({text, count}) => [
            ' ',
            h('span.asis', {dir: 'ltr'}, text),
            count > 1 ? ` \u00d7${count}` : null,
          ],
        ),
      ),
      missing.length
        ? h('span.tag.warn', icon('problem', true), t('kept.missing'))
        : known.length
          ? priceTag(price, 'kept', this.isPricing)
          : h('span.tag.off', t('kept.tag')),
      missing.map(({text, reason}) => h('span.why', h('span.asis', {dir: 'ltr'}, text), ' ', reason)),
    );
  }

  /**
   * @param {string} text
   * @param {number} times
   */
  pinItem(text, times) {
    const entry = this.prices?.constraints.find(other => other.is_pinned && other.text === text);
    const state = this.detail?.pin_states.find(other => other.text === text);
    const {status = 'pending', reason = ''} = state || {};
    const source = this.sources.some(one => one.text === text) ? state?.source : '';
    return h(
      'li',
      {'data-pin': text, 'data-status': status},
      h(
        'span.what',
        {title: source ? `${source} \u2192 ${text}` : text},
        h('span.pin', textIn(this.lang), icon('lock'), sr(t('proposal.pinned.sr')), text),
        times > 1 ? ` \u00d7${times}` : null,
        source ? h('span.muted', ' ', t('pins.for', {source})) : null,
      ),
      status === 'unmet'
        ? h('span.tag.warn', icon('problem', true), t('pins.unmet'))
        : entry || this.isPricing
          ? priceTag(entry, 'pinned', this.isPricing)
          : status === 'met'
            ? h('span.tag.pinned', icon('check', true), t('pins.met'))
            : this.waiting(Boolean(state)),
      button(
        '.btn.small.quiet.scope',
        {
          'aria-haspopup': 'dialog',
          'aria-label': t('scope.label', {text}),
          title: t('scope.label', {text}),
          onclick: () => this.onScope(text),
        },
        t('scope.here'),
      ),
      this.cross(t('pins.remove', {text}), () => this.onUnpin(text)),
      status === 'unmet' ? h('span.why', reason || t('pins.unmet.reason')) : null,
    );
  }

  /** @param {Ban} options */
  banItem({text, case: kind}) {
    const entry = this.prices?.bans.find(other => other.text === text && other.case === kind);
    const state = this.detail?.ban_states.find(other => other.text === text && other.case === kind);
    const {status = 'pending', reason = ''} = state || {};
    const isAnyCase = kind === 'permissive';
    const [tag, iconName] = BAN_TAGS[status] || ['warn', 'problem'];
    return h(
      'li',
      {'data-ban': text, 'data-status': status},
      h('span.what', {title: text}, h('span.banned', textIn(this.lang), icon('ban'), sr(t('bans.sr')), text)),
      this.isPricing && (status === 'kept' || status === 'pending')
        ? priceTag(entry, 'ban', true)
        : entry && status === 'kept'
          ? priceTag(entry, 'ban', false)
          : status === 'pending'
            ? this.waiting(Boolean(state))
            : h(`span.tag.${tag}`, icon(iconName, true), t(`bans.${status}`)),
      button(
        '.btn.small.quiet.case',
        {
          'aria-pressed': String(!isAnyCase),
          'aria-label': t('bans.case', {text}),
          title: t('bans.case', {text}),
          onclick: () => this.onRecase(text, isAnyCase ? 'exact' : 'permissive'),
        },
        t('bans.case.short'),
      ),
      this.cross(t('bans.remove', {text}), () => this.onUnban(text)),
      reason ? h('span.why', reason) : null,
    );
  }

  /**
   * The state of a constraint that is pending, or that was not tried because others cannot be met.
   * @param {boolean} isKnown
   */
  waiting(isKnown) {
    const isHeld = isKnown && !this.detail?.is_pending;
    return h('span.tag.off', {title: isHeld ? t('pins.held.title') : null}, t(isHeld ? 'pins.held' : 'pins.pending'));
  }

  /**
   * A required term with its price.
   * @param {ConstraintPrice} entry
   */
  termItem(entry) {
    return h(
      'li',
      {'data-price-of': entry.text},
      h(
        'span.what',
        {title: entry.text},
        h('span.of', textIn(this.lang), icon('book', true), sr(t('prices.term')), ' ', entry.text),
      ),
      priceTag(entry, 'term', this.isPricing),
    );
  }

  /**
   * @param {string} label
   * @param {() => unknown} onclick
   */
  cross(label, onclick) {
    return button('.x', {'aria-label': label, title: label, onclick}, icon('x'));
  }
}

/* Under the source: what the constraints cost together, and each of them as a bar with its number. */
import {h, icon, number, sr, t} from './dom.js';

/** "Constraints cost 0.31", with what is singly and what only together: prices need not add up. */
export const totalLine = prices => (prices?.total == null ? null : h('div.head2', {title: t('prices.title')},
  h('span', {}, t('prices.total') + ' ', h('b.num', {dir: 'ltr'}, number(prices.total, 2))),
  prices.constraints.length + prices.bans.length > 1
    ? h('span.muted.num', {}, t('prices.parts', {singly: number(prices.singly, 2), together: number(prices.together, 2)})) : null));

/** The price of one constraint: its bar, as long as its share of the highest, and the number. */
export const priceTag = (prices, entry, kind) => {
  const all = [...prices.constraints, ...prices.bans].map(other => other.price ?? 0);
  const highest = Math.max(...all, 0.005);
  const bar = h('i', {});
  bar.style.inlineSize = 100 * Math.max(0, entry.price ?? 0) / highest + '%';
  const isKnown = entry.price != null;
  return [h('span.pb.' + kind, {'aria-hidden': 'true'}, bar),
    h('span.price.num', {dir: 'ltr', title: t(isKnown ? 'prices.one' : 'prices.unknown')},
      isKnown ? [h('span', {'aria-hidden': 'true'}, number(entry.price, 2)), sr(t('prices.sr', {price: number(entry.price, 2)}))] : '\u2013')];
};

/** A term that is required, with its price. */
export const termItem = (prices, entry, lang) => h('li', {'data-price-of': entry.text},
  h('span.what', {lang, title: entry.text}, h('span.of', {}, icon('book', true), sr(t('prices.term')), ' ', entry.text)), priceTag(prices, entry, 'term'));

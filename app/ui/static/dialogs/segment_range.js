/* The choice of segments in dialogs about a part of the document: from one number to another, or those of the filter. */
import {h, t} from '../core/dom.js';

/**
 * The segments from one number to another, as people see them, that the filter shows if it is asked for.
 * @param {{order: number[], shown: Set<number>}} document
 * @param {{first: number, last: number, onlyShown: boolean}} choice
 */
export const segmentsOf = ({order, shown}, {first, last, onlyShown}) =>
  order.slice(first - 1, last).filter(index => !onlyShown || shown.has(index));

/**
 * The segments that the filter shows, in the order of the document.
 * @param {Pick<Bench, 'list' | 'order' | 'rows'>} bench
 */
export const shownSegments = ({list, order, rows}) => order.filter(index => list.filter.matches(rows[index]));

/**
 * Ascending numbers as text: 1, 2, 3, 7 are "1-3,7".
 * @param {number[]} numbers
 */
export const rangesOf = numbers => {
  /** @type {[first: number, last: number][]} */
  const ranges = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
};

/**
 * The fields that choose segments; `chosen` returns their indices.
 * @param {Pick<Bench, 'list' | 'order' | 'rows'>} bench
 */
export const segmentRange = bench => {
  const n = bench.order.length;
  const shown = new Set(shownSegments(bench));
  const isFiltered = shown.size < n;
  /** @param {string} label @param {number} value */
  const numberField = (label, value) =>
    h('input', {type: 'number', min: 1, max: n, required: true, value, 'aria-label': label});
  const first = numberField(t('range.first'), 1);
  const last = numberField(t('range.last'), n);
  const onlyShown = h('input', {type: 'checkbox', checked: isFiltered});
  return {
    first,
    elements: [
      h('div.line.range', h('span', t('range.segments')), first, h('span', {'aria-hidden': 'true'}, '\u2013'), last),
      isFiltered ? h('label.check', onlyShown, t('range.only_shown')) : null,
    ],
    chosen: () =>
      segmentsOf(
        {order: bench.order, shown},
        {first: first.valueAsNumber, last: last.valueAsNumber, onlyShown: onlyShown.checked},
      ),
  };
};

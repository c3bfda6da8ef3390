/* Charts as SVG. Colours come from the page's style sheet; `table` shows the same numbers as text. */
import {append, count, h, number, t, tableHead, tn} from '../core/dom.js';

const SVG = 'http://www.w3.org/2000/svg';
/**
 * s('rect', {x: 1, y: 2}, child, [more]) -> SVG element; as h() of dom.js
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...Child} children
 */
const s = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  append(element, children);
  return element;
};
/**
 * @param {number} width
 * @param {number} height
 * @param {string} label
 * @param {...Child} children
 */
const chart = (width, height, label, ...children) =>
  s('svg', {viewBox: `0 0 ${width} ${height}`, class: 'ch', role: 'img', 'aria-label': label}, ...children);
/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {string} [kind] the CSS class
 * @param {'start' | 'middle' | 'end'} [anchor]
 */
const text = (x, y, content, kind = '', anchor = 'start') =>
  s('text', {x, y, class: kind, 'text-anchor': anchor}, content);
/**
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {string} kind
 */
const line = (x1, y1, x2, y2, kind) => s('line', {x1, y1, x2, y2, class: kind});
/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} kind
 * @param {string} title
 */
const bar = (x, y, width, height, kind, title) =>
  s(
    'rect',
    {x, y, width: Math.max(0.5, width), height: Math.max(0, height), class: kind, rx: 1},
    s('title', {}, title),
  );

/**
 * @param {string[]} head
 * @param {Child[][]} rows
 */
export const table = (head, rows) =>
  h(
    'details.tbl',
    h('summary', t('record.as_table')),
    h(
      'div.tblscroll',
      {tabindex: 0},
      h(
        'table',
        tableHead(...head.map((name, i) => h(i ? 'th.n' : 'th', {scope: 'col'}, name))),
        h(
          'tbody',
          rows.map(row =>
            h(
              'tr',
              row.map((cell, i) => h(i ? 'td.n' : 'td', {}, cell)),
            ),
          ),
        ),
      ),
    ),
  );

/**
 * Round numbers for an axis up to `max`: about four steps.
 * @param {number} max
 */
const steps = max => {
  const rough = Math.max(max, 1e-9) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map(n => n * power).find(n => n >= rough) ?? 10 * power;
  return Array.from({length: Math.ceil(max / step) + 1}, (_, i) => i * step);
};

const MAX_STEP = 40; // from bar to bar, of a chart 560 wide: few bars stay bars
/**
 * Net seconds of each segment, in document order; segments above twice the median are highlighted.
 * @param {ReportSegment[]} segments
 * @param {number | null} medianMs
 */
export const timeChart = (segments, medianMs) => {
  const width = 560;
  const x0 = 40;
  const y0 = 178;
  const seconds = segments.map(item => item.net_ms / 1000);
  const median = (medianMs ?? 0) / 1000;
  const marks = steps(Math.max(...seconds, 1));
  const top = marks[marks.length - 1];
  /** @param {number} value */
  const y = value => y0 - (value / top) * 160;
  const step = Math.min(MAX_STEP, (width - x0 - 8) / Math.max(1, segments.length));
  const label = tn('record.time.label', segments.length, {median: number(median, 1)});
  return chart(
    width + 70,
    212,
    label,
    marks.map(value => [
      line(x0, y(value), width, y(value), value ? 'grid' : 'axis'),
      text(x0 - 6, y(value) + 4, count(value), '', 'end'),
    ]),
    segments.map((item, i) =>
      bar(
        x0 + 4 + i * step,
        y(seconds[i]),
        step * 0.82,
        y0 - y(seconds[i]),
        median && seconds[i] > 2 * median ? 'b' : 'b2',
        t('record.time.bar', {n: item.number, s: number(seconds[i], 1)}),
      ),
    ),
    median
      ? [
          line(x0, y(median), width + 4, y(median), 'ref'),
          text(width + 8, y(median) - 2, t('record.median'), 'm'),
          text(width + 8, y(median) + 12, `${number(median, 1)} s`, 'k'),
        ]
      : null,
    segments.length ? text(x0 + 4, y0 + 16, String(segments[0].number)) : null,
    segments.length > 1
      ? text(x0 + 4 + segments.length * step, y0 + 16, String(segments[segments.length - 1].number), '', 'end')
      : null,
    text(x0, y0 + 31, t('record.time.axis'), 'm'),
  );
};

const BINS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1, Infinity];
/**
 * The number of values in each range, with the name of the range.
 * @param {number[]} values
 * @returns {[name: string, n: number][]}
 */
export const hterBins = values =>
  BINS.map((top, i) => [
    i === 0 ? '0' : top === Infinity ? '> 1' : `≤ ${number(top, top === 1 ? 0 : 1)}`,
    values.filter(value => value <= top && (i === 0 || value > BINS[i - 1])).length,
  ]);

/**
 * The number of segments by HTER.
 * @param {number[]} values
 */
export const hterChart = values => {
  const width = 430;
  const x0 = 8;
  const y0 = 178;
  const bins = hterBins(values);
  const step = (width - 16) / bins.length;
  const top = Math.max(1, ...bins.map(([, n]) => n));
  return chart(
    width,
    200,
    tn('record.hter.label', values.length),
    line(x0, y0, width, y0, 'axis'),
    bins.map(([name, n], i) => [
      bar(x0 + i * step + 3, y0 - (n / top) * 140, step - 6, (n / top) * 140, i ? 'b2' : 'b', `${name}: ${count(n)}`),
      n ? text(x0 + (i + 0.5) * step, y0 - (n / top) * 140 - 6, count(n), 'k', 'middle') : null,
      text(x0 + (i + 0.5) * step, y0 + 16, name, '', 'middle'),
    ]),
  );
};

let patterns = 0;
/**
 * A function from a part's number to its fill. Parts differ by pattern, not only by colour; patterns repeat after the
 * seventh part.
 * @param {Element} defs
 * @param {string} prefix
 */
const fills = (defs, prefix) => {
  const ink = 'var(--accent)';
  const paper = 'var(--surface)';
  /** @param {string} colour */
  const square = colour => s('rect', {width: 8, height: 8, style: `fill:${colour}`});
  /**
   * @param {string} d
   * @param {string} colour
   * @param {number} width
   */
  const path = (d, colour, width) => s('path', {d, style: `stroke:${colour};stroke-width:${width};fill:none`});
  const made = [
    [square(ink), path('M-2 2l4-4M0 8l8-8M6 10l4-4', paper, 2)],
    [square(paper), path('M-2 2l4-4M0 8l8-8M6 10l4-4', ink, 2)],
    [square(paper), path('M0 4h8', ink, 3)],
    [square(paper), s('circle', {cx: 4, cy: 4, r: 1.6, style: `fill:${ink}`})],
    [square(paper), path('M4 0v8', ink, 1.5)],
    [square(paper), path('M0 4h8M4 0v8', ink, 1)],
  ];
  made.forEach((content, i) =>
    defs.append(s('pattern', {id: `${prefix}${i}`, width: 8, height: 8, patternUnits: 'userSpaceOnUse'}, content)),
  );
  return (/** @type {number} */ i) => (i === 0 ? ink : `url(#${prefix}${(i - 1) % made.length})`);
};

/**
 * One bar of all confirmed words, divided by their origin, and its legend.
 * @param {[string, number][]} origins
 * @param {(origin: string) => string} name
 */
export const originChart = (origins, name) => {
  const width = 1100;
  const total = origins.reduce((sum, [, n]) => sum + n, 0) || 1;
  const defs = s('defs');
  const fill = fills(defs, `pinpoint-fill-${++patterns}-`);
  /** @param {number} i */
  const style = i => `fill:${fill(i)};stroke:var(--accent);stroke-width:1.5`;
  let x = 0;
  const bars = origins.map(([origin, n], i) => {
    const wide = (n / total) * width;
    const rect = s(
      'rect',
      {x: x + 0.75, y: 4, width: Math.max(1, wide - 3), height: 34, rx: 3, style: style(i)},
      s('title', {}, `${name(origin)}: ${count(n)}`),
    );
    x += wide;
    return rect;
  });
  /** @param {number} n */
  const percent = n => `${number((100 * n) / total, n / total < 0.1 ? 1 : 0)} %`;
  return [
    chart(width, 42, origins.map(([origin, n]) => `${name(origin)} ${percent(n)}`).join(', '), defs, bars),
    h(
      'ul.lg',
      origins.map(([origin, n], i) =>
        h(
          'li',
          s(
            'svg',
            {width: 18, height: 14, 'aria-hidden': 'true'},
            s('rect', {x: 1, y: 1, width: 16, height: 12, rx: 2, style: style(i)}),
          ),
          h('span', h('b.num', percent(n)), ' ', h('span.muted.num', count(n)), h('span.what', name(origin))),
        ),
      ),
    ),
  ];
};

/**
 * A bar for a price, relative to the highest one.
 * @param {number} price
 * @param {number} highest
 * @param {string} kind
 */
export const priceBar = (price, highest, kind) =>
  s(
    'svg',
    {viewBox: '0 0 260 10', class: 'ch', 'aria-hidden': 'true'},
    s('rect', {
      x: 0,
      y: 1,
      width: Math.max(1, (260 * Math.max(0, price)) / (highest || 1)),
      height: 8,
      rx: 2,
      class: `price-${kind}`,
    }),
  );

/* The report of the open session: figures, charts, segments, replay, exports; and deleting the session. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, number, setText, t, textIn, tn} from '../core/dom.js';
import {Page} from '../core/page.js';
import {hterBins, hterChart, originChart, priceBar, table, timeChart} from './charts.js';
import {Replay} from './replay.js';

const EXPORTS = [
  ['export.document', 'document'],
  ['export.proposals', 'document-with-proposals'],
  ['export.csv', 'log.csv'],
  ['export.xlsx', 'report.xlsx'],
  ['export.tmx', 'memory.tmx'],
  ['export.xliff', 'segments.xlf'],
  ['export.tbx', 'terms.tbx'],
  ['export.jsonl', 'log.jsonl'],
  ['export.translog', 'translog.xml'],
  ['export.tprdb', 'tprdb.zip'],
];
const MAX_LISTED_PRICES = 8;
/** @param {number} ms */
const duration = ms => {
  const seconds = Math.round(ms / 1000);
  /** @param {number} n */
  const pad = n => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
};
/**
 * @param {number | null} value
 * @param {(value: number) => string} show
 */
const orDash = (value, show) => (value === null ? '–' : show(value));
/**
 * A number of segments with their words: "3 (24 words)".
 * @param {[number, number]} repetitions
 * @param {Unit} unit
 */
const repeated = ([segments, words], unit) =>
  t('record.repeated', {n: count(segments), words: count(words), unit: tn(`header.${unit}`, words)});
/**
 * @param {string} size
 * @param {string} title
 * @param {string | null} caption
 * @param {...Child} content
 */
const card = (size, title, caption, ...content) =>
  h(`section.card.${size}`, {'aria-label': title}, h('h2', title), caption && h('p.cap', caption), content);

/**
 * @param {Pick<Bench, 'connection' | 'forget' | 'keepsKeys' | 'languages' | 'openSegment' | 'pages' | 'root' | 'say' |
 *   'segment' | 'server' | 'session'>} bench
 */
export const openReport = bench => {
  /** @type {Replay | null} */
  let replay = null;
  const page = new Page({
    name: 'record',
    title: t('record.title'),
    body: h('p.muted', {role: 'status'}, t('record.loading')),
    onClose: () => replay?.stop(),
  });
  /** @param {'report' | 'replay'} view */
  const ask = async view => {
    const reply = await bench.server.record({token: bench.session.token, view}).catch(() => null);
    return reply?.ok ? reply.result : {problem: reply?.error?.message ?? t('alts.offline')};
  };
  /** @param {HTMLElement} host */
  const openReplay = async host => {
    host.replaceChildren(h('p.muted', {role: 'status'}, t('record.loading')));
    const recorded = await ask('replay');
    if (recorded.problem) {
      host.replaceChildren(h('p', {role: 'alert'}, recorded.problem));
      return;
    }
    replay = new Replay(host, bench.languages);
    replay.load(recorded);
    replay.slider.focus();
  };
  /** @param {number} index */
  const goTo = index => {
    bench.pages.leave();
    bench.openSegment(index);
  };
  const load = async () => {
    bench.segment.flush();
    await bench.connection.send('export_note', {kind: 'document'}); // the report comes after the typed text is stored
    const report = await ask('report');
    page.body.removeAttribute('aria-busy');
    if (report.problem) {
      page.body.replaceChildren(h('p', {role: 'alert'}, report.problem));
      return;
    }
    setText(page.lead, t('record.lead', {name: report.name, idle: report.idle_limit_ms / 1000}));
    page.body.replaceChildren(...draw(bench, report, {goTo, openReplay, remove: () => askDeletion(bench, report)}));
  };
  page.body.setAttribute('aria-busy', 'true');
  load();
  return page;
};

/**
 * @param {Pick<Bench, 'connection' | 'keepsKeys' | 'languages' | 'segment' | 'session'>} bench
 * @param {ReportView} report
 * @param {{goTo: (index: number) => void, openReplay: (host: HTMLElement) => void, remove: () => void}} options
 */
const draw = (bench, report, {goTo, openReplay, remove}) => {
  const {segments, unit} = report;
  const confirmed = segments.filter(item => item.state === 'confirmed');
  const hters = confirmed.flatMap(item => (item.hter === null ? [] : [item.hter]));
  const opened = segments.filter(item => item.net_ms > 0);
  /**
   * @param {string} name
   * @param {string} value
   * @param {string} detail
   */
  const figure = (name, value, detail) =>
    h('div', h('dt', t(`record.${name}`)), h('dd', value, ' ', h('small', detail)));
  /**
   * @param {number} index
   * @param {number} shown
   */
  const place = (index, shown) => button('.link', {onclick: () => goTo(index)}, String(shown));
  /** @type {HTMLElement} */
  const host = h(
    'div',
    button('.btn', {onclick: () => openReplay(host)}, icon('play', true), tn('replay.open', report.num_events)),
  );
  const highest = report.prices[0]?.[0] ?? 0;
  /** @param {string} kind */
  const url = kind => `download/${encodeURIComponent(bench.session.token)}/${kind}`;
  const keys = Object.entries(report.keys)
    .map(([name, n]) => `${t(`record.keys.${name}`)} ${count(n)}`)
    .join(', ');
  return [
    h(
      'dl.kpis.num',
      figure('confirmed', count(report.num_confirmed), t('record.of', {n: count(report.num_segments)})),
      figure(unit, count(report.num_words_confirmed), t('record.of', {n: count(report.num_words)})),
      figure('net', duration(report.net_ms), t('record.gross', {time: duration(report.gross_ms)})),
      figure(
        `${unit}_per_hour`,
        orDash(report.words_per_hour, value => count(Math.round(value))),
        t('record.net_time'),
      ),
      figure(
        'median_time',
        orDash(report.median_ms, value => `${number(value / 1000, 1)} s`),
        t('record.per_segment'),
      ),
      figure(
        'hter',
        orDash(report.hter, value => number(value, 2)),
        tn('record.unchanged', report.num_unchanged),
      ),
    ),
    h(
      'div.cards',
      card(
        'w7',
        t('record.time'),
        t('record.time.caption'),
        opened.length
          ? [
              timeChart(opened, report.median_ms),
              table(
                [t('record.segment'), t('record.seconds')],
                opened.map(item => [String(item.number), number(item.net_ms / 1000, 1)]),
              ),
            ]
          : h('p.muted', t('record.nothing')),
      ),
      card(
        'w5',
        t('record.effort'),
        t('record.effort.caption'),
        hters.length
          ? [
              hterChart(hters),
              table(
                ['HTER', t('record.segments')],
                hterBins(hters).map(([name, n]) => [name, count(n)]),
              ),
            ]
          : h('p.muted', t('record.nothing')),
      ),
      card(
        'w12',
        t('record.origins'),
        t('record.origins.caption'),
        report.origins.length
          ? originChart(report.origins, name => t(`origin.${name}`))
          : h('p.muted', t('record.nothing')),
      ),
      card(
        'w7',
        t('record.prices'),
        t('record.prices.caption', {n: MAX_LISTED_PRICES}),
        report.prices.length
          ? h(
              'table',
              h(
                'thead',
                h(
                  'tr',
                  h('th', {scope: 'col'}, t('record.constraint')),
                  h('th', {scope: 'colgroup', colspan: 2}, t('record.price')),
                  h('th.n', {scope: 'col'}, t('record.segment')),
                ),
              ),
              h(
                'tbody',
                report.prices
                  .slice(0, MAX_LISTED_PRICES)
                  .map(([price, kind, text, index, shown]) =>
                    h(
                      'tr',
                      h(
                        'td',
                        textIn(bench.languages.target),
                        h(
                          kind === 'ban' ? 'span.banned' : kind === 'term' ? 'span.of' : 'span.pin',
                          {},
                          icon(kind === 'ban' ? 'ban' : kind === 'term' ? 'book' : 'lock'),
                          text,
                        ),
                      ),
                      h('td.bar-cell', priceBar(price, highest, kind)),
                      h('td.n', number(price, 2)),
                      h('td.n', place(index, shown)),
                    ),
                  ),
              ),
            )
          : h('p.muted', t('record.nothing')),
      ),
      card(
        'w5',
        t('record.more'),
        null,
        h(
          'dl.pairs.num',
          [
            [t('record.pins'), count(report.num_pins)],
            [t('record.bans'), count(report.num_bans)],
            [t('record.terms'), `${count(report.num_terms_met)} / ${count(report.num_terms)}`],
            ...(report.coverage === null ? [] : [[t('record.coverage'), `${number(report.coverage, 1)} %`]]),
            [t('record.repetitions'), repeated(report.repetitions, unit)],
            [t('record.repetitions.project'), repeated(report.repetitions_elsewhere, unit)],
            ['chrF', orDash(report.chrf, value => number(value, 1))],
            [t('record.keys'), keys || '–'],
            [t('record.events'), count(report.num_events)],
          ].map(([name, value]) => [h('dt', name), h('dd', value)]),
        ),
      ),
      card(
        'w12',
        t('record.table'),
        t('record.table.caption'),
        h(
          'div.tblscroll',
          {tabindex: 0, role: 'group', 'aria-label': t('record.table')},
          h(
            'table',
            h(
              'thead',
              h(
                'tr',
                ['segment', 'state', `${unit}_short`, 'seconds', 'hter', 'chrf', 'edits', 'pins', 'terms_short'].map(
                  (name, i) => h(i === 1 ? 'th' : 'th.n', {scope: 'col'}, t(`record.${name}`)),
                ),
              ),
            ),
            h(
              'tbody',
              segments.map(item =>
                h(
                  'tr',
                  h('td.n', place(item.index, item.number)),
                  h('td', t(`state.${item.state}`)),
                  h('td.n', count(item.words)),
                  h('td.n', number(item.net_ms / 1000, 1)),
                  h(
                    'td.n',
                    orDash(item.hter, value => number(value, 2)),
                  ),
                  h(
                    'td.n',
                    orDash(item.chrf, value => number(value, 1)),
                  ),
                  h('td.n', count(item.edits)),
                  h('td.n', count(item.pins)),
                  h('td.n', item.terms[1] ? item.terms.join(' / ') : '–'),
                ),
              ),
            ),
          ),
        ),
      ),
      card('w12', t('replay.title'), t('replay.caption'), host),
      card(
        'w12',
        t('export.menu'),
        t('record.export.caption'),
        h(
          'div.exports',
          EXPORTS.map(([key, kind]) =>
            h(
              'a',
              {href: url(kind), download: '', 'data-kind': kind},
              icon('down'),
              h('b', t(key)),
              h('span', t(`${key}.detail`)),
            ),
          ),
        ),
      ),
      card(
        'w12',
        t('consent.title'),
        t('consent.caption'),
        h(
          'label.check',
          h('input', {
            type: 'checkbox',
            checked: bench.keepsKeys,
            'data-consent': '',
            onchange: event => {
              bench.segment.keys.flush(); // keys pressed before are sent under the consent given before
              bench.keepsKeys = event.target.checked;
              bench.connection.send('consent', {is_given: bench.keepsKeys}, 'consent');
            },
          }),
          h('b', t('consent.keys')),
          ' ',
          h('span.muted', t('consent.keys.detail')),
        ),
      ),
      card('w12', t('delete.title'), t('delete.caption'), button('.btn.danger', {onclick: remove}, t('delete.open'))),
    ),
  ];
};

/**
 * Asks again before the session is deleted, as this cannot be undone.
 * @param {Pick<Bench, 'forget' | 'root' | 'say' | 'session'>} bench
 * @param {ReportView} report
 */
const askDeletion = (bench, report) => {
  const close = () => dialog.close();
  const go = async () => {
    const {token} = bench.session;
    close();
    await bench.forget(token);
    bench.say('info', t('delete.done', {name: report.name}));
  };
  const dialog = new Dialog({
    name: 'delete',
    title: t('delete.question', {name: report.name}),
    classes: '.small',
    isAlert: true,
    body: [
      h(
        'p',
        t('delete.what', {
          segments: tn('opened.segments', report.num_segments),
          events: tn('delete.events', report.num_events),
        }),
      ),
    ],
    buttons: [
      button('.btn.primary', {onclick: close}, t('delete.no')),
      button('.btn.danger', {onclick: go}, t('delete.yes')),
    ],
  });
  dialog.open(bench.root, dialog.element.querySelector('.btn'));
};

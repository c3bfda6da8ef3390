/* Analysis before work: the words of this document, or of several, by how much is known of them already, and the price by
   a rate card. The rate card stays in this browser. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, number, setText, t, tableHead} from '../core/dom.js';
import {readStored, writeStored} from '../core/storage.js';
import {groupName} from './packing.js';

const STORE_KEY = 'pinpoint:rates';
/**
 * The bands in the order of the server's `BANDS`, each with a usual rate in percent.
 * @type {[band: keyof AnalysisRow['counts'], percent: number][]}
 */
const BANDS = [
  ['exact', 10],
  ['repeated', 10],
  ['across', 10],
  ['95', 30],
  ['85', 60],
  ['75', 80],
  ['50', 100],
  ['new', 100],
];

/**
 * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'root' | 'segment' | 'session'>} bench
 */
export const openAnalysis = async bench => {
  bench.segment.flush();
  const reply = await bench.connection.send('packable');
  if (reply.ok) new AnalysisDialog(bench, reply.result.groups).open();
};

/** @returns {{percents: number[], price: number}} */
const keptRates = () => {
  /** @type {Record<string, number>} */
  let kept = {};
  try {
    kept = JSON.parse(readStored('local', STORE_KEY) ?? '{}') ?? {};
  } catch {
    /* not JSON: the usual rates */
  }
  const percents = BANDS.map(([band, usual]) => (Number.isFinite(kept[band]) ? kept[band] : usual));
  return {percents, price: Number.isFinite(kept.price) ? kept.price : 0};
};

/**
 * What a band of a document, or of several, contains.
 * @param {AnalysisRow[]} documents
 * @param {keyof AnalysisRow['counts']} band
 * @param {keyof SegmentCount} name
 */
const sum = (documents, band, name) => documents.reduce((total, {counts}) => total + counts[band][name], 0);

class AnalysisDialog {
  /**
   * @param {Pick<Bench, 'connection' | 'document' | 'focusEditor' | 'root' | 'session'>} bench
   * @param {PackableGroup[]} groups
   */
  constructor(bench, groups) {
    this.bench = bench;
    /** @type {[string, number[]][]} */
    this.choices = [
      [t('analysis.own'), [bench.document.session]],
      ...groups
        .filter(({documents}) => documents.length > 1)
        .map(group => /** @type {[string, number[]]} */ ([groupName(group), group.documents.map(row => row.session)])),
    ];
    this.choice = h(
      'select',
      {'aria-label': t('analysis.which'), onchange: () => this.ask()},
      this.choices.map(([name], i) => h('option', {value: i}, name)),
    );
    const {percents, price} = keptRates();
    /** @param {number} value @param {string} label */
    const field = (value, label, step = '1') =>
      h('input.num.rate', {
        type: 'number',
        min: 0,
        max: step === '1' ? 1000 : undefined,
        step,
        value,
        'aria-label': label,
        oninput: () => this.price(),
        onchange: () => this.keep(),
      });
    this.rates = BANDS.map(([band], i) =>
      field(percents[i], t('analysis.rate.label', {band: t(`analysis.band.${band}`)})),
    );
    this.perWord = field(price, t('analysis.price'), 'any');
    this.status = h('p.muted', {role: 'status'});
    this.cells = BANDS.map(() => ['', '', '', ''].map(() => h('td.num')));
    this.totals = ['', '', '', ''].map(() => h('td.num'));
    this.result = h('b.num');
    this.rows = h('tbody');
    this.unit = h('th.num', {scope: 'col'});
    this.weighted = h('th.num', {scope: 'col'});
    const heads = ['segments', 'characters', 'rate'].map(name => h('th.num', {scope: 'col'}, t(`analysis.${name}`)));
    this.each = h('details', {hidden: true}, h('summary', t('analysis.each')), h('table', this.rows));
    this.files = ['xlsx', 'csv'].map(kind =>
      h('a.btn', {download: '', 'aria-disabled': 'true'}, icon('down'), t(`analysis.${kind}`)),
    );
    this.dialog = new Dialog({
      name: 'analysis',
      title: t('analysis.title'),
      classes: '.opening.analysis',
      body: [
        this.choices.length > 1 ? h('label.line', t('analysis.which'), this.choice) : null,
        h(
          'table',
          tableHead(t('analysis.band'), heads[0], this.unit, heads[1], heads[2], this.weighted),
          h(
            'tbody',
            BANDS.map(([band], i) =>
              h(
                'tr',
                {'data-band': band},
                h('th', {scope: 'row'}, t(`analysis.band.${band}`)),
                this.cells[i].slice(0, 3),
                h('td.num', this.rates[i]),
                this.cells[i][3],
              ),
            ),
          ),
          h(
            'tfoot',
            h('tr', h('th', {scope: 'row'}, t('analysis.total')), this.totals.slice(0, 3), h('td'), this.totals[3]),
          ),
        ),
        h('p.quote', h('label', t('analysis.price'), ' ', this.perWord), this.result),
        this.each,
        this.status,
      ],
      buttons: [this.files, button('.btn.primary', {onclick: () => this.dialog.close()}, t('close'))],
      onClose: () => bench.focusEditor(),
    });
    /** @type {AnalysisReply | null} */
    this.analysis = null;
    this.asked = 0;
  }

  open() {
    this.dialog.open(this.bench.root, this.choices.length > 1 ? this.choice : this.rates[0]);
    this.ask();
  }

  async ask() {
    const asked = ++this.asked;
    setText(this.status, t('analysis.busy'));
    const [, documents] = this.choices[Number(this.choice.value) || 0];
    const reply = await this.bench.connection.send('analyse', {documents});
    if (asked !== this.asked) return;
    setText(this.status, reply.ok ? t('analysis.about') : reply.error.message);
    if (!reply.ok) return;
    this.analysis = reply.result;
    this.paint(reply.result);
  }

  /** @param {AnalysisReply} analysis */
  paint({unit, documents}) {
    setText(this.unit, t(`analysis.unit.${unit}`));
    setText(this.weighted, t(`analysis.weighted.${unit}`));
    const names = /** @type {const} */ (['num_segments', 'num_words', 'num_characters']);
    names.forEach((name, column) => {
      const sums = BANDS.map(([band]) => sum(documents, band, name));
      sums.forEach((total, i) => setText(this.cells[i][column], count(total)));
      setText(this.totals[column], count(sums.reduce((a, b) => a + b)));
    });
    this.price();
  }

  /** Shows what the words cost by the rates in the fields. */
  price() {
    if (!this.analysis) return;
    const {documents, key} = this.analysis;
    const percents = this.rates.map(field => Math.max(0, Number(field.value)));
    const perWord = Math.max(0, Number(this.perWord.value));
    /** @param {AnalysisRow[]} rows */
    const weighted = rows => BANDS.map(([band], i) => (sum(rows, band, 'num_words') * percents[i]) / 100);
    /** @param {number[]} numbers */
    const total = numbers => numbers.reduce((a, b) => a + b);
    const all = weighted(documents);
    all.forEach((words, i) => setText(this.cells[i][3], number(words, 1)));
    setText(this.totals[3], number(total(all), 1));
    setText(this.result, perWord ? t('analysis.result', {price: number(total(all) * perWord, 2)}) : '');
    this.each.hidden = documents.length < 2;
    this.rows.replaceChildren(
      ...documents.map(row =>
        h(
          'tr',
          h('th', {scope: 'row'}, row.name),
          h('td.num', count(total(BANDS.map(([band]) => sum([row], band, 'num_words'))))),
          h('td.num', number(total(weighted([row])), 1)),
          h('td.num', perWord ? number(total(weighted([row])) * perWord, 2) : ''),
        ),
      ),
    );
    const address = `download/${encodeURIComponent(this.bench.session.token)}/analysis/${encodeURIComponent(key)}`;
    const rates = new URLSearchParams([
      ...percents.map(rate => ['percents', String(rate)]),
      ['price', String(perWord)],
    ]);
    this.files.forEach((link, i) => {
      link.href = i ? `${address}/csv` : `${address}/xlsx?${rates}`;
      link.removeAttribute('aria-disabled');
    });
  }

  keep() {
    const entries = BANDS.map(([band], i) => [band, Number(this.rates[i].value)]);
    writeStored(
      'local',
      STORE_KEY,
      JSON.stringify({...Object.fromEntries(entries), price: Number(this.perWord.value)}),
    );
  }
}

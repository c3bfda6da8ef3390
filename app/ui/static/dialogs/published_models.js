/* The models that can be downloaded, as a part of the dialog of the models. The list is read from the registry only when
   the person asks for it. What its makers wrote is shown as plain text. */
import {button, h, number, setText, t} from '../core/dom.js';
import {currentLanguage} from '../core/texts.js';
import {languageNames} from './direction.js';

/**
 * The makers' figures: "COMET 0.88, chrF 69.1".
 * @param {Record<string, number>} quality
 */
const qualityOf = quality =>
  Object.entries(quality)
    .map(
      ([name, value]) =>
        `${{comet: 'COMET', comet22: 'COMET-22', chrf: 'chrF', bleu: 'BLEU'}[name] ?? name} ${number(value, value < 2 ? 3 : 1)}`,
    )
    .join(', ');

/** @param {string} name */
export const languagesOf = name => {
  const nameOf = languageNames();
  const [source, target] = name.split('-');
  return t('published.pair', {source: nameOf(source), target: nameOf(target)});
};

/** @param {string} address */
const serverOf = address => {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
};

export class PublishedModels {
  /**
   * @param {Pick<Bench, 'connection' | 'languages' | 'notes'>} bench
   * @param {string | null} direction that is shown first; null: the document's
   */
  constructor(bench, direction) {
    this.bench = bench;
    this.direction = direction;
    this.content = h('div');
    this.wrong = h('p.wrong', {role: 'alert'});
    this.element = h(
      'section.published',
      {'aria-labelledby': 'pinpoint-published'},
      h('h3', {id: 'pinpoint-published'}, t('published.title')),
      this.content,
      this.wrong,
    );
  }

  /** Shows the list; with `isUpdate`, it is read from the registry first. */
  async show(isUpdate = false) {
    if (isUpdate) setText(this.wrong, t('published.reading'));
    const reply = await this.bench.connection.send('published_models', {
      direction: this.direction,
      is_update: isUpdate,
    });
    if (reply.ok) {
      setText(this.wrong, '');
      this.content.replaceChildren(...this.parts(reply.result));
      return;
    }
    this.bench.notes.take(reply.error.message); // it is said here
    setText(this.wrong, `${reply.error.message}\n${t('published.by_hand')}`);
  }

  /** @param {PublishedList} list */
  parts(list) {
    const update = button(
      '.btn.small',
      {onclick: () => this.show(true)},
      t(list.read_at ? 'published.update' : 'published.look'),
    );
    if (!list.read_at) return [h('p.muted', t('published.unread', {server: serverOf(list.address)})), h('p', update)];
    const directions = list.directions.includes(list.direction)
      ? list.directions
      : [list.direction, ...list.directions];
    const select = h(
      'select',
      {
        onchange: () => {
          this.direction = select.value;
          this.show();
        },
      },
      directions.map(direction => h('option', {value: direction}, languagesOf(direction))),
    );
    select.value = list.direction;
    const date = new Date(list.read_at).toLocaleDateString(currentLanguage());
    return [
      h(
        'div.line1',
        h('label', h('span', t('published.direction')), select),
        h('span.muted', t('published.read', {date, server: serverOf(list.address)})),
        update,
      ),
      ...list.models.map(model => this.entry(model)),
      ...(list.models.length
        ? []
        : [h('p.muted', t('published.none', {name: `Helsinki-NLP/opus-mt-${list.direction}`}))]),
    ];
  }

  /** @param {PublishedModel} model */
  entry(model) {
    const {languages} = this.bench;
    const isFit = model.direction === `${languages.source}-${languages.target}`;
    const label = model.num_here ? 'published.go_on' : isFit ? 'published.use' : 'published.download';
    return h(
      'section.modelrow',
      {'aria-label': model.title, 'data-name': model.name},
      h(
        'div.line1',
        h('b', model.title),
        model.is_recommended ? h('span.tag', t('published.recommended')) : null,
        model.is_released ? null : h('span.muted', t('published.unreleased')),
        model.is_installed
          ? h('span.now', t('published.installed'))
          : button('.btn.small', {onclick: () => this.download(model)}, t(label)),
      ),
      h(
        'p.muted.num',
        [
          t('models.size', {size: number(model.num_bytes / 1e6, 1)}),
          model.num_parameters ? t('models.parameters', {n: number(model.num_parameters / 1e6, 1)}) : '',
          qualityOf(model.quality)
            ? t('published.quality', {figures: qualityOf(model.quality)})
            : t('published.no_quality'),
          t('published.licence', {name: model.licence}),
        ]
          .filter(Boolean)
          .join(' · '),
      ),
      h('details', h('summary', t('published.terms')), h('pre', model.licence_text)),
    );
  }

  /** @param {PublishedModel} model */
  async download(model) {
    setText(this.wrong, '');
    const reply = await this.bench.connection.send('download_model', {model: model.name});
    if (reply.ok) return;
    this.bench.notes.take(reply.error.message);
    setText(this.wrong, reply.error.message);
  }
}

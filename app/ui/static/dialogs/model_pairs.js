/* Two models as one, through a language between: a part of the dialog of the models, closed until somebody opens it. A pair
   is used only if the person chooses it. What the models' makers wrote is shown as plain text. */
import {button, h, number, setText, t} from '../core/dom.js';
import {currentLanguage} from '../core/texts.js';
import {languageNames, showDirections} from './direction.js';
import {languagesOf} from './published_models.js';

/** @param {number} bytes */
const megabytes = bytes => t('models.size', {size: number(bytes / 1e6, 1)});

export class ModelPairs {
  /**
   * @param {Pick<Bench, 'connection' | 'focusEditor' | 'languages' | 'notes' | 'root' | 'rows' | 'say' | 'segment' |
   *   'switchTo'>} bench
   * @param {string | null} direction that is wanted; null: the document's
   * @param {boolean} canAdd whether the person may download models
   * @param {() => void} close closes the dialog
   */
  constructor(bench, direction, canAdd, close) {
    this.bench = bench;
    this.direction = direction;
    this.canAdd = canAdd;
    this.close = close;
    this.content = h('div');
    this.wrong = h('p.wrong', {role: 'alert'});
    this.element = h(
      'details.modelpairs',
      {hidden: true},
      h('summary', t('pairs.title')),
      h('p.muted', t('pairs.note')),
      this.content,
      this.wrong,
    );
  }

  /** Shows what is possible now; nothing is requested from the network. */
  async show() {
    const reply = await this.bench.connection.send('model_pairs', {direction: this.direction});
    if (!reply.ok) return;
    const {pairs, pair, direction} = reply.result;
    this.element.hidden = !pair && Object.keys(pairs).length === 0;
    if (pair && (pair.is_current || direction === this.direction)) this.element.open = true;
    this.content.replaceChildren(this.choice(pairs, direction), ...(pair ? [this.entry(pair)] : []));
  }

  /**
   * The two lists of languages.
   * @param {Record<string, string[]>} pairs
   * @param {string} direction
   */
  choice(pairs, direction) {
    const nameOf = languageNames();
    /** @param {string[]} codes */
    const options = codes =>
      codes
        .map(code => [nameOf(code), code])
        .sort(([a], [b]) => a.localeCompare(b, currentLanguage()))
        .map(([name, code]) => h('option', {value: code}, name));
    const [from, to] = direction.split('-');
    /** @param {number} changed 0: the source, 1: the target; it keeps the focus */
    const choose = async changed => {
      this.direction = `${source.value}-${target.value}`;
      await this.show();
      this.content.querySelectorAll('select')[changed].focus();
    };
    const source = h(
      'select',
      {
        onchange: () => {
          const targets = pairs[source.value];
          target.replaceChildren(...options(targets));
          target.value = targets.includes(to) ? to : targets[0];
          choose(0);
        },
      },
      options(Object.keys(pairs)),
    );
    source.value = Object.hasOwn(pairs, from) ? from : '';
    const target = h('select', {onchange: () => choose(1)}, options(pairs[source.value] ?? []));
    target.value = to;
    return h(
      'div.line1',
      h('label', h('span', t('direction.from')), source),
      h('label', h('span', t('direction.to')), target),
    );
  }

  /** @param {ModelPair} pair */
  entry(pair) {
    const title = t('pairs.through', {
      pair: languagesOf(pair.direction),
      language: languageNames()(pair.language),
    });
    const size = megabytes(pair.num_missing_bytes);
    const label = pair.is_installed
      ? t(pair.is_fit ? 'models.use' : 'pairs.anew')
      : t(pair.is_fit ? 'pairs.download_and_use' : 'pairs.download', {size});
    return h(
      'section.modelrow',
      {'aria-label': title, 'data-key': pair.key},
      h(
        'div.line1',
        h('b', title),
        pair.is_current
          ? h('span.now', t('models.current'))
          : this.canAdd || pair.is_installed
            ? button('.btn.small', {onclick: () => this.use(pair)}, label)
            : null,
      ),
      h(
        'ol',
        pair.parts.map(part =>
          h(
            'li',
            [
              part.name,
              languagesOf(part.direction),
              part.is_installed ? t('published.installed') : megabytes(part.num_bytes),
              part.licence ? t('published.licence', {name: part.licence}) : '',
            ]
              .filter(Boolean)
              .join(' · '),
            part.licence_text ? h('details', h('summary', t('published.terms')), h('pre', part.licence_text)) : null,
          ),
        ),
      ),
    );
  }

  /** @param {ModelPair} pair */
  async use(pair) {
    setText(this.wrong, '');
    if (pair.is_installed && !pair.is_fit) {
      this.close();
      showDirections(this.bench, pair);
      return;
    }
    const reply = await this.bench.connection.send('switch_model', {key: pair.key});
    if (reply.ok) {
      if (pair.is_installed) this.close();
      return;
    }
    this.bench.notes.take(reply.error.message); // it is shown here
    setText(this.wrong, reply.error.message);
  }
}

/* The dialog Models: lists the models with their cards, switches the document to another model, and downloads models.
   Text by the makers of a model is shown as plain text. */

import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, number, setText, t} from '../core/dom.js';
import {domainName} from '../core/style_names.js';
import {languageNames, showDirections} from './direction.js';
import {ModelPairs} from './model_pairs.js';
import {OwnModel} from './own_model.js';
import {languagesOf, PublishedModels} from './published_models.js';

const BYTES_A_SECOND = 1.25e6; // 10 Mbit/s
/** @param {number} bytes */
const megabytes = bytes => t('models.size', {size: number(bytes / 1e6, bytes < 1e8 ? 1 : 0)});
/** @param {number} parameters */
const millions = parameters => t('models.parameters', {n: number(parameters / 1e6, 1)});
/** The time of a proposal: measured on this computer, or expected. @param {ModelOffer} model */
const speed = ({median_ms, expected_ms}) =>
  median_ms !== null
    ? t('models.speed', {ms: number(median_ms, 0)})
    : expected_ms !== null
      ? t('models.expected', {s: number(expected_ms / 1000, expected_ms < 1e4 ? 1 : 0)})
      : '';

/**
 * A button that removes a model; the first press only asks for confirmation.
 * @param {() => void} remove
 */
const removeButton = remove => {
  let isAsked = false;
  const element = button(
    '.btn.small',
    {
      onclick: () => {
        if (isAsked) remove();
        isAsked = true;
        setText(element, t('models.remove.sure'));
      },
    },
    t('models.remove'),
  );
  return element;
};

/**
 * What a model is called in the list: its languages, or its own name if it has many.
 * @param {ModelOffer} model
 */
const titleOf = ({directions, name}) => {
  const nameOf = languageNames();
  const [first, ...others] = directions.map(direction => direction.split('-'));
  if (!first || others.length > 1) return name;
  const [source, target] = first.map(nameOf);
  if (!others.length) return `${source} \u2192 ${target}`;
  return others[0].toReversed().join() === first.join() ? `${source} \u2194 ${target}` : name;
};

/**
 * One model of the list.
 * @param {ModelOffer} model
 * @param {number} free bytes of memory
 * @param {() => void} use switches the document to the model
 * @param {() => void} startOver starts the document over with the model, which does not support its language pair
 * @param {(() => void) | null} remove removes the model from this computer; null for people who may not
 */
const entry = (model, free, use, startOver, remove) => {
  const title = titleOf(model);
  return h(
    'section.modelrow',
    {'aria-label': model.name, 'data-key': model.key},
    h(
      'div.line1',
      h('b', title),
      h('span.muted', title === model.name ? '' : `${model.name} · `, t(`models.${model.place}`)),
      model.is_current
        ? h('span.now', icon('check', true), t('models.current'))
        : model.is_fit
          ? button('.btn.small', {onclick: use}, t('models.use'))
          : !model.problem
            ? button('.btn.small', {onclick: startOver}, t('models.anew'))
            : null,
      remove && model.is_removable && !model.is_current ? removeButton(remove) : null,
    ),
    model.problem
      ? h('p.wrong', model.problem)
      : h(
          'p.muted.num',
          [
            (title === model.name ? model.directions.join(', ') : '') +
              (model.num_directions > model.directions.length
                ? t('models.more', {n: count(model.num_directions - model.directions.length)})
                : ''),
            millions(model.num_parameters),
            megabytes(model.num_bytes),
            model.family && t('models.family', {name: model.family}),
            model.needed_bytes
              ? t('models.memory', {needed: megabytes(model.needed_bytes), free: megabytes(free)})
              : '',
            speed(model),
            model.licence && t('published.licence', {name: model.licence}),
            model.formalities.length && t('models.formality'),
            model.domains.length && t('models.domains', {names: model.domains.map(domainName).join(', ')}),
          ]
            .filter(Boolean)
            .join(' · '),
        ),
    !model.is_current && model.needed_bytes > free ? h('p.wrong', t('models.too_large')) : null,
    !model.problem && !model.is_current && !model.is_fit ? h('p.muted', t('models.unfit')) : null,
    model.card ? h('details', h('summary', t('models.card')), h('pre', model.card)) : null,
  );
};

/**
 * The text for the model that is being loaded or downloaded, with the percentage that was downloaded.
 * @param {ModelStatus} options
 */
export const comingText = ({next, name, fetched}) =>
  t(fetched === null || fetched === 100 ? 'model.next' : 'model.fetching', {name: next || name, percent: fetched ?? 0});

/** The model that is being loaded or downloaded, with its progress and the button Cancel. */
class Coming {
  /** @param {Pick<Bench, 'connection' | 'model'>} bench */
  constructor(bench) {
    this.name = h('span');
    this.done = h('i');
    this.note = h('p.muted', t('models.continued'));
    this.bar = h(
      'div.bar',
      {role: 'progressbar', 'aria-label': t('models.fetched'), 'aria-valuemin': 0, 'aria-valuemax': 100},
      this.done,
    );
    this.element = h(
      'div.coming',
      {hidden: true},
      this.name,
      this.bar,
      button('.btn.small', {onclick: () => bench.connection.send('stop_model', {}, 'stop_model')}, t('models.stop')),
      this.note,
    );
    this.update(bench.model);
  }

  /** @param {ModelStatus} model */
  update(model) {
    this.element.hidden = !model.next;
    if (!model.next) return;
    setText(this.name, comingText(model));
    this.bar.hidden = this.note.hidden = model.fetched === null;
    this.done.style.inlineSize = `${model.fetched}%`;
    this.bar.setAttribute('aria-valuenow', String(model.fetched));
  }
}

/**
 * A field that names a model, and its button.
 * @param {Pick<Bench, 'notes'>} bench
 * @param {'fetch' | 'open'} kind a name on the hub, or a path on the server
 * @param {string} placeholder
 * @param {(name: string) => Promise<{ok: true} | {ok: false, error: {message: string}}>} ask
 * @param {() => void} begun called when the server has started to get the model
 * @param {((name: string) => Promise<{ok: true, result: HubOffer} | {ok: false, error: {message: string}}>) | null} [lookUp]
 *   asks for what the first press shows, before the second one gets the model
 */
const naming = (bench, kind, placeholder, ask, begun, lookUp = null) => {
  let known = ''; // the name that was looked up
  const found = h('p.num', {role: 'status'});
  const files = h('ul.files');
  const go = h('button.btn', {type: 'submit'});
  const restart = () => {
    known = '';
    setText(found, '');
    files.replaceChildren();
    setText(go, t(lookUp ? 'models.look_up' : `models.${kind}.go`));
  };
  const name = h('input', {
    type: 'text',
    spellcheck: false,
    autocapitalize: 'off',
    autocomplete: 'off',
    placeholder,
    'aria-describedby': `pinpoint-${kind}-note pinpoint-${kind}-wrong`,
    oninput: restart,
  });
  restart();
  const wrong = h('p.wrong', {id: `pinpoint-${kind}-wrong`, role: 'alert'});
  /** @param {string} message */
  const refuse = message => {
    bench.notes.take(message); // shown here instead, below the name
    setText(wrong, message);
    name.select();
    wrong.scrollIntoView({block: 'nearest'});
  };
  /** One of several files of a model; the press looks it up. @param {HubFile} file */
  const choice = file => {
    const choose = () => {
      name.value = file.name;
      restart();
      name.form?.requestSubmit();
    };
    const label = file.name.split('/').at(-1) ?? '';
    return h('li', button('.btn.small', {onclick: choose}, label), ' ', h('span.num.muted', megabytes(file.num_bytes)));
  };
  /** @param {Event} event */
  const begin = async event => {
    event.preventDefault();
    setText(wrong, '');
    const asked = name.value;
    if (!lookUp || known === asked) {
      const reply = await ask(asked);
      if (reply.ok) begun();
      else refuse(reply.error.message);
      return;
    }
    const reply = await lookUp(asked);
    if (!reply.ok) refuse(reply.error.message);
    else if (name.value === asked && reply.result.files.length) {
      setText(found, t('models.files'));
      files.replaceChildren(...reply.result.files.map(choice));
      files.scrollIntoView({block: 'nearest'});
    } else if (name.value === asked) {
      known = asked;
      const {num_bytes, licence} = reply.result;
      const terms = licence ? t('published.licence', {name: licence}) : t('models.no_licence');
      setText(found, [megabytes(num_bytes), terms].join(' · '));
      setText(go, t(`models.${kind}.go`));
    }
  };
  return h(
    'form.fetch',
    {onsubmit: begin},
    h('label.line', h('span', t(`models.${kind}`)), name),
    go,
    found,
    files,
    h('p.muted', {id: `pinpoint-${kind}-note`}, t(`models.${kind}.note`)),
    wrong,
  );
};

/**
 * Opens the dialog.
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'languages' | 'model' | 'notes' | 'onModel' | 'problem' | 'root' |
 *   'rows' | 'say' | 'segment' | 'session' | 'switchTo'>} bench
 * @param {string | null} [direction] the language pair whose published models are listed first; null for the document's
 * @param {File[]} [files] those of a model to install, which were dropped on the page
 */
export const showModels = async (bench, direction = null, files = []) => {
  const reply = await bench.connection.send('models');
  if (!reply.ok) return;
  const {can_add, can_remove} = reply.result;
  const {connection, languages} = bench;
  let free = reply.result.free_bytes;
  const close = () => dialog.close();
  /** @param {string} key */
  const use = key => {
    close();
    bench.connection.send('switch_model', {key});
  };
  /** @param {ModelOffer} model */
  const row = model =>
    entry(
      model,
      free,
      () => use(model.key),
      () => {
        close();
        showDirections(bench, model);
      },
      can_remove
        ? async () => {
            const gone = await bench.connection.send('remove_model', {key: model.key});
            if (gone.ok) {
              const {name, freed_bytes: freed} = gone.result;
              setText(removed, t('models.removed', {name, size: megabytes(freed)}));
            }
            await refresh();
          }
        : null,
    );
  const refresh = async () => {
    const news = await bench.connection.send('models');
    if (news.ok) {
      free = news.result.free_bytes;
      list.replaceChildren(...news.result.models.map(row));
    }
    await showOthers();
  };
  const showOthers = async () => {
    if (can_add) await published.show();
    await pairs.show();
  };
  const list = h('div', reply.result.models.map(row));
  const published = new PublishedModels(bench, direction);
  const pairs = new ModelPairs(bench, direction, can_add, close);
  const own = new OwnModel(bench);
  const fetcher = naming(
    bench,
    'fetch',
    `Helsinki-NLP/opus-mt-${languages.source}-${languages.target}`,
    model => connection.send('fetch_model', {model}),
    close,
    model => connection.send('look_up_model', {model}),
  );
  const opener = naming(bench, 'open', '/models/model.gguf', path => connection.send('open_model', {path}), close);
  const coming = new Coming(bench);
  const problem = h('p.wrong.maybe', {role: 'alert'});
  const removed = h('p.muted', {role: 'status'});
  /**
   * @param {ModelStatus} model
   * @param {string} reported
   */
  const stateOf = ({name, next, offered}, reported) => JSON.stringify([name, next, offered, reported]);
  let known = stateOf(bench.model, bench.problem);
  const dialog = new Dialog({
    name: 'models',
    title: t('models.title'),
    classes: '.models',
    body: [
      h('div.top', coming.element, problem, removed),
      h('p.muted', t('models.note')),
      list,
      can_add ? published.element : null,
      pairs.element,
      ...(can_add ? [own.element, fetcher] : [h('p.muted', t('models.ask'))]),
      can_remove ? opener : null,
    ],
    buttons: [button('.btn.primary', {onclick: close}, t('close'))],
    onClose: () => {
      bench.onModel = null;
    },
  });
  if (can_add) own.listen(dialog.element);
  bench.onModel = (model, reported) => {
    coming.update(model);
    const news = stateOf(model, reported);
    if (news === known) return;
    known = news;
    setText(problem, reported);
    if (!model.next) refresh(); // loaded, failed or cancelled
  };
  await showOthers();
  dialog.open(bench.root, dialog.element.querySelector('.df button'));
  if (files.length && can_add) own.take(files, '');
  if (direction && pairs.element.open) pairs.element.scrollIntoView({block: 'nearest'});
};

/**
 * Downloads the recommended model for a direction; shows the models where that is not possible.
 * @param {Parameters<typeof showModels>[0]} bench
 * @param {string} direction
 * @param {string} known its name, if the list of models was read before
 */
const useBest = async (bench, direction, known) => {
  const {connection, notes} = bench;
  bench.focusEditor();
  if (!known) notes.say('info', t('published.reading'), [], {key: 'model offer'});
  const list = known ? null : await connection.send('published_models', {direction, is_update: true});
  notes.take('model offer');
  const name = known || (list?.ok && list.result.models.find(model => model.direction === direction)?.name);
  if (name) await connection.send('download_model', {model: name});
  else if (!list || list.ok) await showModels(bench, direction);
};

/**
 * Offers a model for the document's languages: what the included one is good for, and the size, time and licence of the better
 * one, which one press downloads. Nothing is requested before that.
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'languages' | 'model' | 'notes' | 'onModel' | 'problem' | 'root' |
 *   'rows' | 'say' | 'segment' | 'session' | 'switchTo'>} bench
 * @param {ModelSuggestion} model
 */
export const offerModel = (bench, {direction, name, title, num_bytes, licence, pivot, is_needed}) => {
  const pair = languagesOf(direction);
  const why = t(is_needed ? 'suggestion.needed' : 'suggestion.better', {pair});
  const size = megabytes(num_bytes);
  const language = pivot && languageNames()(pivot);
  bench.notes.say(
    'info',
    pivot
      ? t(num_bytes ? 'suggestion.through' : 'suggestion.through.here', {pair, language, size})
      : title
        ? `${why} ${t('suggestion.model', {title, size, licence, time: count(Math.ceil(num_bytes / BYTES_A_SECOND))})}`
        : `${why} ${t('suggestion.unread')}`,
    [
      .../** @type {NoteAction[]} */ (pivot ? [] : [[t('published.use'), () => useBest(bench, direction, name)]]),
      [t('suggestion.show'), () => showModels(bench, direction)],
      [t('suggestion.later'), () => bench.focusEditor()],
    ],
    {key: 'model offer', stays: true},
  );
};

/* The dialog of the direction: the document begins anew in another one that the model translates, or another model. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, tn} from '../core/dom.js';
import {currentLanguage} from '../core/texts.js';

/** A function from a language's code ("de", "zho_Hans") to its name in the language of the page. */
export const languageNames = () => {
  const names = new Intl.DisplayNames([currentLanguage()], {type: 'language'});
  return (/** @type {string} */ code) => {
    try {
      return names.of(code.replaceAll('_', '-')) ?? code;
    } catch {
      return code;
    }
  }; // a model may have codes of its own
};

/**
 * `other` is the key and the name of the model to begin with; without it, the one in use goes on.
 * @param {Bench} bench
 * @param {ModelOffer | null} [other]
 */
export const showDirections = async (bench, other = null) => {
  bench.segment.flush();
  const model = other?.key ?? null;
  const reply = await bench.connection.send('directions', {model});
  if (!reply.ok) return;
  const {directions} = reply.result;
  const {languages} = bench;
  const nameOf = languageNames();
  const close = () => dialog.close();
  /** @param {string[]} codes */
  const options = codes =>
    codes
      .map(code => [nameOf(code), code])
      .sort(([a], [b]) => a.localeCompare(b, currentLanguage()))
      .map(([name, code]) => h('option', {value: code}, name));
  const source = h(
    'select',
    {
      onchange: () => {
        fill(target.value);
      },
    },
    options(Object.keys(directions)),
  );
  const target = h('select', {onchange: () => paint()});
  const said = h('p.wrong', {role: 'alert'});
  const go = button('.btn.primary', {onclick: () => begin()});
  let isAsked = false; // what is done already was told, and the next press begins

  const paint = () => {
    isAsked = false;
    setText(said, '');
    setText(go, t('direction.go'));
    go.disabled = !other && source.value === languages.source && target.value === languages.target;
  };
  /** @param {string} wanted */
  const fill = wanted => {
    const targets = directions[source.value];
    target.replaceChildren(...options(targets));
    target.value = targets.includes(wanted)
      ? wanted
      : targets.includes(languages.source)
        ? languages.source
        : targets[0];
    paint();
  };
  const begin = async () => {
    const num_done = bench.rows.filter(row => row.source && ['edited', 'confirmed'].includes(row.state)).length;
    if (num_done && !isAsked) {
      isAsked = true;
      setText(said, tn('direction.work', num_done));
      setText(go, t('direction.anew'));
      return;
    }
    const told = {source: nameOf(source.value), target: nameOf(target.value)};
    close();
    if (await bench.switchTo('restart_document', {direction: `${source.value}-${target.value}`, model}))
      bench.say('info', t('direction.done', told));
  };

  const dialog = new Dialog({
    name: 'direction',
    title: t('direction.title'),
    classes: '.small.direction',
    body: [
      other ? h('p', {}, t('direction.with', {name: other.name})) : null,
      h(
        'div.pair',
        {},
        h('label.line', {}, h('span', {}, t('direction.from')), source),
        h('label.line', {}, h('span', {}, t('direction.to')), target),
      ),
      h('p.muted', {}, t('direction.note')),
      said,
    ],
    buttons: [button('.btn', {onclick: close}, t('close')), go],
    onClose: () => bench.focusEditor(),
  });
  source.value = Object.hasOwn(directions, languages.source) ? languages.source : Object.keys(directions)[0];
  fill(languages.target);
  dialog.open(bench.root, source);
};

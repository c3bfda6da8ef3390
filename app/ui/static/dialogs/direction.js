/* The dialog that restarts the document in another language pair, or with another model. */
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
      return code; // not a language tag: the model has its own codes
    }
  };
};

/**
 * `other` is the model to use; without it, the current model.
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'languages' | 'root' | 'rows' | 'say' | 'segment' |
 *   'switchTo'>} bench
 * @param {{key: string, name: string} | null} [other]
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
  const warning = h('p.wrong', {role: 'alert'});
  const go = button('.btn.primary', {onclick: () => begin()});
  let isAsked = false; // the warning was shown: the next press restarts

  const paint = () => {
    isAsked = false;
    setText(warning, '');
    setText(go, t('direction.go'));
    go.disabled = !other && source.value === languages.source && target.value === languages.target;
  };
  /** @param {string} preferred */
  const fill = preferred => {
    const targets = directions[source.value];
    target.replaceChildren(...options(targets));
    target.value = targets.includes(preferred)
      ? preferred
      : targets.includes(languages.source)
        ? languages.source
        : targets[0];
    paint();
  };
  const begin = async () => {
    const num_done = bench.rows.filter(row => row.source && ['edited', 'confirmed'].includes(row.state)).length;
    if (num_done && !isAsked) {
      isAsked = true;
      setText(warning, tn('direction.work', num_done));
      setText(go, t('direction.restart'));
      return;
    }
    const names = {source: nameOf(source.value), target: nameOf(target.value)};
    close();
    if (await bench.switchTo('restart_document', {direction: `${source.value}-${target.value}`, model}))
      bench.say('info', t('direction.done', names));
  };

  const dialog = new Dialog({
    name: 'direction',
    title: t('direction.title'),
    classes: '.small.direction',
    body: [
      other ? h('p', t('direction.with', {name: other.name})) : null,
      h(
        'div.pair',
        h('label.line', h('span', t('direction.from')), source),
        h('label.line', h('span', t('direction.to')), target),
      ),
      h('p.muted', t('direction.note')),
      warning,
    ],
    buttons: [button('.btn', {onclick: close}, t('cancel')), go],
    onClose: () => bench.focusEditor(),
  });
  source.value = Object.hasOwn(directions, languages.source) ? languages.source : Object.keys(directions)[0];
  fill(languages.target);
  dialog.open(bench.root, source);
};

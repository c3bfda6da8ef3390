/* The dialog that makes a pin a term of the document or of the glossary, with the source words that it translates. */
import {Dialog} from '../core/dialog.js';
import {button, h, icon, t, textIn} from '../core/dom.js';

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {string} options.text the pin
 * @param {string} options.source the source of the segment
 * @param {Languages} options.languages
 * @param {string} options.guess the source words that the pin probably translates
 * @param {(scope: 'document' | 'glossary' | 'project', source: string) => void} options.onChoose
 * @param {() => void} options.onClose
 */
const askScope = (root, {text, source, languages, guess, onChoose, onClose}) => {
  const close = () => dialog.close();
  const input = h('input', {
    type: 'text',
    ...textIn(languages.source),
    maxlength: 300,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'pinpoint-scope-wrong',
  });
  const wrong = h('p.wrong', {id: 'pinpoint-scope-wrong', role: 'alert'});
  /** @param {'document' | 'glossary' | 'project'} scope */
  const choose = scope => {
    const words = input.value.trim();
    if (!words || !source.toLowerCase().includes(words.toLowerCase())) {
      wrong.textContent = t('scope.not_in_source', {source});
      input.focus();
      return;
    }
    close();
    onChoose(scope, words);
  };
  const dialog = new Dialog({
    name: 'scope',
    title: t('scope.title', {text}),
    classes: '.small',
    body: [
      h('p', t('scope.lead', {text})),
      h('p.muted', textIn(languages.source), source),
      h('label.line', h('span', t('scope.source')), input),
      wrong,
    ],
    buttons: [
      button('.btn', {onclick: close}, t('scope.cancel')),
      button('.btn', {onclick: () => choose('glossary')}, icon('book'), t('scope.glossary')),
      button('.btn', {onclick: () => choose('project')}, t('scope.project')),
      h('button.btn.primary', {type: 'submit'}, t('scope.document')),
    ],
    onSubmit: () => choose('document'),
    onClose,
  });
  input.value = guess;
  dialog.open(root);
  input.select();
};

/**
 * Makes a pin a term of the document or of the glossary. The dialog suggests the source text that is selected, else the
 * words that the model takes for the pin's source.
 * @param {Pick<Bench, 'focusEditor' | 'languages' | 'root' | 'say' | 'steps'>} bench
 * @param {{text: string | undefined, current: Readonly<CurrentSegment>, chosenSource: string}} options `chosenSource`: what was selected in the source
 */
export const widen = (bench, {text, current, chosenSource}) => {
  const {index, detail, row} = current;
  if (!text) {
    bench.say('info', t('scope.no_pin'));
    return;
  }
  askScope(bench.root, {
    text,
    source: row.source,
    languages: bench.languages,
    guess: chosenSource || detail?.pin_states.find(state => state.text === text)?.source || '',
    onChoose: (scope, source) => bench.steps.term(true, {segment: index, source, target: text, scope}),
    onClose: () => bench.focusEditor(),
  });
};

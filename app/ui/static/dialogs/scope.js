/* The dialog that adds a term: source words and their translation, for the project by default if the document has one. */
import {Dialog} from '../core/dialog.js';
import {button, h, icon, t, textIn} from '../core/dom.js';

/** @typedef {'document' | 'glossary' | 'project'} Scope */

/**
 * A field for one side of the term.
 * @param {string} language
 * @param {string} value
 */
const termInput = (language, value) => {
  const input = h('input', {
    type: 'text',
    ...textIn(language),
    maxlength: 300,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'pinpoint-scope-wrong',
  });
  input.value = value;
  return input;
};

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {string} options.text the translation that is suggested
 * @param {string} options.source the source of the segment
 * @param {Languages} options.languages
 * @param {string} options.guess the source words that it probably translates
 * @param {string} options.project the name of the document's project, "" without one
 * @param {(scope: Scope, source: string, target: string) => void} options.onChoose
 * @param {() => void} options.onClose
 */
const askScope = (root, {text, source, languages, guess, project, onChoose, onClose}) => {
  const close = () => dialog.close();
  const sourceInput = termInput(languages.source, guess);
  const targetInput = termInput(languages.target, text);
  const wrong = h('p.wrong', {id: 'pinpoint-scope-wrong', role: 'alert'});
  /** @param {Scope} scope */
  const choose = scope => {
    const [words, target] = [sourceInput.value.trim(), targetInput.value.trim()];
    const isInSource = words && source.toLowerCase().includes(words.toLowerCase());
    if (!isInSource || !target) {
      wrong.textContent = t(isInSource ? 'scope.no_translation' : 'scope.not_in_source', {source});
      (isInSource ? targetInput : sourceInput).focus();
      return;
    }
    close();
    onChoose(scope, words, target);
  };
  const others = project
    ? [button('.btn', {onclick: () => choose('document')}, t('scope.document_only'))]
    : [
        button('.btn', {onclick: () => choose('glossary')}, icon('book'), t('scope.glossary')),
        button('.btn', {onclick: () => choose('project')}, t('scope.project')),
      ];
  const dialog = new Dialog({
    name: 'scope',
    title: t('scope.title'),
    classes: '.small',
    body: [
      h('p', t('scope.lead')),
      h('p.muted', textIn(languages.source), source),
      h('label.line', h('span', t('scope.source')), sourceInput),
      h('label.line', h('span', t('scope.target')), targetInput),
      wrong,
    ],
    buttons: [
      button('.btn', {onclick: close}, t('cancel')),
      ...others,
      h('button.btn.primary', {type: 'submit'}, project ? t('scope.project') : t('scope.document')),
    ],
    onSubmit: () => choose(project ? 'project' : 'document'),
    onClose,
  });
  dialog.open(root);
  (guess && !text ? targetInput : sourceInput).select();
};

/**
 * Adds a term. The dialog suggests the source text that is selected, else the words that the model takes for the source of
 * the translation.
 * @param {Pick<Bench, 'document' | 'focusEditor' | 'languages' | 'root' | 'steps'>} bench
 * @param {{text: string, current: Readonly<CurrentSegment>, chosenSource: string}} options `text`: the translation that is
 *   suggested; `chosenSource`: what was selected in the source
 */
export const widen = (bench, {text, current, chosenSource}) => {
  const {index, detail, row} = current;
  askScope(bench.root, {
    text,
    source: row.source,
    languages: bench.languages,
    guess: chosenSource || detail?.pin_states.find(state => state.text === text)?.source || '',
    project: bench.document.project.name,
    onChoose: (scope, source, target) => bench.steps.term(true, {segment: index, source, target, scope}),
    onClose: () => bench.focusEditor(),
  });
};

/* Where a pin is required: a small dialog that names the words of the source that it translates. */
import {button, h, icon, t} from './dom.js';

/** guess: what the model takes for the pin's source words; onChoose(scope, source): "document" or "glossary". */
export const askScope = (root, {text, source, languages, guess, onChoose, onClose}) => {
  const close = () => { dialog.close(); dialog.remove(); onClose(); };
  const input = h('input', {type: 'text', lang: languages.source, maxlength: 300, autocomplete: 'off', spellcheck: 'false', 'aria-describedby': 'pinpoint-scope-wrong'});
  const wrong = h('p.wrong', {id: 'pinpoint-scope-wrong', role: 'alert'});
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
  const form = h('form', {method: 'dialog', onsubmit: event => { event.preventDefault(); choose('document'); }},
    h('div.dh', {}, h('h2', {id: 'pinpoint-scope'}, t('scope.title', {text})), button('.x', {'aria-label': t('close'), onclick: close}, icon('x'))),
    h('div.db', {}, h('p', {}, t('scope.lead', {text})), h('p.muted', {lang: languages.source, dir: 'auto'}, source),
      h('label.line', {}, h('span', {}, t('scope.source')), input), wrong),
    h('div.df', {}, button('.btn', {onclick: close}, t('scope.cancel')), button('.btn', {onclick: () => choose('glossary')}, icon('book'), t('scope.glossary')),
      h('button.btn.primary', {type: 'submit'}, t('scope.document'))));
  const dialog = h('dialog.small', {'aria-labelledby': 'pinpoint-scope', oncancel: event => { event.preventDefault(); close(); }}, form);
  input.value = guess;
  root.append(dialog);
  dialog.showModal();
  input.select();
};

/* What a person types while another document is on its way belongs to that document, not to the text that they have left. */
import {h, t} from '../core/dom.js';
import {insertText} from './text_commands.js';

const MAX_WAIT_MS = 5000; // then the typed text returns to the field that is shown, where it is visible and stored

/**
 * Shows another document. Text that is typed in the edit field until then is inserted where the caret is afterwards.
 * @template T
 * @param {Pick<Bench, 'root' | 'segment'>} bench
 * @param {() => Promise<T>} show
 * @returns {Promise<T>}
 */
export const keepingTyped = async ({root, segment}, show) => {
  const {text} = segment;
  if (document.activeElement !== text.field.area) return show();
  const catcher = h('input.sr', {'aria-label': t('joined.coming')});
  const release = () => {
    clearTimeout(timer);
    removeEventListener('pagehide', release);
    const typed = catcher.value;
    catcher.value = '';
    if (document.activeElement === catcher) segment.focusField();
    catcher.remove();
    if (!typed) return;
    segment.caret = null; // it has been used
    insertText(text, typed);
  };
  const timer = setTimeout(release, MAX_WAIT_MS);
  addEventListener('pagehide', release);
  root.append(catcher);
  catcher.focus({preventScroll: true});
  try {
    return await show();
  } finally {
    release();
  }
};

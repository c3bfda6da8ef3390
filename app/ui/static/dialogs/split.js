/* The dialog that splits a segment: a slider that moves from word to word, and the two parts. */
import {Dialog} from '../core/dialog.js';
import {button, h, setText, t, textIn} from '../core/dom.js';
import {wordStarts} from '../core/words.js';

/**
 * @param {Pick<Bench, 'focusEditor' | 'languages' | 'root' | 'say'>} bench
 * @param {{source: string, place: number | null, onChoose: (offset: number) => void}} options
 */
export const askSplit = (bench, {source, place, onChoose}) => {
  const cuts = wordStarts(source);
  if (!cuts.length) {
    bench.say('info', t('split.nowhere'));
    return;
  }
  const close = () => dialog.close();
  /** @param {number} offset */
  const nearest = offset =>
    cuts.reduce((best, cut, i) => (Math.abs(cut - offset) < Math.abs(cuts[best] - offset) ? i : best), 0);
  const sentenceEnd = /[.!?;:]\s+|[。！？；]/.exec(source);
  const first = h('p.part', textIn(bench.languages.source));
  const second = h('p.part', textIn(bench.languages.source));
  const bar = h('input', {
    type: 'range',
    min: 0,
    max: cuts.length - 1,
    'aria-label': t('split.bar'),
    oninput: () => show(),
  });
  bar.value = String(nearest(place || (sentenceEnd ? sentenceEnd.index + sentenceEnd[0].length : source.length / 2)));
  const show = () => {
    const cut = cuts[bar.valueAsNumber];
    setText(first, source.slice(0, cut).trimEnd());
    setText(second, source.slice(cut));
    bar.setAttribute('aria-valuetext', `${first.textContent} | ${second.textContent}`);
  };
  const choose = () => {
    const cut = cuts[bar.valueAsNumber];
    close();
    onChoose([...source.slice(0, cut)].length);
  };
  const dialog = new Dialog({
    name: 'split',
    title: t('split.title'),
    classes: '.small',
    body: [h('p.muted', t('split.hint')), bar, first, second],
    buttons: [button('.btn', {onclick: close}, t('cancel')), h('button.btn.primary', {type: 'submit'}, t('split.do'))],
    onSubmit: choose,
    onClose: () => bench.focusEditor(),
  });
  show();
  dialog.open(bench.root, bar);
};

/* Draws the words of a proposal: pins as one shape each, banned words where they would have been, terms, tags, doubts. */
import {chip, tagOf, withChips} from '../core/chips.js';
import {h, icon, sr, t} from '../core/dom.js';
import {percent} from '../core/texts.js';
import {shown} from '../core/unseen.js';

const DOUBTS = [0.25, 0.5, 0.8]; // below each, a word is underlined more heavily

/**
 * @typedef {object} Look
 * @property {Tags} tags
 * @property {number} current the word that Tab reaches
 * @property {number[] | null} confidence of each word, 0 to 1, if it is shown
 * @property {string[]} origins where each word comes from; '' for the model's own
 */

/**
 * @param {Run[]} tokens joined, their texts are the proposal; {t: '', ban} marks the place of a banned word
 * @param {Look} look
 */
export const proposalNodes = (tokens, look) => {
  const parts = tokens.map((token, i) => piece(token, tokens.findIndex(other => other.w === token.w) === i, look));
  const nodes = [];
  for (let i = 0; i < tokens.length; ) {
    const first = i;
    const {pin, at} = tokens[i];
    i++;
    if (pin === undefined) {
      nodes.push(parts[first]);
      continue;
    }
    while (i < tokens.length && tokens[i].pin === pin && tokens[i].at === at) i++;
    const [head, ...rest] = parts.slice(first, i);
    nodes.push(h('span.pin', {title: t('proposal.pinned.title')}, sr(t('proposal.pinned.sr')), head, rest));
  }
  return nodes;
};

/**
 * @param {Run} token
 * @param {boolean} isFirst whether the word begins here
 * @param {Look} look
 */
const piece = (token, isFirst, {tags, current, confidence, origins}) => {
  if (token.ban)
    return h(
      'span.nw.struck',
      {},
      h('span.banned', {title: t('bans.struck')}, icon('ban'), sr(t('bans.sr')), token.ban),
      ' ',
    );
  if (token.gone !== undefined)
    return h(
      'span.gone',
      {title: t('proposal.gone', {text: token.gone})},
      sr(t('proposal.gone.sr', {text: token.gone})),
    );
  const tag = tagOf(token.t, tags);
  if (token.w === undefined)
    return tag
      ? chip(token.t, tag)
      : token.tag
        ? h('span.asis', {title: t('kept.title'), dir: 'ltr'}, token.t)
        : token.t.includes('{')
          ? h('span', {}, withChips(token.t, tags))
          : document.createTextNode(token.t);
  return h(
    `span.w${token.kept && !tag ? '.asis' : ''}${token.is_term ? '.term' : ''}${token.new ? '.new' : ''}`,
    {
      'data-word': token.w,
      dir: token.kept ? 'ltr' : null,
      role: 'button',
      tabindex: isFirst && token.w === current ? 0 : -1,
      'aria-pressed': String(token.pin !== undefined),
      ...described(
        token.kept ? undefined : confidence?.[token.w],
        token.kept ? '' : (origins[token.w] ?? ''),
        token.new ? t(token.was ? 'proposal.was' : 'proposal.added', {text: token.was ?? ''}) : '',
      ),
    },
    tag ? chip(token.t, tag) : shown(token.t),
    token.terms && h('span.mk', {title: t('proposal.term.title')}, icon('check'), sr(t('proposal.term.sr'))),
  );
};

/**
 * The attributes of a word: the model's confidence, also as a pattern under the word, where the word comes
 * from, and what has changed.
 * @param {number | undefined} probability
 * @param {string} origin
 * @param {string} change
 */
const described = (probability, origin, change) => {
  const hasDoubt = probability !== undefined;
  const confidence = hasDoubt ? t('confidence.word', {percent: percent(probability)}) : '';
  const known = [change, confidence, origin].filter(Boolean).join('\n') || null;
  const level = hasDoubt ? DOUBTS.findIndex(limit => probability < limit) : -1;
  return {
    title: known,
    'aria-description': known,
    'data-doubt': level < 0 ? null : DOUBTS.length - level,
  };
};

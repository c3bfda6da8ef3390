/* One row of the segment list: its icon, what is special about it, and its elements. */
import {withChips} from '../core/chips.js';
import {button, h, icon, sr, t, textIn, tn} from '../core/dom.js';
import {scoreTitle, sureWord} from '../core/fit.js';
import {shown, shownParts} from '../core/unseen.js';

const ICONS = {new: 'todo', pretranslated: 'proposal', edited: 'draft', confirmed: 'confirmed'};
const REVIEW_ICONS = {approved: 'approved', returned: 'undo'};

/**
 * The row as a project without review shows it.
 * @param {Row} row
 * @returns {Row}
 */
export const withoutReview = row => (row.review ? {...row, review: ''} : row);

/**
 * The rate of the match of the memory that a row shows, in percent; 0 without one.
 * @param {Row} row
 */
export const matchOf = row => (row.source && (row.is_from_memory || row.state !== 'confirmed') ? row.match_rate : 0);

/**
 * True if a translator still has to confirm the segment.
 * @param {Row} row
 */
export const isOpen = row => row.state !== 'confirmed' && !row.is_locked;

/**
 * True if a reviewer still has to approve or return the segment.
 * @param {Row} row
 */
export const isToReview = row => row.state === 'confirmed' && row.review !== 'approved' && !row.is_locked;

/**
 * The icon of a row, and the name of its state.
 * @param {Row} row
 */
const rowState = row => ({
  icon: row.is_locked
    ? 'locked'
    : row.attention
      ? 'problem'
      : row.is_queued
        ? 'queued'
        : row.review
          ? REVIEW_ICONS[row.review]
          : ICONS[row.state],
  label:
    t(`state.${row.is_locked ? 'locked' : row.is_queued && row.state === 'new' ? 'queued' : row.review || row.state}`) +
    (row.attention ? `. ${row.attention}` : ''),
});

/**
 * The mark of a row, the most important one first; an untouched proposal has its match in the memory, else its score.
 * `title` is a sentence for what is shown, if that is not a sentence itself.
 * @param {Row} row
 * @returns {[icon: string, text: string, colour: string, title?: string]}
 */
const badge = row => {
  if (row.is_locked) return ['', t('meta.locked'), ''];
  if (row.attention) return ['problem', row.attention, '.warn'];
  if (row.num_pins) return ['lock', tn('meta.pins', row.num_pins), '.pinned'];
  if (row.review) return [REVIEW_ICONS[row.review], t(`state.${row.review}`), row.review === 'returned' ? '.warn' : ''];
  if (row.is_repetition) return ['redo', t('meta.repetition'), ''];
  if (row.is_from_memory)
    return ['memory', t('meta.memory', {n: row.match_rate}), '.match', t('meta.filled', {n: row.match_rate})];
  if (row.state === 'edited') return ['draft', t('meta.edited'), ''];
  if (row.match_rate && row.state !== 'confirmed')
    return ['memory', t('memory.rate', {n: row.match_rate}), '.match', t('meta.match', {n: row.match_rate})];
  return ['', row.state === 'pretranslated' && row.score != null ? sureWord(row.score) : '', ''];
};

/**
 * The elements of a row; the marks of the search stand out. `isNear`: it is
 * one of those around the open segment, and shows its whole text. `isStop`:
 * Tab leads to it.
 * @param {Row} row
 * @param {{ownNumber: number, isNear: boolean, isStop: boolean, languages: Bench['languages'],
 *   finder: import('../core/finder.js').Finder | null}} view
 */
export const rowElement = (row, {ownNumber, isNear, isStop, languages, finder}) => {
  const {icon: iconName, label} = rowState(row);
  const isTodo = row.state === 'new' || row.state === 'pretranslated';
  const [badgeIcon, meta, colour, title] = badge(row);
  /** @param {string} text */
  const draw = text => withChips(text, row.tags, part => (finder ? shownParts(finder.split(part)) : shown(part)));
  return button(
    `.row${isNear ? '.near' : ''}${row.is_locked ? '.locked' : isTodo ? '.todo' : ''}`,
    {'data-index': row.index, 'data-state': row.state, tabindex: isStop ? 0 : -1},
    h('span.no.num', String(ownNumber)),
    h(`span.st.${iconName}`, {title: label}, icon(iconName), sr(`${label}. `)),
    h('span.src', textIn(languages.source), draw(row.source)),
    row.target != null
      ? h('span.tgt', textIn(languages.target), draw(row.target))
      : h('span.tgt.wait', row.is_queued ? t('state.queued') : row.attention ? t('row.failed') : '\u2013'),
    h(
      `span.meta.num${colour}`,
      {title: title ?? (badgeIcon ? meta : meta && row.score != null && !row.is_locked ? scoreTitle(row.score) : '')},
      row.assignee
        ? h(
            'span.mark.who',
            {title: t('assign.mark', {name: row.assignee})},
            icon('person', true),
            sr(`${t('assign.mark', {name: row.assignee})}. `),
          )
        : null,
      row.is_commented
        ? h('span.mark', {title: t('comment.mark')}, icon('comment', true), sr(`${t('comment.mark')}. `))
        : null,
      badgeIcon ? icon(badgeIcon, true) : null,
      title ? [h('span', {'aria-hidden': 'true'}, meta), sr(title)] : meta,
    ),
  );
};

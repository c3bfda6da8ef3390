/* The elements of the open segment; its buttons call the segment's commands. */
import {button, h, icon, t} from '../core/dom.js';
import {hint, shortcut} from '../core/key_bindings.js';
import {choice, menu} from '../core/menu.js';
import {openCharacters} from '../dialogs/characters.js';
import {insertText} from './text_commands.js';

/**
 * @param {Segment} segment
 * @returns {SegmentLayout}
 */
export const buildLayout = segment => {
  /**
   * @param {string | null} iconName
   * @param {string} label
   * @param {string} name
   * @param {() => unknown} onclick
   * @param {string} [classes]
   */
  const action = (iconName, label, name, onclick, classes = '') =>
    button(`.btn${classes}`, {onclick, ...shortcut(name)}, iconName && icon(iconName), label, hint(name));
  const alternatives = action('list', t('action.alternatives'), 'alternatives', () => segment.offers.askAlternatives());
  alternatives.addEventListener('mousedown', event => event.preventDefault()); // the word keeps the focus
  /**
   * A button that pins or bans; the words that are selected stay so.
   * @param {string} name
   * @param {string} label
   * @param {string} title
   * @param {() => unknown} onclick
   */
  const constrain = (name, label, title, onclick) =>
    button(
      '.btn.small',
      {onclick, onmousedown: event => event.preventDefault(), title, ...(name ? shortcut(name) : {})},
      label,
      name && hint(name),
    );
  const more = menu(
    t('action.more'),
    button('.btn', {title: t('action.more.title')}, t('action.more'), icon('more', true)),
    () => {
      const {marks, view, comment} = segment;
      const {barrier} = segment.current;
      const confidence = choice('problem', t('confidence.show'), t('confidence.title'), () => {
        view.toggleConfidence();
        segment.focusField();
      });
      confidence.setAttribute('role', 'menuitemcheckbox');
      confidence.setAttribute('aria-checked', String(marks.showsConfidence));
      if (marks.showsConfidence) confidence.firstElementChild?.replaceWith(icon('check'));
      /** @type {[HTMLElement, string][]} */
      const choices = [
        [choice('comment', t('comment.menu'), t('comment.title'), () => comment.edit()), 'comment'],
        [
          choice(
            'keys',
            t('characters.menu'),
            barrier,
            barrier ? null : () => openCharacters(segment.bench, text => insertText(segment.text, text)),
          ),
          'characters',
        ],
        [confidence, 'confidence'],
        [choice('split', t('split.title'), barrier, barrier ? null : () => segment.split()), 'split'],
        [choice('merge', t('merge.title'), barrier, barrier ? null : () => segment.merge()), 'merge'],
      ];
      if (segment.bench.document.project.may_lock) {
        const label = t(segment.current.isLocked ? 'lock.unlock' : 'lock.lock');
        choices.push([choice('locked', label, t('lock.title'), () => segment.lock()), 'lock']);
      }
      for (const [element, name] of choices) element.append(hint(name));
      return choices.map(([element]) => element);
    },
  );
  more.classList.add('up');
  const rest = action('again', t('action.rest'), 'rest', () => segment.rest.ask());
  const no = h('span.no.num');
  const stateIcon = h('span.st');
  const sourceHost = h('div', {
    onclick: event => {
      const text = event.target.closest('[data-insert]')?.getAttribute('data-insert');
      const selection = getSelection();
      const isSelecting = selection && !selection.isCollapsed && sourceHost.contains(selection.anchorNode);
      if (text && !isSelecting) insertText(segment.text, text);
    },
  });
  const sourceNote = h('p.muted', {hidden: true, dir: 'auto'});
  const betweenLabel = h('summary');
  const betweenText = h('p');
  const between = h('details.between', {hidden: true, title: t('between.title')}, betweenLabel, betweenText);
  const sourceCount = h('span.end.num');
  const scoreNote = h('span.scoreval.num');
  const freeNote = h('span');
  const freeButton = button('.link', {onclick: () => segment.constraints.toggleFree(), ...shortcut('free')});
  const free = h('span.follows', {hidden: true}, freeNote, freeButton, hint('free'));
  const fieldNote = h('span.end');
  const limitStatus = h('span.sr', {role: 'status'}); // says once that the text is too long
  const notices = h('div', {role: 'status'});
  const pinInput = h('input', {
    type: 'text',
    placeholder: t('pins.add.placeholder'),
    'aria-label': t('pins.add.label'),
    maxlength: 300,
    autocomplete: 'off',
    spellcheck: 'false',
    onkeydown: event => {
      if (event.key === 'Enter' && !event.isComposing && !event.ctrlKey) {
        event.preventDefault();
        event.stopPropagation();
        segment.pinTyped();
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        segment.source.cancel();
        segment.focusField();
      }
    },
  });
  const reopenButton = button('.btn.reopen', {onclick: () => segment.reopen()}, icon('undo'), t('action.reopen'));
  const undoButton = button(
    '.btn.iconly',
    {onclick: () => segment.step(true), title: t('action.undo'), 'aria-label': t('action.undo'), ...shortcut('undo')},
    icon('undo'),
  );
  const redoButton = button(
    '.btn.iconly',
    {onclick: () => segment.step(false), title: t('action.redo'), 'aria-label': t('action.redo'), ...shortcut('redo')},
    icon('redo'),
  );
  const grid = h(
    'div.edit-grid',
    no,
    stateIcon,
    h(
      'div.cell-src',
      h('div.lab', h('b', t('source.label')), sourceCount),
      sourceHost,
      sourceNote,
      between,
      h(
        'div.ledger',
        segment.ledger.total,
        segment.ledger.list,
        h(
          'div.addpin',
          icon('lock', true),
          pinInput,
          constrain('pin', t('pins.add'), t('pins.add.title'), () => segment.pinTyped()),
          constrain('', t('bans.add'), t('bans.add.title'), () => segment.banTyped()),
        ),
      ),
    ),
    h(
      'div.cell-tgt',
      h(
        'div.lab',
        h('b', t('field.label')),
        segment.text.field.tagNote,
        segment.checks.link,
        segment.completion.hint,
        segment.revision.element,
        fieldNote,
        limitStatus,
      ),
      segment.text.field.element,
      notices,
      segment.completion.announcement,
      segment.revision.announcement,
      segment.offers.question,
      segment.checks.element,
      segment.comment.element,
      segment.review.element,
    ),
  );
  const actions = h(
    'div.actions',
    rest,
    alternatives,
    undoButton,
    redoButton,
    more,
    reopenButton,
    h('span.sp'),
    segment.confirmation.status,
    segment.review.returnButton,
    segment.review.approveButton,
    action(null, t('action.confirm'), 'confirm', () => segment.confirmation.press(), '.primary'),
  );
  segment.offers.hypotheses.head.append(free, h('span.end'), segment.origins.element, scoreNote);
  const element = h(
    'section.editor',
    h('div.desk', grid, segment.offers.hypotheses.element, segment.offers.alternatives.element, segment.bar.element),
    actions,
  );
  return {
    columns: grid,
    no,
    stateIcon,
    sourceHost,
    sourceNote,
    between,
    betweenLabel,
    betweenText,
    sourceCount,
    scoreNote,
    free,
    freeNote,
    freeButton,
    fieldNote,
    limitStatus,
    notices,
    pinInput,
    reopenButton,
    undoButton,
    redoButton,
    changing: [rest, alternatives, freeButton],
    element,
  };
};

/* The elements of the open segment; its buttons call the segment's commands. */
import {button, h, icon, t} from '../core/dom.js';
import {hint, shortcut} from '../core/key_bindings.js';
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
  const no = h('span.no.num', {});
  const stateIcon = h('span.st', {});
  const sourceHost = h('div', {
    onclick: event => {
      const text = event.target.closest('[data-insert]')?.getAttribute('data-insert');
      if (text && getSelection()?.isCollapsed !== false) insertText(segment.text, text);
    },
  });
  const sourceNote = h('p.muted', {hidden: true, dir: 'auto'});
  const sourceCount = h('span.end.num', {});
  const proposalNote = h('span.end.num', {});
  const useProposal = button(
    '.link',
    {
      onclick: () => {
        const [first] = segment.offers.hypotheses.rows;
        if (first) segment.offers.take(first);
      },
    },
    t('proposal.use'),
  );
  const confidenceButton = button(
    '.link',
    {
      onclick: () => segment.view.toggleConfidence(),
      title: t('confidence.title'),
      'aria-pressed': 'false',
      ...shortcut('confidence'),
    },
    t('confidence.show'),
  );
  const freeButton = button(
    '.link',
    {
      onclick: () => segment.constraints.toggleFree(),
      title: t('free.title'),
      'aria-pressed': 'false',
      ...shortcut('free'),
    },
    t('free'),
  );
  const fieldNote = h('span.end', {});
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
        segment.addTyped(text => segment.constraints.pin(text));
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        segment.focusField();
      }
    },
  });
  const banButton = button(
    '.btn',
    {onclick: () => segment.banSelection(), onmousedown: event => event.preventDefault(), title: t('action.ban.title')},
    icon('ban'),
    t('action.ban'),
  );
  const reopenButton = button('.btn', {onclick: () => segment.reopen()}, icon('undo'), t('action.reopen'));
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
    {},
    no,
    stateIcon,
    h(
      'div.cell-src',
      {},
      h(
        'div.lab',
        {},
        h('b', {}, t('source.label')),
        button(
          '.link',
          {
            onclick: () => segment.split(),
            onmousedown: event => event.preventDefault(),
            title: t('split.title'),
            ...shortcut('split'),
          },
          t('split.link'),
        ),
        button(
          '.link',
          {onclick: () => segment.merge(), title: t('merge.title'), ...shortcut('merge')},
          t('merge.link'),
        ),
        sourceCount,
      ),
      sourceHost,
      sourceNote,
      h(
        'div.ledger',
        {},
        segment.ledger.total,
        segment.ledger.list,
        h(
          'div.addpin',
          {},
          icon('lock', true),
          pinInput,
          button('.btn.small', {onclick: () => segment.addTyped(text => segment.constraints.pin(text))}, t('pins.add')),
          button('.btn.small', {onclick: () => segment.addTyped(text => segment.constraints.ban(text))}, t('bans.add')),
        ),
      ),
    ),
    h(
      'div.cell-tgt',
      {},
      h('div.lab', {}, h('b', {}, t('proposal.label')), useProposal, freeButton, confidenceButton, proposalNote),
      segment.proposal.element,
      notices,
      h(
        'div.lab',
        {},
        h('b', {}, t('field.label')),
        segment.checks.link,
        segment.comment.link,
        segment.completion.hint,
        segment.revision.element,
        fieldNote,
      ),
      segment.text.field.element,
      segment.completion.announcement,
      segment.revision.announcement,
      segment.offers.question,
      segment.checks.element,
      segment.comment.element,
    ),
  );
  const actions = h(
    'div.actions',
    {},
    action('lock', t('action.pin'), 'pin', () => segment.pinSelection()),
    banButton,
    action('again', t('action.rest'), 'rest', () => segment.rest.ask()),
    alternatives,
    undoButton,
    redoButton,
    reopenButton,
    h('span.sp', {}),
    segment.confirmation.status,
    action(null, t('action.confirm'), 'confirm', () => segment.confirmation.press(), '.primary'),
  );
  const element = h(
    'section.editor',
    {},
    h('div.desk', {}, grid, segment.offers.hypotheses.element, segment.offers.alternatives.element),
    actions,
  );
  return {
    no,
    stateIcon,
    sourceHost,
    sourceNote,
    sourceCount,
    proposalNote,
    useProposal,
    confidenceButton,
    freeButton,
    fieldNote,
    notices,
    pinInput,
    banButton,
    reopenButton,
    undoButton,
    redoButton,
    element,
  };
};

/* The elements of the open segment, and which button does what. */
import {button, h, icon, t} from '../core/dom.js';
import {hint, shortcut} from '../core/key_bindings.js';
import {isConfidenceKept, showConfidence, toggleConfidence} from './confidence.js';

export const buildSegment = segment => {
  const action = (iconName, label, name, onclick, classes = '') =>
    button(`.btn${classes}`, {onclick, ...shortcut(name)}, iconName && icon(iconName), label, hint(name));
  const alternatives = action('list', t('action.alternatives'), 'alternatives', () => segment.offers.askAlternatives());
  alternatives.addEventListener('mousedown', event => event.preventDefault()); // the word keeps the focus
  segment.no = h('span.no.num', {});
  segment.stateIcon = h('span.st', {});
  segment.sourceHost = h('div', {});
  segment.sourceNote = h('p.muted', {hidden: true, dir: 'auto'});
  segment.sourceCount = h('span.end.num', {});
  segment.proposalNote = h('span.end.num', {});
  segment.useProposal = button(
    '.link',
    {
      onclick: () => {
        const [first] = segment.offers.hypotheses.rows;
        if (first) segment.offers.take(first);
      },
    },
    t('proposal.use'),
  );
  segment.confidenceButton = button(
    '.link',
    {
      onclick: () => toggleConfidence(segment),
      title: t('confidence.title'),
      'aria-pressed': 'false',
      ...shortcut('confidence'),
    },
    t('confidence.show'),
  );
  showConfidence(segment, isConfidenceKept());
  segment.fieldNote = h('span.end', {});
  segment.said = h('div', {role: 'status'});
  segment.pinInput = h('input', {
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
        segment.addTyped(text => segment.pin(text));
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        segment.focusField();
      }
    },
  });
  segment.banButton = button(
    '.btn',
    {onclick: () => segment.banSelection(), onmousedown: event => event.preventDefault(), title: t('action.ban.title')},
    icon('ban'),
    t('action.ban'),
  );
  segment.reopenButton = button('.btn', {onclick: () => segment.reopen()}, icon('undo'), t('action.reopen'));
  segment.undoButton = button(
    '.btn.iconly',
    {onclick: () => segment.step(true), title: t('action.undo'), 'aria-label': t('action.undo'), ...shortcut('undo')},
    icon('undo'),
  );
  segment.redoButton = button(
    '.btn.iconly',
    {onclick: () => segment.step(false), title: t('action.redo'), 'aria-label': t('action.redo'), ...shortcut('redo')},
    icon('redo'),
  );
  segment.element = h(
    'section.editor',
    {},
    h(
      'div.edit-grid',
      {},
      segment.no,
      segment.stateIcon,
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
          segment.sourceCount,
        ),
        segment.sourceHost,
        segment.sourceNote,
        h(
          'div.ledger',
          {},
          segment.ledger.total,
          segment.ledger.list,
          h(
            'div.addpin',
            {},
            icon('lock', true),
            segment.pinInput,
            button('.btn.small', {onclick: () => segment.addTyped(text => segment.pin(text))}, t('pins.add')),
            button('.btn.small', {onclick: () => segment.addTyped(text => segment.ban(text))}, t('bans.add')),
          ),
        ),
      ),
      h(
        'div.cell-tgt',
        {},
        h(
          'div.lab',
          {},
          h('b', {}, t('proposal.label')),
          segment.useProposal,
          segment.confidenceButton,
          segment.proposalNote,
        ),
        segment.proposal.line,
        segment.said,
        h(
          'div.lab',
          {},
          h('b', {}, t('field.label')),
          segment.completion.hint,
          segment.checks.link,
          segment.comment.link,
          segment.fieldNote,
        ),
        segment.field.element,
        segment.completion.said,
        segment.offers.question,
        segment.checks.element,
        segment.comment.element,
      ),
    ),
    h(
      'div.actions',
      {},
      action('lock', t('action.pin'), 'pin', () => segment.pinSelection()),
      segment.banButton,
      action('again', t('action.rest'), 'rest', () => segment.rest.ask()),
      alternatives,
      segment.undoButton,
      segment.redoButton,
      segment.reopenButton,
      h('span.sp', {}),
      action(null, t('action.confirm'), 'confirm', () => segment.confirm(), '.primary'),
    ),
    segment.offers.hypotheses.element,
    segment.offers.alternatives.element,
  );
};

/* Text that was typed in this browser and never reached the server, for example because the browser crashed. */
import {t, tn} from '../core/dom.js';
import {drafts} from '../core/storage.js';

/**
 * Sends the drafts of this session to the server and reports it. If a text changed elsewhere since, the person decides.
 * @param {Pick<Bench, 'session' | 'rows' | 'numberOf' | 'notes' | 'connection' | 'segment' | 'status'>} page
 */
export const restoreDrafts = page => {
  const {token} = page.session;
  const restored = [];
  for (const {index, text, base} of drafts.list(token)) {
    const row = page.rows[index];
    const current = row && ['edited', 'confirmed'].includes(row.state) ? row.target : null;
    if (!row?.source || current === text) drafts.drop(token, index);
    else if (current === null || current === base) {
      restore(page, index, text);
      restored.push(page.numberOf(index));
    } else {
      page.notes.say(
        'warn',
        t('restored.conflict', {where: page.numberOf(index), text}),
        [
          [t('restored.use'), () => restore(page, index, text)],
          [
            t('restored.drop'),
            () => {
              drafts.drop(token, index);
              page.status.update();
            },
          ],
        ],
        {key: `draft ${index}`, isQuestion: true},
      );
    }
  }
  if (restored.length) page.notes.say('info', tn('restored', restored.length, {where: restored.join(', ')}));
};

/**
 * Another window has changed the text of a segment meanwhile, and the server has refused this one: the person decides.
 * The field of the open segment counts only while it shows the refused text; another visit shows the stored one.
 * @param {Pick<Bench, 'session' | 'notes' | 'connection' | 'segment' | 'rows' | 'numberOf' | 'status'>} page
 * @param {number} index
 * @param {string} text
 * @param {string} message
 */
export const askWhichText = (page, index, text, message) => {
  const {session, segment} = page;
  page.notes.say(
    'warn',
    `${t('overtaken', {n: page.numberOf(index)})} ${message}\n${t('overtaken.own', {text})}`,
    [
      [
        t('overtaken.mine'),
        () => restore(page, index, index === session.open && segment.text.isUnsaved ? segment.text.value : text),
      ],
      [
        t('overtaken.theirs'),
        () => {
          drafts.drop(session.token, index);
          if (index === session.open) segment.text.giveUp();
          page.status.update();
        },
      ],
    ],
    {key: `overtaken ${index}`, isQuestion: true},
  );
};

/**
 * @param {Pick<Bench, 'session' | 'connection' | 'segment'>} page
 * @param {number} index
 * @param {string} text
 */
const restore = async ({session, connection, segment}, index, text) => {
  const {token, open} = session;
  if (index === open) segment.text.show(text);
  const reply = await connection.send('edit', {segment: index, text, origin: 'restored'}, `edit:${index}`);
  if (reply.ok) drafts.drop(token, index);
};

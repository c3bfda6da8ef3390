/* Notices about the person's work as texts. */
import {t, tn} from './texts.js';

/**
 * A notice as a sentence.
 * @param {Notice} notice
 */
export const noticeText = ({kind, sender, document: name, num_segments: n}) => {
  const values = {name, sender: sender || t('news.owner')};
  return n ? tn(`news.${kind}`, n, values) : t(`news.${kind}.whole`, values);
};

/**
 * The mark of a document in the list of documents: null if its person knows it.
 * @param {Notice[]} notices
 * @param {number} session
 */
export const newsMark = (notices, session) => {
  const kinds = notices.filter(notice => notice.session === session).map(notice => notice.kind);
  if (kinds.includes('returned')) return t('news.mark.returned');
  return kinds.includes('assigned') ? t('news.mark.assigned') : null;
};

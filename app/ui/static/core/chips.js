/* Inline tags as chips: {1} is drawn as its name, such as "B" or "link". The text itself stays, so that it can be copied
   and compared. */
import {h, t} from './dom.js';
import {shown} from './unseen.js';

const TAG = /(\{\/?\d+\})/;

/**
 * The parts of a text: what is written as a tag, and the text between.
 * @param {string} text
 */
const splitAtTags = text =>
  text
    .split(TAG)
    .filter(Boolean)
    .map(part => ({text: part, isTag: TAG.test(part)}));

/**
 * A text with its tags as chips; other texts as `draw` returns them.
 * @param {string} text
 * @param {Tags} tags those of the segment's source
 * @param {(text: string) => Child} [draw]
 * @returns {Child}
 */
export const withChips = (text, tags, draw = shown) =>
  partsOf(text, tags).map(part => (part.tag ? chip(part.text, part.tag) : draw(part.text)));

/**
 * The parts of a text: tags of the source, and the text between them.
 * @param {string} text
 * @param {Tags} tags
 * @returns {{text: string, tag?: Tags[string]}[]}
 */
export const partsOf = (text, tags) =>
  splitAtTags(text).map(part => (part.isTag ? {text: part.text, tag: tags[numberOf(part.text)]} : {text: part.text}));

/**
 * The tag that a text is, as a whole, or undefined.
 * @param {string} text
 * @param {Tags} tags
 * @returns {Tags[string] | undefined}
 */
export const tagOf = (text, tags) => (/^\{\/?\d+\}$/.test(text) ? tags[numberOf(text)] : undefined);

/** @param {string} text */
const numberOf = text => text.replace(/\D/g, '');

/**
 * The description of a tag: its name, the tag itself, and its content in the file.
 * @param {string} text `{1}` or `{/1}`
 * @param {Tags[string]} tag
 */
export const tagLabel = (text, {name, content}) => `${name || t('tag')} ${text}: ${content}`;

/**
 * The chip of one tag. Its content in the file is shown on hover and while it has the focus, and read to screen readers.
 * @param {string} text `{1}` or `{/1}`
 * @param {Tags[string]} tag
 * @param {Attributes} [attributes]
 */
export const chip = (text, tag, attributes = {}) =>
  h(
    `span.chip.${sideOf(text)}`,
    {'data-name': tag.name || numberOf(text), title: tagLabel(text, tag), dir: 'ltr', ...attributes},
    text,
  );

/** @param {string} text */
export const sideOf = text => (text.startsWith('{/') ? 'end' : 'start');

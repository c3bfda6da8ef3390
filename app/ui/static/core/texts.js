/* The texts of the page by key, from texts.LANGUAGE.json, and numbers and times in the format of the language: the
   browser's language, or the one chosen in the page. */
import {readStored, writeStored} from './storage.js';

/**
 * Languages that have a file texts.LANGUAGE.json, with their names in the menu.
 * @type {Record<string, string>}
 */
export const LANGUAGES = {en: 'English', de: 'Deutsch'};
const LANGUAGE_KEY = 'pinpoint:language';

/** @type {Record<string, string>} */
let texts = {};
let language = 'en';
let locale = 'en';

/** The language chosen in this browser, else the first of the browser's languages that has texts, else English. */
const preferredLanguage = () => {
  const chosen = readStored('local', LANGUAGE_KEY);
  return (
    [chosen, ...navigator.languages.map(tag => tag.split('-')[0])].find(name => Object.hasOwn(LANGUAGES, name ?? '')) ??
    'en'
  );
};

const takeLanguage = () => {
  language = preferredLanguage();
  locale = navigator.languages.find(tag => tag.split('-')[0] === language) ?? language;
};

/** Loads the texts; must finish before anything is drawn. */
export const loadTexts = async () => {
  takeLanguage();
  texts = await (await fetch(new URL(`../texts.${language}.json`, import.meta.url))).json();
};

/**
 * Takes texts that came with the page, instead of loading them.
 * @param {Record<string, Record<string, string>>} known by language and key
 */
export const takeTexts = known => {
  takeLanguage();
  texts = known[language];
};

export const currentLanguage = () => language;

/**
 * Stores the choice for the next start; returns whether the browser could store it.
 * @param {string} name
 */
export const chooseLanguage = name => writeStored('local', LANGUAGE_KEY, name);

/**
 * The interface text of that key, with {name} replaced.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export const t = (key, values = {}) => {
  const text = texts[key];
  if (text === undefined) {
    console.error('no interface text for', key);
    return key;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
};
/**
 * One of two texts: key.one for 1, else key.many.
 * @param {string} key
 * @param {number} n
 * @param {Record<string, string | number>} [values]
 */
export const tn = (key, n, values = {}) => t(key + (n === 1 ? '.one' : '.many'), {n: count(n), ...values});

/**
 * -0.412 with a true minus sign and the locale's decimal mark; with `signed` a gap has its plus sign.
 * @param {number} value
 * @param {number} [digits]
 * @param {boolean} [signed]
 */
export const number = (value, digits = 3, signed = false) => {
  const isZero = Number(Math.abs(value).toFixed(digits)) === 0;
  const text = Math.abs(value).toLocaleString(locale, {minimumFractionDigits: digits, maximumFractionDigits: digits});
  return (isZero ? '' : value < 0 ? '\u2212' : signed ? '+' : '') + text;
};
/**
 * 12,345 or 12.345
 * @param {number} value
 */
export const count = value => value.toLocaleString(locale);
/**
 * 43% or 43 %
 * @param {number} value
 */
export const percent = value => value.toLocaleString(locale, {style: 'percent'});
/**
 * A time of today, to the second.
 * @param {Date} date
 */
export const clock = date => date.toLocaleTimeString(locale);
/**
 * A day with its time, from milliseconds since 1970.
 * @param {number} ms
 */
export const dayAndTime = ms => new Date(ms).toLocaleString(locale, {dateStyle: 'medium', timeStyle: 'short'});
/**
 * The minute in the person's zone as a field for a day and a time has it; "" for null.
 * @param {number | null} ms milliseconds since 1970
 */
export const localMinute = ms =>
  ms === null ? '' : new Date(ms - 60_000 * new Date(ms).getTimezoneOffset()).toISOString().slice(0, 16);
/**
 * The milliseconds since 1970 of such a minute; null for "".
 * @param {string} minute
 */
export const msOfMinute = minute => (minute ? new Date(minute).getTime() : null);

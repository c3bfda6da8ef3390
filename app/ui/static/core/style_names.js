/* Names of forms of address and domains, which models have as codes, in the language of the page. */
import {t} from './dom.js';

const DOMAINS = ['captions', 'docs', 'everyday', 'games', 'news', 'other', 'religious', 'software'];
const FORMALITIES = ['formal', 'informal'];

/**
 * A domain's name; a domain that only this model has keeps the model's name for it.
 * @param {string} domain
 */
export const domainName = domain => (DOMAINS.includes(domain) ? t(`domain.${domain}`) : domain);

/**
 * "Formal (Sie)"; without a form of address the model chooses.
 * @param {string | null} formality
 */
export const formalityName = formality => (formality ? t(`style.${formality}`) : t('style.any'));

/**
 * A style in short: ["News", "Sie"].
 * @param {Style} options
 */
export const shortStyle = ({domain, domains, formality, formalities}) =>
  [
    domain && domains.includes(domain) ? domainName(domain) : '',
    formality && formalities.includes(formality) ? t(`style.short.${formality}`) : '',
  ].filter(Boolean);

/**
 * The names of a style that the log has as codes: "formal · news".
 * @param {string} detail
 */
export const styleNames = detail =>
  detail
    ? detail
        .split(' · ')
        .map(code => (FORMALITIES.includes(code) ? formalityName(code) : domainName(code)))
        .join(' · ')
    : t('style.any');

/* How forms of address and domains, which models have as codes, are named in the language of the page. */
import {t} from './dom.js';

const DOMAINS = ['captions', 'docs', 'everyday', 'games', 'news', 'other', 'religious', 'software'];
const FORMALITIES = ['formal', 'informal'];

/**
 * A domain's name; a model may have domains of its own, which stay as it calls them.
 * @param {string} domain
 */
export const domainName = domain => (DOMAINS.includes(domain) ? t(`domain.${domain}`) : domain);

/**
 * "Formal (Sie)"; what leaves the choice to the model where there is none.
 * @param {string | null} formality
 */
export const formalityName = formality => (formality ? t(`style.${formality}`) : t('style.any'));

/**
 * What of a style the model is asked for, short: ["News", "Sie"].
 * @param {Style} options
 */
export const shortStyle = ({domain, domains, formality, formalities}) =>
  [
    domain && domains.includes(domain) ? domainName(domain) : '',
    formality && formalities.includes(formality) ? t(`style.short.${formality}`) : '',
  ].filter(Boolean);

/**
 * A style as a replay tells it, codes side by side: "formal · news".
 * @param {string} detail
 */
export const toldStyle = detail =>
  detail
    ? detail
        .split(' · ')
        .map(code => (FORMALITIES.includes(code) ? formalityName(code) : domainName(code)))
        .join(' · ')
    : t('style.any');

/* Sends a file to an address of the server, with progress. */
import {currentLanguage} from './texts.js';

/**
 * Resolves with the reply, with the status in place of one that is not JSON, or with null without a connection or after
 * `signal` stopped it.
 * @param {string} address below that of the page
 * @param {Record<string, string>} fields
 * @param {Blob} file
 * @param {(share: number) => void} onProgress gets the share sent
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export const upload = (address, fields, file, onProgress, signal) =>
  new Promise(resolve => {
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({...fields, language: currentLanguage()});
    request.open('POST', new URL(`${address}?${query}`, document.baseURI));
    request.responseType = 'json';
    request.upload.onprogress = event => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onload = () => resolve(request.response ?? {ok: false, status: request.status});
    request.onerror = request.onabort = () => resolve(null);
    signal?.addEventListener('abort', () => request.abort());
    request.send(file);
  });

/* Starts the page: Gradio's component calls `show` (component/index.js). */
import {Bench, TOKEN_KEY} from './bench.js';
import {greet, inLanguage} from './core/connection.js';
import {loadBindings} from './core/key_bindings.js';
import {lastShown} from './core/open_documents.js';
import {readStored} from './core/storage.js';
import {currentLanguage, loadTexts} from './core/texts.js';

/**
 * Cancels all pending frames. Gradio's loading indicator requests one after the other, also after it is removed, which
 * takes 6 % of a processor. Nothing else on this page requests frames.
 */
const stopFrames = () => {
  const newest = requestAnimationFrame(() => {});
  for (let id = newest; id > newest - 100; id--) cancelAnimationFrame(id);
};

/**
 * Starts the page in the root element of the Gradio component; `server` has the functions of the server.
 * @param {HTMLElement} root
 * @param {{server: Server}} shared
 */
export const show = async (root, {server}) => {
  await loadTexts();
  loadBindings();
  root.lang = document.documentElement.lang = currentLanguage();
  const inPageLanguage = inLanguage(server, currentLanguage());
  const reply = await greet(inPageLanguage, readStored('session', TOKEN_KEY), lastShown());
  new Bench(root, inPageLanguage).start(reply);
  stopFrames();
  return {};
};

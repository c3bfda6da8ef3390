/* Two tabs of a browser on the same document: both show a notice, as the text typed last wins. */
import {t} from './dom.js';

/**
 * Returns a function that announces the document of this tab to the others; call it when another document is shown.
 * @param {Pick<Bench, 'say' | 'session'>} bench
 */
export const watchTabs = bench => {
  const channel = new BroadcastChannel('pinpoint:tabs');
  /** @param {boolean} isAnswer */
  const announce = isAnswer => channel.postMessage({token: bench.session.token, isAnswer});
  channel.onmessage = ({data: {token, isAnswer}}) => {
    if (token !== bench.session.token) return;
    bench.say('info', t('tabs.another'));
    if (!isAnswer) announce(true);
  };
  return () => announce(false);
};

/* Two tabs of a browser on one document show the same work, and the last text that is typed counts: in both it is said
   that there is the other. */
import {t} from './dom.js';

/**
 * Returns what tells the other tabs which document is shown here; to be called whenever that is another one.
 * @param {Bench} bench
 */
export const watchTabs = bench => {
  const channel = new BroadcastChannel('pinpoint:tabs');
  /** @param {boolean} isAnswer */
  const tell = isAnswer => channel.postMessage({token: bench.session.token, isAnswer});
  channel.onmessage = ({data: {token, isAnswer}}) => {
    if (token !== bench.session.token) return;
    bench.say('info', t('tabs.another'));
    if (!isAnswer) tell(true);
  };
  return () => tell(false);
};

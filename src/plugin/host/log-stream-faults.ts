import { config } from 'rxjs';
import type { PluginLog } from '../contract/plugin-log.js';

/**
 * In RxJS what a listener throws is thrown again outside of every call, and so ends the process
 * (architecture.md, "No plugin gets the raw Subject"). From now on it is a line in the log; the
 * stream and its other listeners continue. The setting is RxJS's own and holds for the process.
 */
export const logStreamFaults = (log: PluginLog): void => {
  config.onUnhandledError = (error: unknown) => {
    log.error({ err: error }, 'a listener of the event stream threw');
  };
};

import type { Plugin } from './contract.js';

/**
 * Declares a plugin; its settings are typed by its schema. The result is what a module exports as
 * its default: the host checks the settings by the same schema before it passes them on.
 *
 * @example
 * export default definePlugin({
 *   apiVersion: 1,
 *   name: 'hello',
 *   title: 'Hello',
 *   description: 'Logs a greeting for each new user.',
 *   start: ({ events$, log }) => {
 *     const greeting = events$.subscribe(({ name }) => {
 *       if (name === 'user.created') log.info({}, 'Hello.');
 *     });
 *     return { stop: () => greeting.unsubscribe() };
 *   },
 * });
 */
export const definePlugin = <Settings>(plugin: Plugin<Settings>): Plugin =>
  plugin as unknown as Plugin;

import type { Plugin } from './contract.js';

/**
 * Declares a plugin: its settings are typed by its schema here, and unknown to the list of plugins,
 * where the host checks them by the same schema before it hands them in.
 */
export const definePlugin = <Settings>(plugin: Plugin<Settings>): Plugin =>
  plugin as unknown as Plugin;

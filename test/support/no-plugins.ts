import type { Rules } from '../../src/domain/kernel/decider.js';

/** Without the rules of plugins. */
export const PASSIVE_RULES: Rules = {
  pluginRule: () => undefined,
};

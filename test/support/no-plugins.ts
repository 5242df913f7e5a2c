import { mapped } from '../../src/domain/kernel/chunked.js';
import type { Rules } from '../../src/domain/kernel/decider.js';
import type { OutboxPlanner, OutboxRow } from '../../src/outbox/outbox-planner.js';

/** Plans no deliveries. */
export const NO_SUBSCRIBERS: OutboxPlanner = {
  prepare: () => Promise.resolve(),
  plan: () => mapped([], (row: OutboxRow) => row),
  committed: () => undefined,
  abandoned: () => undefined,
};

/** Without the rules of plugins. */
export const PASSIVE_RULES: Rules = {
  pluginRule: () => undefined,
};

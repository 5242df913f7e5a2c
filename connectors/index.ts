import type { Connector } from '../src/plugin/api.js';

/** The connectors that come with the gateway, by name; each is imported when a section uses it. */
export const BUILT_IN_CONNECTORS: Readonly<
  Record<string, () => Promise<{ readonly default: Connector }>>
> = {
  bamboohr: () => import('./bamboohr/index.js'),
  hibob: () => import('./hibob/index.js'),
  personio: () => import('./personio/index.js'),
  workday: () => import('./workday/index.js'),
};

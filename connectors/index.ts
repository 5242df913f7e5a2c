import type { Connector } from '../src/plugin/api.js';

/** The connectors that come with the gateway, by name; each is imported when a section uses it. */
export const BUILT_IN_CONNECTORS: Readonly<
  Record<string, () => Promise<{ readonly default: Connector }>>
> = {
  csv: () => import('./csv/index.js'),
  ldap: () => import('./ldap/index.js'),
  sql: () => import('./sql/index.js'),
  bamboohr: () => import('./bamboohr/index.js'),
  personio: () => import('./personio/index.js'),
  hibob: () => import('./hibob/index.js'),
  workday: () => import('./workday/index.js'),
  successfactors: () => import('./successfactors/index.js'),
  google: () => import('./google/index.js'),
  okta: () => import('./okta/index.js'),
  entra: () => import('./entra/index.js'),
  rest: () => import('./rest/index.js'),
  push: () => import('./push/index.js'),
};

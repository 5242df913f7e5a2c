import type { Plugin } from '../src/plugin/api.js';
import { connectors } from './connectors/index.js';
import { dashboard } from './dashboard/index.js';
import { notifications } from './notifications/index.js';
import { webhooks } from './webhooks/index.js';

/** The plugins that come with the gateway, in the order in which they start. */
export const BUILT_IN_PLUGINS: readonly Plugin[] = [webhooks, connectors, notifications, dashboard];

import type { Plugin } from '../src/plugin/api.js';
import { webhooks } from './webhooks/index.js';

/** The plugins that come with the gateway, in the order in which they start. */
export const BUILT_IN_PLUGINS: readonly Plugin[] = [webhooks];

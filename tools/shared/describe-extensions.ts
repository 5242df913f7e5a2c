import { EMPTY } from 'rxjs';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import type { Plugin } from '../../src/plugin/api.js';
import { type HostParts, startPlugins } from '../../src/plugin/host/plugin-host.js';
import type { Extensions } from '../../src/routes/extensions.js';

const never = (): never => {
  throw new Error('Not available while the API is described.');
};
const silent = (): void => undefined;

/** A plugin host without services. */
const DESCRIBING: HostParts = {
  submit: never,
  runnerParts: () => ({
    connectors: [],
    commandsOf: never,
    users: {
      find: never,
      versions: never,
      activeUsers: never,
      findGroups: never,
      memberships: never,
      tenant: never,
    },
  }),
  recordsOf: () => ({ list: never, find: never }),
  notesOf: () => ({ read: never, write: never, marked: never, unmark: never }),
  collectionOf: never,
  deliveriesOf: () => ({
    list: never,
    find: never,
    redeliver: never,
    recover: never,
    findRecovery: never,
  }),
  actions: { begin: never, end: never, forget: never },
  leases: { take: never, renew: never, release: never },
  instanceId: '',
  secrets: { seal: never, unseal: never },
  metrics: { gauge: silent, counter: () => silent },
  senderFor: () => ({ post: never, get: never, close: () => Promise.resolve() }),
  networkFor: () => ({ connect: never }),
  attention: never,
  publicUrl: never,
  now: never,
  events: { page: never },
  events$: EMPTY,
  logOf: () => ({ debug: silent, info: silent, warn: silent, error: silent }),
};

/** What plugins add, with the default settings and no services. */
export const describeExtensions = async (
  plugins: readonly Plugin[] = BUILT_IN_PLUGINS,
): Promise<Extensions> => {
  const running = await startPlugins(
    plugins.map((plugin) => ({
      name: plugin.name,
      plugin,
      settings: plugin.settings?.parse({}) ?? {},
    })),
    DESCRIBING,
  );
  await running.stop();
  return running.extensions;
};

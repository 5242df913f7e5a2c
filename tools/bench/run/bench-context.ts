import { openWebhooks, type Webhooks } from './open-webhooks.js';
import { type Child, startChild } from '../../shared/child.js';
import { type Cleanup, temporaryFolder } from '../../shared/cleanup.js';
import { childScript } from '../build.js';
import { type Database, startDatabase } from '../../shared/start-database.js';
import type { LoadMethods } from '../load/load.js';
import {
  type ServerSetting,
  startTestedServer,
  type PeerName,
  type TestedServer,
  formatSize,
} from '../servers/start-server.js';

/** What all servers share: a database, a load generator and a webhook receiver. */
export interface BenchContext {
  readonly database: Database;
  readonly load: Child<LoadMethods>;
  readonly webhooks: Webhooks | undefined;
  readonly report: (line: string) => void;
  readonly cleanup: Cleanup;
  /** Removed at the end. */
  readonly folder: string;
  readonly settingFor: (
    label: string,
    size: number,
    nodeFlags?: readonly string[],
  ) => ServerSetting;
}

interface ContextOptions {
  readonly webhook: boolean;
  readonly cleanup: Cleanup;
  readonly report: (line: string) => void;
}

export const openBenchContext = async ({
  webhook,
  cleanup,
  report,
}: ContextOptions): Promise<BenchContext> => {
  const folder = await temporaryFolder('bench', cleanup);
  const database = await startDatabase(cleanup);
  const load = startChild<LoadMethods>(childScript('load/load.js'));
  cleanup.defer(load.stop);
  const webhooks = webhook ? await openWebhooks(folder, cleanup) : undefined;
  const { uriOf: databaseUri } = database;
  return {
    database,
    load,
    webhooks,
    report,
    cleanup,
    folder,
    settingFor: (label, size, nodeFlags = []) => {
      return { label, size, folder, databaseUri, load, webhooks, nodeFlags, cleanup };
    },
  };
};

/** Starts a server, creates its users and has the load generator read them. */
export const startFilledServer = async (
  { load, report }: BenchContext,
  peer: PeerName,
  setting: ServerSetting,
): Promise<TestedServer> => {
  const { label, size } = setting;
  const began = performance.now();
  const server = await startTestedServer(peer, setting);
  await load.call('register', { label, target: server.target, size });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  report(`${label}: ${formatSize(size)} users in ${seconds} s`);
  return server;
};

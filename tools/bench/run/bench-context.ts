import { openWebhooks, type Webhooks } from './open-webhooks.js';
import { type Child, startChild } from '../../shared/child.js';
import { type Cleanup, temporaryFolder } from '../../shared/cleanup.js';
import { builtMain } from '../../shared/gateway-process.js';
import { readUsage } from '../../shared/process-usage.js';
import { childScript } from '../build.js';
import { type Database, startDatabase } from '../../shared/start-database.js';
import type { LoadMethods } from '../load/load.js';
import type { BenchOptions } from '../options.js';
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
  readonly settingFor: (label: string, size: number) => ServerSetting;
}

export const openBenchContext = async (
  { webhook, nodeFlags, main }: BenchOptions,
  { cleanup, report }: Pick<BenchContext, 'cleanup' | 'report'>,
): Promise<BenchContext> => {
  const folder = await temporaryFolder('bench', cleanup);
  const database = await startDatabase(cleanup);
  const load = startChild<LoadMethods>(childScript('load/load.js'));
  cleanup.defer(load.stop);
  const webhooks = webhook ? await openWebhooks(folder, cleanup) : undefined;
  const shared = { folder, load, webhooks, nodeFlags, main: await builtMain(main), cleanup };
  return {
    ...{ database, load, webhooks, report, cleanup, folder },
    settingFor: (label, size) => ({
      ...shared,
      ...{ label, size, databaseUri: database.uriOf(label) },
    }),
  };
};

/** Starts a server, creates its users and has the load generator read them. */
export const startFilledServer = async (
  { load, report, settingFor }: BenchContext,
  peer: PeerName,
  { label, size }: Pick<ServerSetting, 'label' | 'size'>,
): Promise<TestedServer> => {
  const began = performance.now();
  const server = await startTestedServer(peer, settingFor(label, size));
  await load.call('register', { label, target: server.target, size });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  report(`${label}: ${formatSize(size)} users in ${seconds} s`);
  return server;
};

/** Measures what a server and its database use while something runs. Memory in megabytes. */
export const measureUsage = async <Result>(
  { database }: BenchContext,
  { process }: TestedServer,
  run: () => Promise<Result>,
) => {
  const usages = () => Promise.all([readUsage(process.pid), readUsage(database.pid)]);
  const [own, mongod] = await usages();
  const result = await run();
  const [ownAfter, mongodAfter] = await usages();
  return {
    result,
    cpuMs: ownAfter.cpuMs - own.cpuMs,
    databaseCpuMs: mongodAfter.cpuMs - mongod.cpuMs,
    rss: ownAfter.rssMb,
    peak: ownAfter.peakMb,
  };
};

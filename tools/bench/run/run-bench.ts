import type { BenchOptions } from '../options.js';
import { formatSize, type TestedServer } from '../servers/tested-server.js';
import {
  CONNECTORS,
  DRAIN,
  FIRST_SYNC,
  groupByFamily,
  START,
  WEBHOOKS,
  WORKLOADS,
} from '../workloads.js';
import { type BenchContext, startFilledServer } from './bench-context.js';
import { runConnectors } from './run-connectors.js';
import type { DeliveryTimes, Results, WorkloadResult } from './results.js';
import { runDeliveries } from './run-deliveries.js';
import { runDrains } from './run-drains.js';
import { runFamily } from './run-family.js';
import { runFirstSyncs } from './run-first-syncs.js';
import { runDirectoryStarts, runStarts } from './run-starts.js';

/** Runs the selected workloads; first those that need the machine for one server. */
export const runBench = async (context: BenchContext, options: BenchOptions): Promise<Results> => {
  const isSelected = (id: string): boolean => options.workloads.includes(id);
  const { peers, rounds } = options;
  const starts = isSelected(START) ? await runStarts(context, peers, rounds) : [];
  const syncs = isSelected(FIRST_SYNC) ? await runFirstSyncs(context, options) : [];
  const drains = isSelected(DRAIN) ? await runDrains(context, options) : [];
  const connectors = isSelected(CONNECTORS) ? await runConnectors(context, options) : [];
  const alone = { starts, syncs, drains, connectors };
  const servers = await startServers(context, { ...options, peers: peersFor(options) });
  const workloads: WorkloadResult[] = [];
  for (const family of groupByFamily(WORKLOADS.filter(({ id }) => isSelected(id)))) {
    workloads.push(...(await runFamily(context, servers, family, options)));
  }
  const deliveries = isSelected(WEBHOOKS) ? await measureDeliveries(context, servers, options) : [];
  const directoryStarts = isSelected(START)
    ? await runDirectoryStarts(context, servers, rounds)
    : [];
  return { ...alone, workloads, deliveries, directoryStarts };
};

/** The peers that run at the same time. */
const peersFor = ({ workloads, peers }: BenchOptions): BenchOptions['peers'] => {
  if (WORKLOADS.some(({ id }) => workloads.includes(id))) return peers;
  return workloads.includes(WEBHOOKS) ? peers.filter((peer) => peer === 'rollgate') : [];
};

const startServers = async (
  context: BenchContext,
  { peers, sizes }: BenchOptions,
): Promise<readonly TestedServer[]> => {
  const servers: TestedServer[] = [];
  for (const size of sizes) {
    for (const peer of peers) {
      const label = sizes.length === 1 ? peer : `${peer}-${formatSize(size)}`;
      servers.push(await startFilledServer(context, peer, context.settingFor(label, size)));
    }
  }
  return servers;
};

const measureDeliveries = async (
  context: BenchContext,
  servers: readonly TestedServer[],
  { rounds, seconds }: BenchOptions,
): Promise<readonly DeliveryTimes[]> => {
  const deliveries: DeliveryTimes[] = [];
  const { webhooks } = context;
  if (!webhooks) return deliveries;
  for (const server of servers.filter(({ peer }) => peer === 'rollgate')) {
    deliveries.push(await runDeliveries(context, server, webhooks, rounds * seconds));
  }
  return deliveries;
};

import { quantile } from '../../shared/statistics.js';
import { type TestedServer, formatSize } from '../servers/start-server.js';
import { type BenchContext, startFilledServer } from './bench-context.js';
import { type Webhooks } from './open-webhooks.js';
import type { DeliveryTimes, Percentiles, Results, WorkloadResult } from './results.js';
import type { BenchOptions } from '../options.js';
import {
  CONNECTORS,
  DRAIN,
  FIRST_SYNC,
  groupByFamily,
  START,
  WEBHOOKS,
  WORKLOADS,
} from '../workloads.js';
import { runConnectors } from './run-connectors.js';
import { runDrains } from './run-drains.js';
import { runFamily } from './run-workloads.js';
import { runFirstSyncs } from './run-first-syncs.js';
import { runStarts } from './run-starts.js';

/** Events per second. */
const RATE = 50;

/**
 * Creates users at a constant rate and measures when the receiver gets each event. The commit is
 * between the request and the 201, which the gateway sends right after it.
 */
const runDeliveries = async (
  { load, report }: BenchContext,
  { label, waitForDeliveries }: TestedServer,
  { receiver }: Webhooks,
  seconds: number,
): Promise<DeliveryTimes> => {
  const creates = await load.call('createAtRate', { label, rate: RATE, seconds });
  await waitForDeliveries(creates.length);
  const arrivals = await receiver.call('arrivals', `/${label}`);
  const since = (starts: readonly number[]): Percentiles => {
    const times = starts.map((start, index) => arrivalOf(index) - start);
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  };
  const arrivalOf = (index: number): number => arrivals.get(creates[index]?.email ?? '') ?? NaN;
  report(`webhooks ${label}: ${creates.length} events`);
  return {
    label,
    events: creates.length,
    afterAnswer: since(creates.map(({ receivedMs }) => receivedMs)),
    afterRequest: since(creates.map(({ sentMs }) => sentMs)),
  };
};

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
  return { ...alone, workloads, deliveries };
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
      servers.push(await startFilledServer(context, peer, { label, size }));
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

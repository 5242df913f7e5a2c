import { type TestedServer, formatSize } from '../servers/start-server.js';
import { type BenchContext, startFilledServer } from './bench-context.js';
import type { Results, WorkloadResult } from './results.js';
import type { BenchOptions } from '../options.js';
import { CONNECTORS, DRAIN, FIRST_SYNC, groupByFamily, START, WORKLOADS } from '../workloads.js';
import { runConnectors } from './run-connectors.js';
import { runDrains } from './run-drains.js';
import { runFamily } from './run-workloads.js';
import { runFirstSyncs } from './run-first-syncs.js';
import { runStarts } from './run-starts.js';

/** Runs the selected workloads; first those that need the machine for one server. */
export const runBench = async (context: BenchContext, options: BenchOptions): Promise<Results> => {
  const isSelected = (id: string): boolean => options.workloads.includes(id);
  const { peers, rounds } = options;
  const starts = isSelected(START) ? await runStarts(context, peers, rounds) : [];
  const syncs = isSelected(FIRST_SYNC) ? await runFirstSyncs(context, options) : [];
  const drains = isSelected(DRAIN) ? await runDrains(context, options) : [];
  const connectors = isSelected(CONNECTORS) ? await runConnectors(context, options) : [];
  const families = groupByFamily(WORKLOADS.filter(({ id }) => isSelected(id)));
  const servers = families.length > 0 ? await startServers(context, options) : [];
  const workloads: WorkloadResult[] = [];
  for (const family of families)
    workloads.push(...(await runFamily(context, servers, family, options)));
  return { starts, syncs, drains, connectors, workloads };
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

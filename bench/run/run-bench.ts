import { type Contestant, sizeInWords } from '../contestants/contestant.js';
import type { BenchOptions } from '../options.js';
import { DRAINING, FIRST_SYNC, inFamilies, STARTING, WEBHOOKS, WORKLOADS } from '../workloads.js';
import type { DeliveryTimes, Results, WorkloadResult } from './results.js';
import { runDeliveries } from './run-deliveries.js';
import { runDrains } from './run-drains.js';
import { runFamily } from './run-family.js';
import { runFirstSyncs } from './run-first-syncs.js';
import { runStarts } from './run-starts.js';
import { enterContestant, type World } from './world.js';

/** Everything that was asked for: first what takes a machine for itself. */
export const runBench = async (world: World, options: BenchOptions): Promise<Results> => {
  const isWanted = (id: string): boolean => options.workloads.includes(id);
  const { peers, rounds } = options;
  const starts = isWanted(STARTING) ? await runStarts(world, peers, rounds) : [];
  const syncs = isWanted(FIRST_SYNC) ? await runFirstSyncs(world, options) : [];
  const drains = isWanted(DRAINING) ? await runDrains(world, options) : [];
  const alone = { starts, syncs, drains };
  const contestants = await enterAll(world, { ...options, peers: peersFor(options) });
  const workloads: WorkloadResult[] = [];
  for (const family of inFamilies(WORKLOADS.filter(({ id }) => isWanted(id)))) {
    workloads.push(...(await runFamily(world, contestants, family, options)));
  }
  const deliveries = isWanted(WEBHOOKS) ? await measureDeliveries(world, contestants, options) : [];
  return { ...alone, workloads, deliveries };
};

/** Those that have something to do beside each other. */
const peersFor = ({ workloads, peers }: BenchOptions): BenchOptions['peers'] => {
  if (WORKLOADS.some(({ id }) => workloads.includes(id))) return peers;
  return workloads.includes(WEBHOOKS) ? peers.filter((peer) => peer === 'rollgate') : [];
};

const enterAll = async (
  world: World,
  { peers, sizes }: BenchOptions,
): Promise<readonly Contestant[]> => {
  const contestants: Contestant[] = [];
  for (const size of sizes) {
    for (const peer of peers) {
      const label = sizes.length === 1 ? peer : `${peer}-${sizeInWords(size)}`;
      contestants.push(await enterContestant(world, peer, world.settingFor(label, size)));
    }
  }
  return contestants;
};

const measureDeliveries = async (
  world: World,
  contestants: readonly Contestant[],
  { rounds, seconds }: BenchOptions,
): Promise<readonly DeliveryTimes[]> => {
  const deliveries: DeliveryTimes[] = [];
  const { webhooks } = world;
  if (!webhooks) return deliveries;
  for (const contestant of contestants.filter(({ peer }) => peer === 'rollgate')) {
    deliveries.push(await runDeliveries(world, contestant, webhooks, rounds * seconds));
  }
  return deliveries;
};

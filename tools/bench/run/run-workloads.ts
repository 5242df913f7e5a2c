import type { TestedServer } from '../servers/start-server.js';
import type { Workload } from '../workloads.js';
import { type BenchContext, measureUsage } from './bench-context.js';
import type { Round, WorkloadResult } from './results.js';
import type { BenchOptions } from '../options.js';

/** Starts each round with another item: A B C, B C A, C A B. */
export const rotate = <Item>(items: readonly Item[], round: number): readonly Item[] => {
  const first = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
};

/** Creates the workload's group, or checks it at the end. */
const callForTeam = async (
  { load }: BenchContext,
  { label, waitForDeliveries }: TestedServer,
  { team }: Workload,
  method: 'createTeam' | 'checkTeam',
): Promise<void> => {
  if (team !== undefined) await waitForDeliveries(await load.call(method, { label, team }));
};

/** One round of one server, including its deliveries. */
const runRound = async (
  context: BenchContext,
  server: TestedServer,
  { operation, team, clients, events }: Workload,
  seconds: number,
): Promise<Round> => {
  const { result, cpuMs, databaseCpuMs, rss } = await measureUsage(context, server, async () => {
    const params = { label: server.label, operation, team, clients, seconds };
    const stats = await context.load.call('run', params);
    await server.waitForDeliveries(stats.requests * events);
    return stats;
  });
  const { requests, p50, p99 } = result;
  const [cpu, databaseCpu] = [cpuMs / requests, databaseCpuMs / requests];
  return { rate: requests / result.seconds, p50, p99, cpu, databaseCpu, rss };
};

const formatRate = ({ rate }: Round): string => (rate < 100 ? rate.toFixed(1) : rate.toFixed(0));

/** Runs the workloads of a family in turns on all servers, after a warm-up. */
export const runFamily = async (
  context: BenchContext,
  servers: readonly TestedServer[],
  workloads: readonly Workload[],
  { rounds: count, seconds }: Pick<BenchOptions, 'rounds' | 'seconds'>,
): Promise<readonly WorkloadResult[]> => {
  const results = workloads.map((workload) => ({
    workload,
    performances: servers.map((server) => ({ server, rounds: [] as Round[] })),
  }));
  for (const { workload, performances } of results)
    for (const { server } of performances) {
      await callForTeam(context, server, workload, 'createTeam');
      await runRound(context, server, workload, seconds / 2);
    }
  for (let round = 0; round < count; round += 1)
    for (const { workload, performances } of results) {
      const rates: string[] = [];
      for (const { server, rounds } of rotate(performances, round)) {
        const measured = await runRound(context, server, workload, seconds);
        rounds.push(measured);
        rates.push(`${server.label} ${formatRate(measured)}/s`);
      }
      context.report(`${workload.id} round ${round + 1}: ${rates.join(', ')}`);
    }
  for (const { workload, performances } of results)
    for (const { server } of performances)
      await callForTeam(context, server, workload, 'checkTeam');
  return results.map(({ workload: { id, title }, performances }) => ({
    id,
    title,
    performances: performances.map(({ server: { peer, size, label }, rounds }) => {
      return { peer, size, label, rounds };
    }),
  }));
};

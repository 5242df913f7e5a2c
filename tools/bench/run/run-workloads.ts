import type { WrongResponse, LoadStats } from '../load/clients.js';
import type { TestedServer } from '../servers/start-server.js';
import type { Workload } from '../workloads.js';
import type { BenchContext } from './bench-context.js';
import { readUsage } from '../../shared/process-usage.js';
import type { Round, WorkloadResult } from './results.js';
import type { BenchOptions } from '../options.js';

/** Starts each round with another item: A B C, B C A, C A B. */
export const rotate = <Item>(items: readonly Item[], round: number): readonly Item[] => {
  const first = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
};

/** Creates the workload's fixture, or checks it at the end. Returns the first wrong response. */
export const runFixture = async (
  { load }: BenchContext,
  { label, waitForDeliveries }: TestedServer,
  { fixture }: Workload,
  method: 'createFixture' | 'checkFixture',
): Promise<WrongResponse | undefined> => {
  if (!fixture) return undefined;
  const { result, wrong } = await load.call(method, { label, fixture });
  if (result !== undefined) await waitForDeliveries(result);
  return wrong;
};

interface RoundResult {
  readonly round: Round;
  readonly wrong?: WrongResponse;
}

/** One round of one server, including its deliveries. */
const runRound = async (
  context: BenchContext,
  server: TestedServer,
  workload: Workload,
  seconds: number,
): Promise<RoundResult> => {
  const { database, load } = context;
  const { label, process, waitForDeliveries } = server;
  const pids = [process.pid, database.pid] as const;
  const [before, databaseBefore] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const { operation, clients, fixture } = workload;
  const stats = await load.call('run', { label, operation, fixture, clients, seconds });
  if (!stats.wrong) await waitForDeliveries(stats.requests * workload.events);
  const [after, databaseAfter] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const perRequest = (cpuMs: number): number => cpuMs / stats.requests;
  return {
    round: {
      ...ratesOf(stats),
      cpu: perRequest(after.cpuMs - before.cpuMs),
      databaseCpu: perRequest(databaseAfter.cpuMs - databaseBefore.cpuMs),
      rss: after.rssMb,
    },
    ...(stats.wrong && { wrong: stats.wrong }),
  };
};

const ratesOf = ({ requests, seconds, p50, p99 }: LoadStats) => ({
  rate: requests / seconds,
  p50,
  p99,
});

/** One workload on several servers. */
interface WorkloadRun {
  /** Before the first round: creates the fixture and warms up each server. */
  readonly prepare: (seconds: number) => Promise<void>;
  readonly round: (number: number, seconds: number) => Promise<void>;
  /** After the last round: checks that the data matches the responses. */
  readonly check: () => Promise<void>;
  readonly result: () => WorkloadResult;
}

interface ServerRounds {
  readonly server: TestedServer;
  readonly rounds: Round[];
  wrong?: WrongResponse;
}

/** A server with a wrong response does not take part any longer. */
const createWorkloadRun = (
  context: BenchContext,
  servers: readonly TestedServer[],
  workload: Workload,
): WorkloadRun => {
  const { id, title } = workload;
  const entries = servers.map((server): ServerRounds => ({ server, rounds: [] }));

  const markWrong = (entry: ServerRounds, wrong: WrongResponse | undefined): void => {
    if (!wrong) return;
    entry.wrong = wrong;
    context.report(`${id} ${entry.server.label}: wrong response, excluded from the rest`);
  };

  const runOne = async (entry: ServerRounds, seconds: number): Promise<Round | undefined> => {
    if (entry.wrong) return undefined;
    const { round, wrong } = await runRound(context, entry.server, workload, seconds);
    markWrong(entry, wrong);
    return wrong ? undefined : round;
  };

  return {
    prepare: async (seconds) => {
      for (const entry of entries) {
        markWrong(entry, await runFixture(context, entry.server, workload, 'createFixture'));
        await runOne(entry, seconds);
      }
    },
    round: async (number, seconds) => {
      const rates: string[] = [];
      for (const entry of rotate(entries, number)) {
        const round = await runOne(entry, seconds);
        if (!round) continue;
        entry.rounds.push(round);
        rates.push(`${entry.server.label} ${formatRate(round)}/s`);
      }
      context.report(`${id} round ${number + 1}: ${rates.join(', ')}`);
    },
    check: async () => {
      for (const entry of entries.filter(({ wrong }) => !wrong)) {
        markWrong(entry, await runFixture(context, entry.server, workload, 'checkFixture'));
      }
    },
    result: () => ({
      id,
      title,
      performances: entries.map(({ server: { peer, size, label }, rounds, wrong }) => {
        return { peer, size, label, rounds, ...(wrong && { wrong }) };
      }),
    }),
  };
};

const formatRate = ({ rate }: Round): string => (rate < 100 ? rate.toFixed(1) : rate.toFixed(0));

const canRun =
  ({ only }: Workload) =>
  ({ peer }: TestedServer): boolean =>
    only === undefined || peer === only;

/** Runs the workloads of a family in turns on all servers, after a warm-up. */
export const runFamily = async (
  context: BenchContext,
  servers: readonly TestedServer[],
  workloads: readonly Workload[],
  { rounds, seconds, warmUpSeconds }: BenchOptions,
): Promise<readonly WorkloadResult[]> => {
  const runs = workloads
    .map((workload) => ({ workload, participants: servers.filter(canRun(workload)) }))
    .filter(({ participants }) => participants.length > 0)
    .map(({ workload, participants }) => createWorkloadRun(context, participants, workload));
  for (const run of runs) await run.prepare(warmUpSeconds);
  for (let number = 0; number < rounds; number += 1) {
    for (const run of runs) await run.round(number, seconds);
  }
  for (const run of runs) await run.check();
  return runs.map((run) => run.result());
};

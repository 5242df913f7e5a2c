import type { WrongResponse } from '../load/load-recorder.js';
import type { TestedServer } from '../servers/tested-server.js';
import type { Workload } from '../workloads.js';
import type { BenchContext } from './bench-context.js';
import type { Round, WorkloadResult } from './results.js';
import { rotate } from './rotate.js';
import { runFixture } from './run-fixture.js';
import { runRound } from './run-round.js';

/** One workload on several servers. */
export interface WorkloadRun {
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
export const createWorkloadRun = (
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

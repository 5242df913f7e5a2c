import type { Contestant } from '../contestants/contestant.js';
import type { Wrong } from '../load/tally.js';
import type { Workload } from '../workloads.js';
import type { Round, WorkloadResult } from './results.js';
import { runRound } from './run-round.js';
import { withScene } from './set-scene.js';
import { turnsOf } from './turns.js';
import type { World } from './world.js';

/** One workload as it goes round the contestants. */
export interface WorkloadRecord {
  /** Before the first round: what it needs is made, and each contestant warmed up. */
  readonly prepare: (seconds: number) => Promise<void>;
  readonly round: (number: number, seconds: number) => Promise<void>;
  /** After the last round: whether everything is as the answers said. */
  readonly check: () => Promise<void>;
  readonly result: () => WorkloadResult;
}

interface Line {
  readonly contestant: Contestant;
  readonly rounds: Round[];
  wrong?: Wrong;
}

/** A contestant whose answer is wrong takes no further part. */
export const startRecord = (
  world: World,
  contestants: readonly Contestant[],
  workload: Workload,
): WorkloadRecord => {
  const { id, title } = workload;
  const lines = contestants.map((contestant): Line => ({ contestant, rounds: [] }));

  const note = (line: Line, wrong: Wrong | undefined): void => {
    if (!wrong) return;
    line.wrong = wrong;
    world.tell(`${id} ${line.contestant.label}: a wrong answer, the rest is left out`);
  };

  const take = async (line: Line, seconds: number): Promise<Round | undefined> => {
    if (line.wrong) return undefined;
    const { round, wrong } = await runRound(world, line.contestant, workload, seconds);
    note(line, wrong);
    return wrong ? undefined : round;
  };

  return {
    prepare: async (seconds) => {
      for (const line of lines) {
        note(line, await withScene(world, line.contestant, workload, 'setScene'));
        await take(line, seconds);
      }
    },
    round: async (number, seconds) => {
      const rates: string[] = [];
      for (const line of turnsOf(lines, number)) {
        const round = await take(line, seconds);
        if (!round) continue;
        line.rounds.push(round);
        rates.push(`${line.contestant.label} ${inRate(round)}/s`);
      }
      world.tell(`${id} round ${number + 1}: ${rates.join(', ')}`);
    },
    check: async () => {
      for (const line of lines.filter(({ wrong }) => !wrong)) {
        note(line, await withScene(world, line.contestant, workload, 'checkScene'));
      }
    },
    result: () => ({
      id,
      title,
      performances: lines.map(({ contestant: { peer, size, label }, rounds, wrong }) => {
        return { peer, size, label, rounds, ...(wrong && { wrong }) };
      }),
    }),
  };
};

const inRate = ({ rate }: Round): string => (rate < 100 ? rate.toFixed(1) : rate.toFixed(0));

import type { Contestant } from '../contestants/contestant.js';
import type { Wrong } from '../load/tally.js';
import type { BenchOptions } from '../options.js';
import type { Workload } from '../workloads.js';
import type { Round, WorkloadResult } from './results.js';
import { runRound } from './run-round.js';
import type { World } from './world.js';

/** The contestants of a round in another order each time: A B C, B C A, C A B. */
export const turnsOf = <Item>(items: readonly Item[], round: number): readonly Item[] => {
  const first = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
};

interface Record {
  readonly rounds: Round[];
  wrong?: Wrong;
}

/** One workload, its rounds going round the contestants, after a warm-up of each. */
export const runWorkload = async (
  world: World,
  contestants: readonly Contestant[],
  workload: Workload,
  options: BenchOptions,
): Promise<WorkloadResult> => {
  const records = new Map(contestants.map((each): [Contestant, Record] => [each, { rounds: [] }]));

  const take = async (contestant: Contestant, seconds: number): Promise<Round | undefined> => {
    const record = records.get(contestant);
    if (!record || record.wrong) return undefined;
    const { round, wrong } = await runRound(world, contestant, workload, seconds);
    if (!wrong) return round;
    record.wrong = wrong;
    world.tell(`${workload.id} ${contestant.label}: a wrong answer, the rest is left out`);
    return undefined;
  };

  for (const contestant of contestants) await take(contestant, options.warmUpSeconds);
  for (let number = 0; number < options.rounds; number += 1) {
    const rates: string[] = [];
    for (const contestant of turnsOf(contestants, number)) {
      const round = await take(contestant, options.seconds);
      if (!round) continue;
      records.get(contestant)?.rounds.push(round);
      rates.push(`${contestant.label} ${Math.round(round.rate)}/s`);
    }
    world.tell(`${workload.id} round ${number + 1}: ${rates.join(', ')}`);
  }

  const { id, title } = workload;
  const performances = [...records].map(([{ peer, size, label }, record]) => {
    return { peer, size, label, ...record };
  });
  return { id, title, performances };
};

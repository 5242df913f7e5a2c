import type { WrongResponse } from '../load/load-recorder.js';
import type { BenchOptions } from '../options.js';
import type { PeerName } from '../servers/tested-server.js';
import type { BenchContext } from './bench-context.js';
import { syncOnce } from './first-sync.js';
import type { SyncRound, Syncs } from './results.js';
import { rotate } from './rotate.js';

interface PeerRounds {
  readonly peer: PeerName;
  readonly rounds: SyncRound[];
  wrong?: WrongResponse;
}

/** W8: one peer at a time, in a new process without users, so that the memory peak is the sync's. */
export const runFirstSyncs = async (
  context: BenchContext,
  { peers, rounds, syncUsers }: BenchOptions,
): Promise<readonly Syncs[]> => {
  const entries = peers.map((peer): PeerRounds => ({ peer, rounds: [] }));
  for (let round = 0; round < rounds; round += 1) {
    const walls: string[] = [];
    for (const entry of rotate(entries, round)) {
      if (entry.wrong) continue;
      const label = `sync-${entry.peer}-${round + 1}`;
      const { result, wrong } = await syncOnce(context, {
        peer: entry.peer,
        label,
        users: syncUsers,
      });
      if (wrong) entry.wrong = wrong;
      if (!result) continue;
      entry.rounds.push(result);
      walls.push(`${entry.peer} ${result.wall.toFixed(1)} s`);
    }
    context.report(`W8 round ${round + 1}: ${walls.join(', ')}`);
  }
  return entries.map((entry) => ({ ...entry, users: syncUsers }));
};

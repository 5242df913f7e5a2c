import type { PeerName } from '../contestants/contestant.js';
import type { Wrong } from '../load/tally.js';
import type { BenchOptions } from '../options.js';
import { syncOnce } from './first-sync.js';
import type { SyncRound, Syncs } from './results.js';
import { turnsOf } from './turns.js';
import type { World } from './world.js';

interface Line {
  readonly peer: PeerName;
  readonly rounds: SyncRound[];
  wrong?: Wrong;
}

/** W8: each peer alone, fresh and with an empty directory each time, so that its peak is its own. */
export const runFirstSyncs = async (
  world: World,
  { peers, rounds, syncUsers }: BenchOptions,
): Promise<readonly Syncs[]> => {
  const lines = peers.map((peer): Line => ({ peer, rounds: [] }));
  for (let round = 0; round < rounds; round += 1) {
    const walls: string[] = [];
    for (const line of turnsOf(lines, round)) {
      if (line.wrong) continue;
      const label = `sync-${line.peer}-${round + 1}`;
      const { result, wrong } = await syncOnce(world, { peer: line.peer, label, users: syncUsers });
      if (wrong) line.wrong = wrong;
      if (!result) continue;
      line.rounds.push(result);
      walls.push(`${line.peer} ${result.wall.toFixed(1)} s`);
    }
    world.tell(`W8 round ${round + 1}: ${walls.join(', ')}`);
  }
  return lines.map((line) => ({ ...line, users: syncUsers }));
};

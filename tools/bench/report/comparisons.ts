import { median } from '../../shared/statistics.js';
import { performanceOf } from '../measures.js';
import type { Results } from '../run/results.js';
import type { PeerName } from '../servers/start-server.js';

/** The gateway next to another server, as `npm run docs` draws it in docs/benchmarks.md. */
export interface Comparison {
  readonly id: string;
  readonly title: string;
  readonly peer: PeerName;
  /** Of each round: the gateway's rate divided by that of the peer. */
  readonly ratios: readonly number[];
  /** Milliseconds of the gateway per request; median of the rounds. */
  readonly cpu: number;
  /** Milliseconds of its mongod. */
  readonly databaseCpu: number;
}

/** Compares the gateway with each peer in each workload. */
export const compareWithPeers = (
  results: Results,
  peers: readonly PeerName[],
  size: number,
): readonly Comparison[] =>
  results.workloads.flatMap(({ id, title }) => {
    const own = performanceOf(results, id, 'rollgate', size);
    if (!own) return [];
    return peers.flatMap((peer) => {
      const other = performanceOf(results, id, peer, size);
      if (!other || peer === 'rollgate') return [];
      const ratios = own.rounds.map(({ rate }, round) => rate / (other.rounds[round]?.rate ?? NaN));
      const cpu = median(own.rounds.map((round) => round.cpu));
      const databaseCpu = median(own.rounds.map((round) => round.databaseCpu));
      return [{ id, title, peer, ratios, cpu, databaseCpu }];
    });
  });

import { median, ratioOf } from '../../shared/statistics.js';
import type { Performance, Results, WorkloadResult } from '../run/results.js';
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

const performanceOf = (
  { performances }: WorkloadResult,
  name: PeerName,
  users: number,
): Performance | undefined =>
  performances.find(({ peer, size }) => peer === name && size === users);

/** A server's rate divided by a peer's; median of the ratios within a round. */
export const rateOver = (
  workload: WorkloadResult,
  { rounds, size }: Performance,
  peer: PeerName,
): number | undefined => {
  const other = performanceOf(workload, peer, size);
  const rates = (of: Performance['rounds']) => of.map(({ rate }) => rate);
  return other && ratioOf(rates(rounds), rates(other.rounds)).median;
};

/** Compares the gateway with each peer in each workload. */
export const compareWithPeers = (
  { workloads }: Results,
  peers: readonly PeerName[],
  size: number,
): readonly Comparison[] =>
  workloads.flatMap((workload) => {
    const { id, title } = workload;
    const own = performanceOf(workload, 'rollgate', size);
    return peers.flatMap((peer) => {
      const other = performanceOf(workload, peer, size);
      if (!own || !other || other === own) return [];
      const ratios = own.rounds.map(({ rate }, round) => rate / (other.rounds[round]?.rate ?? NaN));
      const cpu = median(own.rounds.map((round) => round.cpu));
      const databaseCpu = median(own.rounds.map((round) => round.databaseCpu));
      return [{ id, title, peer, ratios, cpu, databaseCpu }];
    });
  });

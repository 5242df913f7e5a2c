import { setTimeout as sleep } from 'node:timers/promises';
import { readUsage } from '../../shared/process-usage.js';
import { startServer, type PeerName } from '../servers/start-server.js';
import type { BenchContext } from './bench-context.js';
import type { Starts } from './results.js';
import { rotate } from './run-workloads.js';

/** The work of a start is done by then. */
const SETTLE_MS = 2_000;

/** The time until the first 200 of /readyz, and the memory of a process that has nothing to do. */
const startOnce = async ({ settingFor, cleanup }: BenchContext, peer: PeerName) => {
  const began = performance.now();
  const server = await startServer(peer, settingFor(`start-${peer}`, 0));
  cleanup.defer(server.stop);
  while (!(await fetch(`${server.url}/readyz`)).ok) await sleep(3);
  const startMs = performance.now() - began;
  await sleep(SETTLE_MS);
  const { rssMb } = await readUsage(server.pid);
  await server.stop();
  return { startMs, rssMb };
};

/**
 * W9: starts one peer at a time. The first start is not counted, since it creates indexes and reads
 * from disk.
 */
export const runStarts = async (
  context: BenchContext,
  peers: readonly PeerName[],
  rounds: number,
): Promise<readonly Starts[]> => {
  const starts = peers.map((peer) => {
    return { peer, startMs: [] as number[], idleRss: [] as number[] };
  });
  for (const peer of peers) await startOnce(context, peer);
  for (let round = 0; round < rounds; round += 1) {
    for (const { peer, startMs, idleRss } of rotate(starts, round)) {
      const measured = await startOnce(context, peer);
      startMs.push(measured.startMs);
      idleRss.push(measured.rssMb);
    }
  }
  context.report('W9 done');
  return starts;
};

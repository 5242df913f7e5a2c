import { setTimeout as wait } from 'node:timers/promises';
import type { PeerName } from '../contestants/contestant.js';
import { readUsage } from '../../tooling/process-usage.js';
import { startGatewayServer } from '../contestants/start-gateway.js';
import { startPeerServer } from '../contestants/start-peer.js';
import type { ServerProcess } from '../contestants/start-server.js';
import type { Starts } from './results.js';
import { turnsOf } from './turns.js';
import type { World } from './world.js';

/** What runs at the start has run by then. */
const SETTLE_MS = 2_000;

interface Measured {
  readonly startMs: number[];
  readonly idleRss: number[];
}

/**
 * W9: each peer alone on the machine, started again and again. The first start is not counted: it
 * makes indexes and reads the disk.
 */
export const runStarts = async (
  world: World,
  peers: readonly PeerName[],
  rounds: number,
): Promise<readonly Starts[]> => {
  const measured = new Map(
    peers.map((peer): [PeerName, Measured] => [peer, { startMs: [], idleRss: [] }]),
  );
  for (const peer of peers) await startOnce(world, peer);
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of turnsOf(peers, round)) {
      const { startMs, rssMb } = await startOnce(world, peer);
      measured.get(peer)?.startMs.push(startMs);
      measured.get(peer)?.idleRss.push(rssMb);
    }
  }
  world.tell('W9: done');
  return [...measured].map(([peer, numbers]) => ({ peer, ...numbers }));
};

const startOnce = async (world: World, peer: PeerName) => {
  const server = await startAlone(world, peer);
  await wait(SETTLE_MS);
  const { rssMb } = await readUsage(server.pid);
  await server.stop();
  return { startMs: server.startMs, rssMb };
};

const startAlone = async (world: World, peer: PeerName): Promise<ServerProcess> => {
  const setting = world.settingFor(`start-${peer}`, 0);
  const server = await (peer === 'rollgate'
    ? startGatewayServer(setting)
    : startPeerServer(peer, setting));
  setting.cleanup.defer(server.stop);
  return server;
};

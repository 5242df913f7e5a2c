import { setTimeout as sleep } from 'node:timers/promises';
import { readUsage } from '../../shared/process-usage.js';
import {
  startGatewayServer,
  startPeerServer,
  type PeerName,
  type TestedServer,
} from '../servers/start-server.js';
import type { ServerProcess } from '../servers/start-server-process.js';
import type { BenchContext } from './bench-context.js';
import type { Starts } from './results.js';
import { rotate } from './run-workloads.js';

/** The work of a start is done by then. */
const SETTLE_MS = 2_000;

interface Measured {
  readonly startMs: number[];
  readonly idleRss: number[];
}

/**
 * W9: starts one peer at a time. The first start is not counted, since it creates indexes and reads
 * from disk.
 */
export const runStarts = async (
  context: BenchContext,
  peers: readonly PeerName[],
  rounds: number,
): Promise<readonly Starts[]> => {
  const measured = new Map(
    peers.map((peer): [PeerName, Measured] => [peer, { startMs: [], idleRss: [] }]),
  );
  for (const peer of peers) await startOnce(context, peer);
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of rotate(peers, round)) {
      const { startMs, rssMb } = await startOnce(context, peer);
      measured.get(peer)?.startMs.push(startMs);
      measured.get(peer)?.idleRss.push(rssMb);
    }
  }
  context.report('W9 done');
  return [...measured].map(([peer, numbers]) => ({ peer, ...numbers }));
};

/** W9 with users: starts a second gateway on the database of each gateway, one at a time. */
export const runDirectoryStarts = async (
  context: BenchContext,
  servers: readonly TestedServer[],
  rounds: number,
): Promise<readonly Starts[]> => {
  const gateways = servers.filter(({ peer }) => peer === 'rollgate');
  const measured = new Map(
    gateways.map((gateway): [TestedServer, Measured] => [gateway, { startMs: [], idleRss: [] }]),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const gateway of rotate(gateways, round)) {
      const setting = context.settingFor(gateway.label, gateway.size);
      const { startMs, rssMb } = await measureStart(
        await startGatewayServer(setting, gateway.adminToken),
      );
      measured.get(gateway)?.startMs.push(startMs);
      measured.get(gateway)?.idleRss.push(rssMb);
    }
  }
  return [...measured].map(([{ peer, size }, numbers]) => ({ peer, users: size, ...numbers }));
};

const startOnce = async (context: BenchContext, peer: PeerName) =>
  measureStart(await startAlone(context, peer));

const measureStart = async (server: ServerProcess) => {
  await sleep(SETTLE_MS);
  const { rssMb } = await readUsage(server.pid);
  await server.stop();
  return { startMs: server.startMs, rssMb };
};

const startAlone = async (context: BenchContext, peer: PeerName): Promise<ServerProcess> => {
  const setting = context.settingFor(`start-${peer}`, 0);
  const server = await (peer === 'rollgate'
    ? startGatewayServer(setting)
    : startPeerServer(peer, setting));
  setting.cleanup.defer(server.stop);
  return server;
};

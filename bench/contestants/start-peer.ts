import { childScript } from '../build.js';
import type { Target } from '../load/target.js';
import { scimUser } from '../load/scim-user.js';
import { BASE, MEDIA_TYPE } from '../peers/scim-messages.js';
import type { Contestant, PeerName } from './contestant.js';
import type { ContestSetting } from './contest-setting.js';
import { startServer, type ServerProcess } from './start-server.js';

export type SimplePeerName = Exclude<PeerName, 'rollgate'>;

/** Only the process, for a database of this name. */
export const startPeerServer = (
  peer: SimplePeerName,
  setting: ContestSetting,
): Promise<ServerProcess> =>
  startServer({
    label: setting.label,
    folder: setting.folder,
    args: [...setting.nodeFlags, childScript(`peers/${peer}.js`)],
    environment: (port) => ({
      PEER_MONGODB_URI: setting.databaseUri(setting.label),
      PEER_PORT: String(port),
    }),
  });

/** A peer with its directory. */
export const startPeer = async (
  peer: SimplePeerName,
  setting: ContestSetting,
): Promise<Contestant> => {
  const { label, size } = setting;
  const server = await startPeerServer(peer, setting);
  setting.cleanup.defer(server.stop);
  const target: Target = { origin: server.origin, base: BASE, headers: {} };
  await preload(server.origin, size);
  return { peer, size, label, server, target, settled: () => Promise.resolve() };
};

const BATCH = 1_000;

/** A batch after the other, so that the order of creation is that of the numbers. */
const preload = async (origin: string, size: number): Promise<void> => {
  for (let from = 0; from < size; from += BATCH) {
    const length = Math.min(BATCH, size - from);
    const users = Array.from({ length }, (_, index) => scimUser('user', from + index + 1));
    const response = await fetch(`${origin}/preload`, {
      method: 'POST',
      headers: { 'content-type': MEDIA_TYPE },
      body: JSON.stringify(users),
    });
    if (!response.ok) throw new Error(`${origin} took no users: ${await response.text()}`);
    await response.arrayBuffer();
  }
};

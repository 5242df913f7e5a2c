import { childScript } from '../build.js';
import { scimUser } from '../load/scim-user.js';
import type { Target } from '../load/target.js';
import { BASE, MEDIA_TYPE } from '../peers/scim-messages.js';
import type { ServerSetting } from './server-setting.js';
import { type ServerProcess, startServerProcess } from './start-server-process.js';
import type { PeerName, TestedServer } from './tested-server.js';

type SimplePeerName = Exclude<PeerName, 'rollgate'>;

/** Starts the process only. */
export const startPeerServer = (
  peer: SimplePeerName,
  setting: ServerSetting,
): Promise<ServerProcess> =>
  startServerProcess({
    label: setting.label,
    folder: setting.folder,
    args: [...setting.nodeFlags, childScript(`peers/${peer}.js`)],
    environment: (port) => ({
      PEER_MONGODB_URI: setting.databaseUri(setting.label),
      PEER_PORT: String(port),
    }),
  });

/** Starts a peer and creates its users. */
export const startPeer = async (
  peer: SimplePeerName,
  setting: ServerSetting,
): Promise<TestedServer> => {
  const { label, size } = setting;
  const process = await startPeerServer(peer, setting);
  setting.cleanup.defer(process.stop);
  const target: Target = { origin: process.origin, base: BASE, headers: {} };
  await preload(process.origin, size);
  return { peer, size, label, process, target, waitForDeliveries: () => Promise.resolve() };
};

const CHUNK = 1_000;

/** One request after the other, so that the users are created in the order of their numbers. */
const preload = async (origin: string, size: number): Promise<void> => {
  for (let from = 0; from < size; from += CHUNK) {
    const length = Math.min(CHUNK, size - from);
    const users = Array.from({ length }, (_, index) => scimUser('user', from + index + 1));
    const response = await fetch(`${origin}/preload`, {
      method: 'POST',
      headers: { 'content-type': MEDIA_TYPE },
      body: JSON.stringify(users),
    });
    if (!response.ok)
      throw new Error(`${origin} did not accept the users: ${await response.text()}`);
    await response.arrayBuffer();
  }
};

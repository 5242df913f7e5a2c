import type { ServerSetting } from './server-setting.js';
import { startGateway } from './start-gateway.js';
import { startPeer } from './start-peer.js';
import type { PeerName, TestedServer } from './tested-server.js';

/** Starts a server and creates its users. */
export const startTestedServer = (peer: PeerName, setting: ServerSetting): Promise<TestedServer> =>
  peer === 'rollgate' ? startGateway(setting) : startPeer(peer, setting);

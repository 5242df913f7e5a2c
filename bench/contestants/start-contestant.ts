import type { Contestant, PeerName } from './contestant.js';
import type { ContestSetting } from './contest-setting.js';
import { startGateway } from './start-gateway.js';
import { startPeer } from './start-peer.js';

/** Starts it and fills its directory. */
export const startContestant = (peer: PeerName, setting: ContestSetting): Promise<Contestant> =>
  peer === 'rollgate' ? startGateway(setting) : startPeer(peer, setting);

import { childScript } from '../build.js';
import { startChild, type Child } from '../../tooling/child.js';
import { temporaryFolder } from '../../tooling/temporary-folder.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import type { Contestant, PeerName } from '../contestants/contestant.js';
import { sizeInWords } from '../contestants/contestant.js';
import type { ContestSetting } from '../contestants/contest-setting.js';
import { startContestant } from '../contestants/start-contestant.js';
import type { LoadMethods } from '../load/load-methods.js';
import { openWebhooks, type Webhooks } from './open-webhooks.js';
import { type Database, startDatabase } from '../../tooling/start-database.js';

/** All that a benchmark needs before the first contestant starts. */
export interface World {
  readonly database: Database;
  readonly load: Child<LoadMethods>;
  readonly webhooks: Webhooks | undefined;
  readonly tell: (line: string) => void;
  readonly cleanup: Cleanup;
  /** Of the benchmark's own, removed at the end. */
  readonly folder: string;
  readonly settingFor: (
    label: string,
    size: number,
    nodeFlags?: readonly string[],
  ) => ContestSetting;
}

export interface WorldOptions {
  readonly webhook: boolean;
  readonly cleanup: Cleanup;
  readonly tell: (line: string) => void;
}

export const openWorld = async ({ webhook, cleanup, tell }: WorldOptions): Promise<World> => {
  const folder = await temporaryFolder('bench', cleanup);
  const database = await startDatabase(cleanup);
  const load = startChild<LoadMethods>(childScript('load/load.js'));
  cleanup.defer(load.stop);
  const webhooks = webhook ? await openWebhooks(folder, cleanup) : undefined;
  const { uriOf: databaseUri } = database;
  return {
    database,
    load,
    webhooks,
    tell,
    cleanup,
    folder,
    settingFor: (label, size, nodeFlags = []) => {
      return { label, size, folder, databaseUri, load, webhooks, nodeFlags, cleanup };
    },
  };
};

/** Starts a contestant, fills its directory and lets the load read it. */
export const enterContestant = async (
  { load, tell }: World,
  peer: PeerName,
  setting: ContestSetting,
): Promise<Contestant> => {
  const { label, size } = setting;
  const began = performance.now();
  const contestant = await startContestant(peer, setting);
  await load.call('meet', { label, target: contestant.target, size });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  tell(`${label}: ${sizeInWords(size)} users in ${seconds} s`);
  return contestant;
};

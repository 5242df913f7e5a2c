import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedMongo } from '../../src/store/embedded/start-embedded-mongo.js';
import type { Cleanup } from '../../tooling/cleanup.js';

/** Starts a mongod of the run's own, on data that goes with it; answers with its address. */
export const ownDatabase = async (
  say: (line: string) => void,
  { defer }: Cleanup,
): Promise<string> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-crash-db-'));
  defer(() => rm(dataDir, { recursive: true, force: true }));
  const tell = (_fields: object, message: string): void => say(message);
  const mongo = await startEmbeddedMongo({ dataDir, log: { info: tell, warn: tell, error: tell } });
  defer(mongo.stop);
  return mongo.uri;
};

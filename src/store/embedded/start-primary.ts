import { join } from 'node:path';
import { noteDataVersion, readDataVersion, seriesOf } from './data-version.js';
import type { MongodBinary } from './mongod-binary.js';
import type { MongodKey } from './mongod-key.js';
import { startMongodProcess, type MongodProcess } from './mongod-process.js';
import { becomePrimary } from './replica-set.js';

export interface EmbeddedPlace {
  readonly binary: MongodBinary;
  readonly dataDir: string;
  readonly dbPath: string;
  readonly key: MongodKey;
}

/** Starts mongod and waits until it takes writes. Rejects with an Error that says where to look. */
export const startPrimary = async (place: EmbeddedPlace, port: number): Promise<MongodProcess> => {
  try {
    const mongod = await startMongodProcess({ ...place, keyFile: place.key.path, port });
    await becomePrimary(port, place.key, mongod.ended).catch(async (error: unknown) => {
      await mongod.stop();
      throw error;
    });
    await noteDataVersion(place.dataDir, place.binary.version);
    return mongod;
  } catch (cause) {
    throw new Error(await adviceFor(place, cause), { cause });
  }
};

const adviceFor = async (place: EmbeddedPlace, cause: unknown): Promise<string> => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const log = join(place.dataDir, 'mongod.log');
  const found = `The embedded mongod did not start (${reason}). ${log} tells more.`;
  const { version } = place.binary;
  const before = (await readDataVersion(place.dataDir)) ?? version;
  if (seriesOf(before) === seriesOf(version)) return found;
  return (
    `${found} The data was written by mongod ${before} and may be foreign to mongod ${version}: ` +
    `set MONGOMS_SYSTEM_BINARY to a mongod ${seriesOf(before)}.`
  );
};

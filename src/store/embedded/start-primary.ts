import { join } from 'node:path';
import { noteDataVersion, readDataVersion, seriesOf } from './data-version.js';
import type { MongodBinary } from './mongod-source.js';
import type { MongodKey } from './mongod-key.js';
import { startMongodProcess, type MongodProcess } from './mongod-process.js';
import { becomePrimary } from './replica-set.js';

export interface EmbeddedSettings {
  readonly binary: MongodBinary;
  readonly dataDir: string;
  readonly dbPath: string;
  readonly key: MongodKey;
}

/**
 * Starts mongod and waits until it accepts writes. Rejects with an Error that says where to look.
 */
export const startPrimary = async (
  settings: EmbeddedSettings,
  port: number,
): Promise<MongodProcess> => {
  try {
    const mongod = await startMongodProcess({ ...settings, keyFile: settings.key.path, port });
    await becomePrimary(port, settings.key, mongod.ended).catch(async (error: unknown) => {
      await mongod.stop();
      throw error;
    });
    await noteDataVersion(settings.dataDir, settings.binary.version);
    return mongod;
  } catch (cause) {
    throw new Error(await messageFor(settings, cause), { cause });
  }
};

const messageFor = async (settings: EmbeddedSettings, cause: unknown): Promise<string> => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const log = join(settings.dataDir, 'mongod.log');
  const found = `The embedded mongod did not start (${reason}). See ${log}.`;
  const { version } = settings.binary;
  const before = (await readDataVersion(settings.dataDir)) ?? version;
  if (seriesOf(before) === seriesOf(version)) return found;
  return (
    `${found} The data was written by mongod ${before}, and mongod ${version} may not be able to ` +
    `read it: set MONGOMS_SYSTEM_BINARY to a mongod ${seriesOf(before)}.`
  );
};

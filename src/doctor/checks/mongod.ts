import { cacheFolder } from '../../process/cache-folder.js';
import { readDataVersion, seriesOf } from '../../store/embedded/mongod-settings.js';
import {
  findMongod,
  type FoundMongod,
  LOCAL_SOURCES,
  NoMongodError,
} from '../../store/embedded/resolve-mongod.js';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../check-result.js';

const nothing = (): void => undefined;
const SILENT = { info: nothing, warn: nothing, error: nothing };

/** The mongod that the next start would run, and whether it can open the data. */
export const checkMongod: Check = async ({ env, isEmbedded, dataDir }) => {
  if (!isEmbedded()) return skip('Not checked: the database is not embedded.');
  const context = { env, cacheDir: cacheFolder(env), log: SILENT };
  try {
    const found = await findMongod(context, LOCAL_SOURCES);
    return evaluate(found, await readDataVersion(dataDir()));
  } catch (error) {
    if (error instanceof NoMongodError) return evaluateMissing(error.failures, env);
    throw error;
  }
};

const evaluate = ({ binary, source }: FoundMongod, writtenBy: string | undefined): CheckResult => {
  const { version, path } = binary;
  const details = { version, path, source, data_written_by: writtenBy ?? null };
  if (writtenBy === undefined || seriesOf(writtenBy) === seriesOf(version))
    return ok(`mongod ${version} from ${source} (${path}).`, details);
  return warn(
    `mongod ${version} from ${source} may be unable to open data written by ${writtenBy}.`,
    `Set MONGOMS_SYSTEM_BINARY to a mongod ${seriesOf(writtenBy)}. Upgrade one release at a time.`,
    details,
  );
};

/** If the configured binary does not run, a start tries no other source. */
const evaluateMissing = (misses: readonly string[], env: NodeJS.ProcessEnv): CheckResult => {
  const tried = misses.join('; ');
  if (env.MONGOMS_SYSTEM_BINARY)
    return fail(
      `The mongod in MONGOMS_SYSTEM_BINARY does not run (${tried}).`,
      'Correct or unset MONGOMS_SYSTEM_BINARY.',
      { tried: misses },
    );
  return warn(
    `No mongod found (${tried}).`,
    'The next start downloads one. Without network access, put mongod on PATH, or set ' +
      'ROLLGATE_MONGODB_URI to a replica set.',
    { tried: misses },
  );
};

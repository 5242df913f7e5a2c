import { cacheFolder } from '../../store/embedded/cache-folder.js';
import { readDataVersion, seriesOf } from '../../store/embedded/data-version.js';
import {
  findMongod,
  type FoundMongod,
  LOCAL_SOURCES,
  NoMongodError,
} from '../../store/embedded/resolve-mongod.js';
import { type Check, fail, ok, skip, type Verdict, warn } from '../verdict.js';

const nothing = (): void => undefined;
const SILENT = { info: nothing, warn: nothing, error: nothing };

/** The mongod that the next start of the embedded database would run, and whether it fits the data. */
export const checkMongod: Check = async ({ env, isEmbedded, dataDir }) => {
  if (!isEmbedded()) return skip('The database is not the embedded one.');
  const context = { env, cacheDir: cacheFolder(env), log: SILENT };
  try {
    const found = await findMongod(context, LOCAL_SOURCES);
    return judge(found, await readDataVersion(dataDir()));
  } catch (error) {
    if (error instanceof NoMongodError) return judgeAbsence(error.misses, env);
    throw error;
  }
};

const judge = ({ binary, source }: FoundMongod, writtenBy: string | undefined): Verdict => {
  const { version, path } = binary;
  const details = { version, path, source, data_written_by: writtenBy ?? null };
  if (writtenBy === undefined || seriesOf(writtenBy) === seriesOf(version))
    return ok(`mongod ${version} from ${source} (${path}).`, details);
  return warn(
    `mongod ${version} from ${source} meets data written by ${writtenBy}, which may be foreign to it.`,
    `Set MONGOMS_SYSTEM_BINARY to a mongod ${seriesOf(writtenBy)}; upgrade by one release at a time.`,
    details,
  );
};

/** One that was named and does not work is not looked past: nothing would be fetched. */
const judgeAbsence = (misses: readonly string[], env: NodeJS.ProcessEnv): Verdict => {
  const tried = misses.join('; ');
  if (env.MONGOMS_SYSTEM_BINARY)
    return fail(
      `The mongod that MONGOMS_SYSTEM_BINARY names does not run here (${tried}).`,
      'Correct MONGOMS_SYSTEM_BINARY, or unset it.',
      { tried: misses },
    );
  return warn(
    `No mongod is here (${tried}).`,
    'The next start fetches one, over the network. Without a network: put mongod on PATH, or set ' +
      'ROLLGATE_MONGODB_URI to a replica set.',
    { tried: misses },
  );
};

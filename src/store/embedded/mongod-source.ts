import type { EmbeddedLog } from './embedded-log.js';
import { isSupported, MIN_VERSION } from '../supported-version.js';
import { runCommand } from './run-command.js';

/** A source of a mongod. */
export interface MongodSource {
  /** As in "mongod 6.0.5 from <name>" and in the list of what was tried. */
  readonly name: string;
  /** Chosen by the operator: if it fails, no other source is tried. */
  readonly isExplicit?: boolean;
  /** The path of a mongod; rejects with the reason if there is none. */
  readonly find: (context: SourceContext) => Promise<string>;
}

export interface SourceContext {
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly log: EmbeddedLog;
}

/** The source has no mongod, which is not an error: the next one is tried. */
export class NothingHere extends Error {
  override readonly name = 'NothingHere';
}

/** A mongod that was run to read its version. */
export interface MongodBinary {
  readonly path: string;
  /** `6.0.5` */
  readonly version: string;
}

/** Runs `mongod --version`; rejects with the reason if it does not run here or is too old. */
export const inspectMongod = async (path: string): Promise<MongodBinary> => {
  const output = await runCommand(path, ['--version'], { env: process.env, timeoutMs: 20_000 });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(output)?.[1];
  if (version === undefined) throw new Error(`${path} is not a mongod`);
  if (!isSupported(version)) {
    throw new Error(`mongod ${version} is too old: Rollgate requires ${MIN_VERSION} or later`);
  }
  return { path, version };
};

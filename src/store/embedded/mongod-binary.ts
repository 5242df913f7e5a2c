import { runCommand } from './run-command.js';

/** A mongod that was run to read its version. */
export interface MongodBinary {
  readonly path: string;
  /** `6.0.5` */
  readonly version: string;
}

/** $$NOW in reads and killSessions need it; older versions are no longer maintained. */
const OLDEST_MAJOR = 5;

/** Runs `mongod --version`; rejects with the reason if it does not run here or is too old. */
export const inspectMongod = async (path: string): Promise<MongodBinary> => {
  const output = await runCommand(path, ['--version'], { env: process.env, timeoutMs: 20_000 });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(output)?.[1];
  if (version === undefined) throw new Error(`${path} is not a mongod`);
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
    throw new Error(`mongod ${version} is too old: Rollgate requires ${OLDEST_MAJOR}.0 or later`);
  }
  return { path, version };
};

import { execFile } from 'node:child_process';
import { isSupported, MIN_VERSION } from '../connect.js';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** The log of the embedded database; a pino logger fits. */
export interface EmbeddedLog {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}

/** A command that could not be run, or failed. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    message: string,
    /** Whether the program does not exist. */
    readonly isMissing: boolean,
  ) {
    super(message);
  }
}

interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

/** Runs a program without a shell and returns its standard output; rejects with a CommandError. */
export const runCommand = (
  file: string,
  args: readonly string[],
  { env, timeoutMs }: CommandOptions,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { env, timeout: timeoutMs, maxBuffer: 8 * 1024 * 1024 };
    execFile(file, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new CommandError(reasonOf(error, stderr), error.code === 'ENOENT'));
    });
  });

/** The last line that a program writes to its error output is the reason. */
const reasonOf = (error: Error & { killed?: boolean }, stderr: string): string => {
  if (error.killed === true) return 'timed out';
  return stderr.trim().split('\n').at(-1)?.trim() || (error.message.split('\n')[0] ?? 'it failed');
};

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

export const EXECUTABLE = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

/** The variable is mongodb-memory-server's, so that one setting serves both. */
export const namedMongod: MongodSource = {
  name: 'MONGOMS_SYSTEM_BINARY',
  isExplicit: true,
  find: ({ env }) => {
    if (!env.MONGOMS_SYSTEM_BINARY) return Promise.reject(new NothingHere('it is not set'));
    return Promise.resolve(resolve(env.MONGOMS_SYSTEM_BINARY));
  },
};

export const mongodOnPath: MongodSource = {
  name: 'PATH',
  find: async ({ env }) => {
    for (const folder of (env.PATH ?? '').split(delimiter)) {
      const path = join(folder, EXECUTABLE);
      if (folder !== '' && (await isExecutable(path))) return path;
    }
    throw new NothingHere('no mongod on it');
  },
};

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

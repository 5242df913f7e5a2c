import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './process-identity.js';
import { runCommand } from './run-command.js';

/** A mongod process that has a folder open. */
export interface ServingMongod {
  readonly pid: number;
  /** Where it listens on this machine; undefined where its command line does not say. */
  readonly port: number | undefined;
}

/** The mongod that serves the folder, if any, whoever started it. */
export const findServingMongod = async (dbPath: string): Promise<ServingMongod | undefined> => {
  const pid = Number.parseInt(await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => ''));
  if (!(pid > 0) || !isAlive(pid)) return undefined;
  const line = await commandLine(pid);
  // Numbers are given again, and a copied folder names the mongod of the original: so this very
  // folder must stand on the command line of the process.
  return WORD_ENDS.some((end) => `${line}${end}`.includes(`--dbpath${end}${dbPath}${end}`))
    ? { pid, port: portIn(line) }
    : undefined;
};

/** Words are parted by NUL in /proc, by spaces in the output of ps. */
const WORD_ENDS = ['\0', ' '];

const portIn = (line: string): number | undefined => {
  const [, port] = /--port[\0 =](\d+)/.exec(line) ?? [];
  return port === undefined ? undefined : Number(port);
};

const commandLine = async (pid: number): Promise<string> => {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    const options = { env: process.env, timeoutMs: 5_000 };
    return runCommand('ps', ['-o', 'command=', '-p', String(pid)], options).catch(() => '');
  }
};

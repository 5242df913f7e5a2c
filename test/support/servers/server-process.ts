import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../src/store/embedded/start-embedded-mongo.js';
import { type Cleanup, temporaryFolder } from '../../../tools/shared/cleanup.js';
import { waitUntil } from '../../../tools/shared/wait-until.js';

const run = promisify(execFile);

export const LOOPBACK = '127.0.0.1';

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What it prints when it serves requests, if it listens earlier. */
  readonly ready?: RegExp;
}

export interface ServerProcess {
  readonly port: number;
  /** Stops it at once, as a power cut would. */
  readonly kill: () => Promise<void>;
}

/** Some servers refuse to run as root; all of them run as this user instead. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** The account that servers run as. */
export const serverAccount = (): number => (isRoot ? NOBODY : (process.getuid?.() ?? NOBODY));

/** Ends the program with this process, even if that is killed. */
const WRAPPER = 'setpriv';
const wrapped = ({ command, args }: Program): string[] => [
  ...['--pdeathsig', 'KILL'],
  ...(isRoot ? ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'] : []),
  ...[command, ...args],
];

/** A folder for a server's data. */
export const serverFolder = async (name: string, cleanup: Cleanup): Promise<string> => {
  const folder = await temporaryFolder(name, cleanup);
  await giveToServer(folder);
  return folder;
};

/** Writes a file that the server can read. */
export const writeServerFile = async (
  folder: string,
  name: string,
  text: string,
): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  await giveToServer(path, 0o600);
  return path;
};

export const giveToServer = async (path: string, mode = 0o700): Promise<void> => {
  await chmod(path, mode);
  if (isRoot) await chown(path, NOBODY, NOBODY);
};

/** Runs a program of a server to its end, such as one that creates its database. */
export const runOnce = async (program: Program, input = ''): Promise<string> => {
  const running = run(WRAPPER, wrapped(program), { env: environment(program), timeout: 60_000 });
  running.child.stdin?.end(input);
  return (await running).stdout;
};

const environment = ({ env }: Program): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  LC_ALL: 'C',
  TZ: 'UTC',
  ...env,
});

/** Starts a server on a free port of this machine, and waits until it answers there. */
export const startServer = async (
  programOn: (port: number) => Program | Promise<Program>,
  cleanup: Cleanup,
): Promise<ServerProcess> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(LOOPBACK);
    const program = await programOn(port);
    const child = spawn(WRAPPER, wrapped(program), {
      env: environment(program),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = collect(child);
    const kill = () => end(child);
    cleanup.defer(kill);
    const isReady = async (): Promise<boolean> =>
      (program.ready?.test(output()) ?? true) && (await accepts(port));
    await waitUntil(
      async () => hasEnded(child) || (await isReady()),
      () => `${program.command} does not answer:\n${output()}`,
    );
    if (!hasEnded(child)) return { port, kill };
    // Another process may have taken the port since it was chosen.
    if (attempt === 3) throw new Error(`${program.command} did not start:\n${output()}`);
  }
};

const collect = (child: ChildProcess): (() => string) => {
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-4_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => output;
};

const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, LOOPBACK);
    const settle = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../bin/ensure-built.js';

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  readonly signal: (name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM') => void;
  /** Resolves with the exit code, or with null if a signal ended the process. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM, and SIGKILL after 30 s. */
  readonly stop: () => Promise<void>;
  /** The end of its output. */
  readonly output: () => string;
}

export interface GatewayProgram {
  /** Default: `src/main.ts`, run by tsx. */
  readonly main?: string;
  readonly nodeFlags?: readonly string[];
  /** The folder in which it runs. */
  readonly cwd?: string;
}

/** The gateway of this path; by default the built one, which is built first if it is outdated. */
export const builtMain = async (path: string): Promise<string> => {
  if (path !== '') return resolve(path);
  if (!(await ensureBuilt({ isWhole: true }))) throw new Error('The gateway is not built.');
  return fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
};

const SOURCE = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const START_MS = 120_000;
const STOP_MS = 30_000;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Resolves when the gateway is ready; rejects with its output if it does not start. */
export const startGatewayProcess = async (
  settings: Readonly<Record<string, string>>,
  { main = SOURCE, nodeFlags = [], cwd = process.cwd() }: GatewayProgram = {},
): Promise<GatewayProcess> => {
  const loader = main.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...nodeFlags, ...loader, main], {
    cwd,
    env: { ...withoutSettings(process.env), ROLLGATE_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const output = lastOutput(child);
  const url = await readyUrl(child, ended, output);
  const stop = async (): Promise<void> => {
    const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(force);
  };
  return { url, pid: child.pid ?? 0, signal: (name) => void child.kill(name), ended, stop, output };
};

/** Settings of the caller's own gateway, such as its database, must not reach this one. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ROLLGATE_')));

type Child = ChildProcessByStdio<null, Readable, Readable>;

const MAX_CHUNKS = 50;

const lastOutput = ({ stdout, stderr }: Child): (() => string) => {
  const chunks: string[] = [];
  for (const stream of [stdout, stderr])
    stream.on('data', (chunk) => {
      chunks.push(String(chunk));
      if (chunks.length > MAX_CHUNKS) chunks.shift();
    });
  return () => chunks.join('').trimEnd();
};

const readyUrl = async (
  child: Child,
  ended: Promise<unknown>,
  output: () => string,
): Promise<string> => {
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  try {
    for (;;) {
      const [, url] = /ready at (\S+)/.exec(output()) ?? [];
      if (url !== undefined) return url;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The gateway did not start.\n${output()}`);
      await Promise.race([ended, once(child.stderr, 'data')]);
    }
  } finally {
    clearTimeout(timer);
  }
};

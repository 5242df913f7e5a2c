import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../src/store/embedded/free-port.js';

export interface ServerSpec {
  readonly label: string;
  /** Node's own flags and the script. */
  readonly args: readonly string[];
  /** Where it runs and where its output goes. */
  readonly folder: string;
  readonly environment: (port: number) => Readonly<Record<string, string>>;
}

export interface ServerProcess {
  readonly pid: number;
  readonly origin: string;
  /** From the start of the process to its first 200 on /readyz. */
  readonly startMs: number;
  readonly stop: () => Promise<void>;
}

const HOST = '127.0.0.1';
const POLL_MS = 3;
const PATIENCE_MS = 60_000;
const GRACE_MS = 30_000;

/** Starts a server and waits until it is ready. Rejects with its last words where it is not. */
export const startServer = async (spec: ServerSpec): Promise<ServerProcess> => {
  const port = await freePort(HOST);
  const logPath = join(spec.folder, `${spec.label}.log`);
  const began = performance.now();
  const child = spawn(process.execPath, spec.args, {
    cwd: spec.folder,
    env: { ...withoutSettings(process.env), ...spec.environment(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logPath);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const origin = `http://${HOST}:${port}`;

  try {
    await becomeReady(child, origin);
  } catch (error) {
    await end(child);
    const lastWords = (await readFile(logPath, 'utf8')).slice(-2_000);
    throw new Error(`${spec.label} did not start: ${String(error)}\n${lastWords}`, {
      cause: error,
    });
  }
  const startMs = performance.now() - began;
  return { pid: child.pid ?? NaN, origin, startMs, stop: () => end(child) };
};

/** What the caller's shell sets for a gateway of its own is none of the benchmark's. */
const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(ROLLGATE|PEER|npm)_/.test(name)),
  );

const becomeReady = async (child: ChildProcess, origin: string): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  while ((await statusOf(`${origin}/readyz`)) !== 200) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}.`);
    if (performance.now() > deadline) throw new Error('it did not become ready in time.');
    await wait(POLL_MS);
  }
};

/** The status; undefined while nobody listens. */
const statusOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const asked = request(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', () => resolve(undefined));
    asked.end();
  });

const isRunning = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null;

/** In order, as an operator would; by force where that takes too long. */
const end = async (child: ChildProcess): Promise<void> => {
  if (!isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(force);
};

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/store/embedded/start-embedded-mongo.js';

export interface ServerSpec {
  readonly label: string;
  /** Node.js flags and the script. */
  readonly args: readonly string[];
  /** The working directory, which also gets the log file. */
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
const START_MS = 60_000;
const STOP_MS = 30_000;

/** Resolves when the server is ready; rejects with its output if it does not start. */
export const startServerProcess = async (spec: ServerSpec): Promise<ServerProcess> => {
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
    await waitUntilReady(child, origin);
  } catch (error) {
    await stop(child);
    const output = (await readFile(logPath, 'utf8')).slice(-2_000);
    throw new Error(`${spec.label} did not start: ${String(error)}\n${output}`, {
      cause: error,
    });
  }
  const startMs = performance.now() - began;
  return { pid: child.pid ?? NaN, origin, startMs, stop: () => stop(child) };
};

/** Settings of the caller's own gateway must not change the benchmark. */
const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(ROLLGATE|PEER|npm)_/.test(name)),
  );

const waitUntilReady = async (child: ChildProcess, origin: string): Promise<void> => {
  const deadline = performance.now() + START_MS;
  while ((await statusOf(`${origin}/readyz`)) !== 200) {
    if (child.exitCode !== null) throw new Error(`exit code ${child.exitCode}.`);
    if (performance.now() > deadline) throw new Error('not ready in time.');
    await sleep(POLL_MS);
  }
};

/** The status; undefined while the server does not listen. */
const statusOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = request(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', () => resolve(undefined));
    sent.end();
  });

const isRunning = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null;

/** Sends SIGTERM, and SIGKILL after 30 s. */
const stop = async (child: ChildProcess): Promise<void> => {
  if (!isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(force);
};

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import got from 'got';
import type { Cleanup } from '../../tooling/cleanup.js';
import { DemoFailure } from './demo-failure.js';
import { collectWords } from './collect-words.js';

export interface GatewayStart {
  readonly dataDir: string;
  readonly adminToken: string;
  readonly authorityPath: string;
  /** A database that is there already; absent: the gateway's own. */
  readonly mongodbUri?: string | undefined;
}

const COMMAND = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const START_MS = 120_000;
const STOP_MS = 30_000;

/**
 * A gateway from source in a process of its own, which ends with the clean-up. Resolves with its
 * address when it is ready, rejects with its last words where it does not start.
 */
export const startGateway = async (start: GatewayStart, { defer }: Cleanup): Promise<string> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['--import', 'tsx', COMMAND, 'serve'], {
    env: { ...withoutSettings(process.env), ...settingsOf(start, port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  defer(() => end(child));
  const lastWords = collectWords(child);
  await untilReady(url, child).catch((error: unknown) => {
    throw new DemoFailure(
      `${error instanceof Error ? error.message : String(error)}\n${lastWords()}`,
    );
  });
  return url;
};

/** Nobody's own settings: a demo must not play in the database that somebody works with. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ROLLGATE_')));

const settingsOf = (
  { dataDir, adminToken, authorityPath, mongodbUri }: GatewayStart,
  port: number,
): NodeJS.ProcessEnv => ({
  ROLLGATE_HOST: '127.0.0.1',
  ROLLGATE_PORT: String(port),
  ROLLGATE_DATA_DIR: dataDir,
  ROLLGATE_ADMIN_TOKEN: adminToken,
  ROLLGATE_LOG_LEVEL: 'warn',
  ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
  ROLLGATE_WEBHOOKS_CA: authorityPath,
  ROLLGATE_WEBHOOKS_RETRY: '1s,2s',
  ...(mongodbUri !== undefined && { ROLLGATE_MONGODB_URI: mongodbUri }),
});

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

const untilReady = async (url: string, child: ChildProcess): Promise<void> => {
  const until = Date.now() + START_MS;
  for (;;) {
    if (hasEnded(child)) throw new Error('The gateway ended before it was ready.');
    if (Date.now() > until) throw new Error(`The gateway was not ready in ${START_MS} ms.`);
    const isReady = await got(`${url}/readyz`, { retry: { limit: 0 }, timeout: { request: 2_000 } })
      .then(({ ok }) => ok)
      .catch(() => false);
    if (isReady) return;
    await pause(50);
  }
};

const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(killer);
};

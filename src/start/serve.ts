import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { ConfigError } from '../../config/config-error.js';
import { checkConfig } from './check-config.js';
import { commandHint } from '../process/program.js';
import { type Gateway, startGateway } from './compose.js';
import { loadPlugins } from './load-extensions.js';
import { createLogger } from '../process/logger.js';
import type { SetupLink } from './setup-link.js';

export interface ServeOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Invalid settings, as opposed to a failed start. */
const EXIT_USAGE = 2;
/** A failed process has this long to end by itself. */
const EXIT_MS = 5_000;

/**
 * With memory to spare, V8 lets garbage grow to several times the size of live data: on 24 GB, a
 * change of 100,000 members added 342 MB. This makes it collect once the heap has grown by 70 %. At
 * 50 % a change added 111 MB, with the same latencies, but a Bulk of 1,000 took a fifth more CPU; at
 * 100 % up to a tenth and 165 MB, with deliveries. Unlike `--max-old-space-size`, this is not a limit
 * at which a large request would end the process.
 */
const HEAP_GROWTH = '--heap-growing-percent=70';

/** Runs the gateway until a signal stops it. A failed start prints the reason and what to do. */
export const serve = async (options: ServeOptions): Promise<void> => {
  try {
    await run(options);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = error instanceof ConfigError ? EXIT_USAGE : 1;
  }
};

const run = async ({ env, cwd = process.cwd() }: ServeOptions): Promise<void> => {
  setFlagsFromString(HEAP_GROWTH);
  const options = { env, cwd };
  const { loaded, plugins } = checkConfig(options, await loadPlugins(options));
  const log = createLogger(loaded.config.log.level);
  const signals = listenForSignals(env, log);
  const gateway = await startGateway({ loaded, plugins, log, env, onStep: createProgress() });
  const { port } = loaded.config;
  announce(gateway, {
    command: commandHint({
      ...{ env, cwd },
      program: process.argv[1],
      randomUrl: port === 0 ? gateway.url : undefined,
    }),
    needsToken: Boolean(env.ROLLGATE_ADMIN_TOKEN),
  });
  await Promise.race([signals.received, failureOf(gateway)]);
  log.info({}, 'stopping: finishing requests in flight');
  await gateway.drain();
  await gateway.stop();
  log.info({}, 'stopped');
  signals.stopListening();
  if (gateway.failed.aborted) endFailed(gateway.failed.reason);
};

/** Prints each step of the start with its time, as the build does. */
const createProgress = (): ((step: string) => void) => {
  let since = performance.now();
  return (step) => {
    const seconds = ((performance.now() - since) / 1_000).toFixed(1);
    process.stderr.write(`  ${step}: ${seconds} s\n`);
    since = performance.now();
  };
};

const failureOf = ({ failed }: Gateway): Promise<unknown> =>
  new Promise((resolve) => {
    if (failed.aborted) resolve(undefined);
    else failed.addEventListener('abort', resolve, { once: true });
  });

/** A supervisor starts the process again. It ends even if something keeps it running. */
const endFailed = (cause: unknown): void => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`Rollgate has failed and stops. The pipeline has ended: ${reason}\n`);
  process.exitCode = 1;
  setTimeout(() => process.exit(), EXIT_MS).unref();
};

/**
 * The first SIGINT or SIGTERM requests a graceful stop, the second one exits at once. Handled from
 * the beginning, so that an interrupted start stops the embedded database, too. SIGHUP and SIGUSR2,
 * which ask other servers for a reload or a new log file, must not end this one; but a terminal that
 * is closed sends SIGHUP, and its gateway stops.
 */
const listenForSignals = (
  env: NodeJS.ProcessEnv,
  log: Logger,
): { readonly received: Promise<void>; readonly stopListening: () => void } => {
  let resolveReceived = (): void => undefined;
  const received = new Promise<void>((resolve) => {
    resolveReceived = resolve;
  });
  let isFirst = true;
  const onSignal = (): void => {
    if (!isFirst) process.exit(1);
    isFirst = false;
    resolveReceived();
  };
  // A shell and the kernel may both send one when a terminal closes: the second is not impatience.
  const onHangUp = (): void => resolveReceived();
  const ignore = (signal: string): void =>
    log.warn({}, `${signal} ignored: settings are read at the start; restart to apply changes`);
  const stopping = ['SIGINT', 'SIGTERM'];
  for (const signal of stopping) process.on(signal, onSignal);
  process.on('SIGHUP', process.stderr.isTTY ? onHangUp : ignore);
  process.on('SIGUSR2', ignore);
  // Ctrl-C also ends npm, which must not count as a second signal.
  const stopWatching = watchNpm(env, () => resolveReceived());
  return {
    received,
    stopListening: () => {
      stopWatching();
      for (const signal of stopping) process.off(signal, onSignal);
    },
  };
};

/**
 * `npm start` does not forward signals: ending only npm would leave the gateway and its database
 * running. So the gateway stops when the npm that started it has ended. Returns a function that
 * stops watching.
 */
const watchNpm = (env: NodeJS.ProcessEnv, ended: () => void): (() => void) => {
  if (env.npm_lifecycle_event === undefined) return () => undefined;
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    ended();
  }, 500);
  timer.unref();
  return () => clearInterval(timer);
};

/** Prints the addresses, where the secrets are stored, and the next command. */
const announce = (
  { url, publicUrl, dashboardUrl, adminToken, adminTokenPath, isNewToken, setup }: Gateway,
  { command, needsToken }: { readonly command: string; readonly needsToken: boolean },
): void => {
  const next = needsToken ? 'Next, with ROLLGATE_ADMIN_TOKEN set' : 'Next';
  const lines = [
    '',
    `  Rollgate is ready at ${url}`,
    ...(publicUrl === url ? [] : [`  Public URL     ${publicUrl}`]),
    ...(dashboardUrl === null ? [] : [`  Dashboard      ${dashboardUrl}`]),
    `  API reference  ${publicUrl}/docs/`,
    tokenLine({ adminToken, adminTokenPath }, isNewToken),
    ...(setup ? [setupLine(setup)] : []),
    '',
    `  ${next}: ${command} tenant create acme --name "Acme" && ${command} key create acme --preset idp`,
    '',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
};

/** The token itself is printed to a terminal only, and only once (decisions.md 8). */
const tokenLine = (
  { adminToken, adminTokenPath }: Pick<Gateway, 'adminToken' | 'adminTokenPath'>,
  isNew: boolean,
): string => {
  if (adminToken === '') return '  Admin token    set on another gateway of this database';
  if (adminTokenPath === null) return '  Admin token    as configured';
  const shown = isNew && process.stderr.isTTY ? `\n                 ${adminToken}` : '';
  return `  Admin token    in ${adminTokenPath}${shown}`;
};

/** Like the token, the link is printed to a terminal only. It creates the first owner, once. */
const setupLine = ({ setupUrl, setupPath }: SetupLink): string => {
  const place = setupPath === null ? 'sign in with the admin token' : `in ${setupPath}`;
  const shown = process.stderr.isTTY ? `\n                 ${setupUrl}` : '';
  return `  Setup link     ${place}${shown}`;
};

const explain = (error: unknown): string =>
  error instanceof Error ? `Rollgate did not start. ${error.message}` : String(error);

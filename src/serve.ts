import './lean-heap.js';
import { ConfigError } from '../config/config-error.js';
import { checkConfig } from './check-config.js';
import { type Gateway, startGateway } from './compose.js';
import { loadPlugins } from './load-plugins.js';
import { createLogger } from './logger.js';

export interface ServeOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The settings file; absent: as ROLLGATE_CONFIG says, else config/rollgate.yaml. */
  readonly configPath?: string;
  readonly cwd?: string;
}

/** Wrong settings, as opposed to a start that failed. */
const EXIT_USAGE = 2;

/** Runs the gateway until it is told to stop. A start that fails says why and what to do. */
export const serve = async (options: ServeOptions): Promise<void> => {
  try {
    await run(options);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = error instanceof ConfigError ? EXIT_USAGE : 1;
  }
};

const run = async ({ env, configPath, cwd = process.cwd() }: ServeOptions): Promise<void> => {
  const options = { env, cwd, ...(configPath === undefined ? {} : { path: configPath }) };
  const { loaded, plugins } = checkConfig(options, await loadPlugins(options));
  const log = createLogger(loaded.config.log.level);
  const abort = stopOnSignal(env);
  const gateway = await startGateway({ loaded, plugins, log, env });
  announce(gateway, env);
  await abort.signalled;
  log.info({}, 'stopping: finishing what is under way');
  await gateway.drain();
  await gateway.stop();
  log.info({}, 'stopped');
  abort.done();
};

/**
 * The first SIGINT or SIGTERM asks for an orderly end, the second one does not wait for it. Heard
 * from the very beginning, so that a start can be called off without leaving a database behind.
 */
const stopOnSignal = (
  env: NodeJS.ProcessEnv,
): { readonly signalled: Promise<void>; readonly done: () => void } => {
  let signalled = (): void => undefined;
  let isAsked = false;
  const hear = (): void => {
    if (isAsked) process.exit(1);
    isAsked = true;
    signalled();
  };
  // Ctrl-C reaches npm as well: that its end is seen after the signal is no second one.
  const hearOfNpm = (): void => signalled();
  const promise = new Promise<void>((resolve) => {
    signalled = resolve;
  });
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
  const stopWatching = watchNpm(env, hearOfNpm);
  return {
    signalled: promise,
    done: () => {
      stopWatching();
      process.off('SIGINT', hear);
      process.off('SIGTERM', hear);
    },
  };
};

/**
 * `npm start` hands no signal on: whoever ends npm, and npm alone, would leave a gateway and its
 * database behind. So where npm started us, its end is ours. Returns how to stop watching.
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

/** For whoever started it by hand: where it is, and how to get in. */
const announce = (
  { url, publicUrl, adminToken, adminTokenPath, madeNow }: Gateway,
  env: NodeJS.ProcessEnv,
): void => {
  // Whoever starts it by npm has the command in the folder, not on his path.
  const command = env.npm_lifecycle_event === undefined ? 'rollgate' : 'npx rollgate';
  const lines = [
    '',
    `  Rollgate is ready at ${url}`,
    ...(publicUrl === url ? [] : [`  known to clients as  ${publicUrl}`]),
    `  API reference        ${publicUrl}/docs/`,
    tokenLine({ adminToken, adminTokenPath }, madeNow),
    '',
    `  Next: ${command} tenant create acme --name "Acme" && ${command} key create acme --preset idp`,
    '',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
};

/** The token itself only goes to a terminal, and only the first time (decisions.md 8). */
const tokenLine = (
  { adminToken, adminTokenPath }: Pick<Gateway, 'adminToken' | 'adminTokenPath'>,
  madeNow: boolean,
): string => {
  if (adminToken === '')
    return '  Operators’ token     as set on another gateway of this database, or by a rotation';
  if (adminTokenPath === null) return '  Operators’ token     as configured';
  const shown = madeNow && process.stderr.isTTY ? `\n                       ${adminToken}` : '';
  return `  Operators’ token     in ${adminTokenPath}${shown}`;
};

const explain = (error: unknown): string =>
  error instanceof Error ? `Rollgate did not start. ${error.message}` : String(error);

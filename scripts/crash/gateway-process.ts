import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { collectWords } from '../demo/collect-words.js';

/** A gateway in a process of its own: it can be killed, stopped and continued like any other. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  readonly signal: (name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM') => void;
  /** Resolves when it is over: with its exit code, or null where a signal ended it. */
  readonly ended: Promise<number | null>;
  /** The last of what it said, for when it does what it should not. */
  readonly lastWords: () => string;
}

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const START_MS = 120_000;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Resolves when it is ready; rejects with its last words where it does not start. */
export const startGatewayProcess = async (
  settings: Readonly<Record<string, string>>,
): Promise<GatewayProcess> => {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    env: { ...withoutSettings(process.env), ROLLGATE_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const lastWords = collectWords(child);
  const url = await untilReady(child, ended, lastWords);
  return { url, pid: child.pid ?? 0, signal: (name) => void child.kill(name), ended, lastWords };
};

/** Nobody's own settings: what is killed here must not run on somebody's database. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ROLLGATE_')));

const isOver = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

const untilReady = async (
  child: ChildProcess,
  ended: Promise<unknown>,
  lastWords: () => string,
): Promise<string> => {
  const tooLate = setTimeout(() => child.kill('SIGKILL'), START_MS);
  try {
    for (;;) {
      const [, url] = /ready at (\S+)/.exec(lastWords()) ?? [];
      if (url !== undefined) return url;
      if (isOver(child)) throw new Error(`The gateway did not start.\n${lastWords()}`);
      await Promise.race([ended, once(child.stderr!, 'data')]);
    }
  } finally {
    clearTimeout(tooLate);
  }
};

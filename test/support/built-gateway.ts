import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMMAND = `${ROOT}bin/rollgate.js`;

/** The gateway as it is installed: built, in a process of its own. */
export interface BuiltGateway {
  readonly url: string;
  /** Its log, line by line. */
  readonly lines: readonly string[];
  /** By SIGTERM; resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
  /** By SIGKILL; resolves when it has ended. */
  readonly kill: () => Promise<void>;
}

type Env = Readonly<Record<string, string>>;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

const withoutSettings = (more: Env): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^ROLLGATE_/.test(name))),
  ...more,
});

/** Writes the declarations of a package, which a start does not need (decision 0035). */
export const writeDeclarations = async (): Promise<void> => {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT });
};

/** Runs the built command; builds it first if it is older than its sources. */
export const runBuilt = async (
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Env },
): Promise<{ readonly exitCode: number; readonly out: string; readonly notes: string }> => {
  const options = { cwd, env: withoutSettings(env), maxBuffer: 64 * 1024 * 1024 };
  try {
    const run = await promisify(execFile)(process.execPath, [COMMAND, ...words], options);
    return { exitCode: 0, out: run.stdout, notes: run.stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exitCode: code, out: stdout, notes: stderr };
  }
};

/** Starts `rollgate serve`; rejects with its log if it ends before it serves. */
export const startBuilt = async (cwd: string, env: Env): Promise<BuiltGateway> => {
  const child = spawn(process.execPath, [COMMAND, 'serve'], {
    cwd,
    env: withoutSettings({ ROLLGATE_PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const [, found] = /ready at (\S+)/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
    void ended.then((code) => reject(new Error(`It ended with ${code}.\n${lines.join('\n')}`)));
  });
  return {
    url,
    lines,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

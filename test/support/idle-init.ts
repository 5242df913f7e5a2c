import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * A child subreaper (prctl(2), PR_SET_CHILD_SUBREAPER): orphaned descendants become its children,
 * as they become children of process 1 in a container. It never reaps them, so they stay zombies.
 */
const PROGRAM = `
import ctypes, json, os, subprocess, sys
if ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) != 0: sys.exit('no subreaper')
children = []
for line in sys.stdin:
    child = subprocess.Popen(json.loads(line), start_new_session=True, stdin=subprocess.DEVNULL)
    children.append(child)
    print(json.dumps({'pid': child.pid}), flush=True)
os._exit(0)
`;

export interface NonReapingInit {
  readonly pid: number;
  /** Starts a program in its own process group; its output goes to `onText`. */
  readonly start: (words: readonly string[]) => Promise<number>;
  /** Stops it; its zombies are reaped by process 1. */
  readonly stop: () => Promise<void>;
}

/** Starts a container's init process that does not reap orphans, such as `sh` or `node`. */
export const startNonReapingInit = (
  env: NodeJS.ProcessEnv,
  onText: (text: string) => void,
): NonReapingInit => {
  const init: ChildProcess = spawn('python3', ['-c', PROGRAM], { env, stdio: 'pipe' });
  const pids: ((pid: number) => void)[] = [];
  createInterface({ input: init.stdout! }).on('line', (line) => {
    const started = /^\{"pid": (\d+)\}$/.exec(line);
    if (started === null) onText(`${line}\n`);
    else pids.shift()?.(Number(started[1]));
  });
  init.stderr!.on('data', (bytes: Buffer) => onText(bytes.toString()));
  return {
    pid: init.pid ?? 0,
    start: (words) =>
      new Promise((resolve) => {
        pids.push(resolve);
        init.stdin!.write(`${JSON.stringify(words)}\n`);
      }),
    stop: async () => {
      if (init.exitCode !== null) return;
      init.stdin!.end();
      await once(init, 'exit');
    },
  };
};

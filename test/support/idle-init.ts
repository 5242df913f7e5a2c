import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * prctl(2), PR_SET_CHILD_SUBREAPER: every orphan below it becomes its child, as it becomes the
 * child of process 1 in a container. It never waits for one, so all of them stay as zombies.
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

export interface IdleInit {
  readonly pid: number;
  /** Starts a program in a process group of its own; what it writes goes to `onText`. */
  readonly start: (words: readonly string[]) => Promise<number>;
  /** Ends it; what it left unwaited for goes to the machine's own first process. */
  readonly end: () => Promise<void>;
}

/** The first process of a container that does not wait for orphans (`sh`, `node`, most programs). */
export const startIdleInit = (env: NodeJS.ProcessEnv, onText: (text: string) => void): IdleInit => {
  const init: ChildProcess = spawn('python3', ['-c', PROGRAM], { env, stdio: 'pipe' });
  const pids: ((pid: number) => void)[] = [];
  createInterface({ input: init.stdout! }).on('line', (line) => {
    const said = /^\{"pid": (\d+)\}$/.exec(line);
    if (said === null) onText(`${line}\n`);
    else pids.shift()?.(Number(said[1]));
  });
  init.stderr!.on('data', (bytes: Buffer) => onText(bytes.toString()));
  return {
    pid: init.pid ?? 0,
    start: (words) =>
      new Promise((resolve) => {
        pids.push(resolve);
        init.stdin!.write(`${JSON.stringify(words)}\n`);
      }),
    end: async () => {
      if (init.exitCode !== null) return;
      init.stdin!.end();
      await once(init, 'exit');
    },
  };
};

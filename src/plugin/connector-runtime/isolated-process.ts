import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A Node.js program for a process of its own. */
export interface ProcessOptions {
  /** The file of an ES module, or the text of one. */
  readonly program: URL | string;
  /** The largest heap of JavaScript, in MiB. */
  readonly heapMb: number;
  /** The most that the process may have in memory, in MiB: buffers are not part of the heap. */
  readonly memoryMb: number;
  /** Its only variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called for each message that it sends with `process.send`. */
  readonly onMessage: (message: unknown) => void;
}

/** Why a process has ended. */
export interface ProcessEnd {
  /** It needed more memory than it may have. */
  readonly isMemory: boolean;
  /** The last lines that it wrote to stderr: for the log, without secrets only if it writes none. */
  readonly notes: string;
}

/** A running process. */
export interface IsolatedProcess {
  /** Values that the structured clone algorithm can copy; lost if it has ended. */
  readonly send: (message: unknown) => void;
  /** Ends it at once, whatever it does; resolves when it has ended. */
  readonly kill: () => Promise<ProcessEnd>;
  /** Resolves when it has ended. */
  readonly ended: Promise<ProcessEnd>;
  readonly pid: number | undefined;
}

const NOTES_LENGTH = 2_000;
/** What it wrote last arrives after its end, or never if it left stderr to another process. */
const NOTES_MS = 500;
const TOO_LARGE = 'rollgate: the process needs too much memory';
const OUT_OF_MEMORY = /heap out of memory|Allocation failed - process out of memory/;

/**
 * Runs a program in a process that can neither take the memory or the time of the gateway, nor outlive
 * it: it is killed above its limits and when the gateway ends, even in a loop without end. It gets no
 * variables and no files of the gateway, only messages.
 */
export const startProcess = (options: ProcessOptions): IsolatedProcess => {
  const { program, heapMb, memoryMb, env = {} } = options;
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMb}`,
      ...['--import', guardOf(memoryMb)],
      ...(typeof program === 'string'
        ? ['--input-type=module', '--eval', program]
        : [...loaderOf(program), fileURLToPath(program)]),
    ],
    // Messages are copied as worker threads would: JSON knows no `undefined` in lists, and no dates.
    // A group of its own: Ctrl-C signals the terminal's, and the gateway must stop its runs first.
    { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], serialization: 'advanced', detached: true },
  );
  lowerPriority(child);
  // The gateway ends without waiting for it.
  child.unref();
  child.channel?.unref();

  let notes = '';
  let isMemory = false;
  const stderr = child.stdio[2] as NodeJS.ReadableStream & { readonly unref?: () => void };
  stderr.unref?.();
  stderr.setEncoding('utf8').on('data', (text: string) => {
    notes += text;
    // A stack trace follows it, which may be longer than the notes that are kept.
    isMemory ||= notes.includes(TOO_LARGE) || OUT_OF_MEMORY.test(notes);
    notes = notes.slice(-NOTES_LENGTH);
  });
  child.on('message', options.onMessage);
  const ended = endOf(child).then(() => ({ isMemory, notes: notes.trim() }));
  return {
    // Without a callback, the channel of a process that has ended would throw.
    send: (message) => void child.send(message as object, () => undefined),
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
    ended,
    pid: child.pid,
  };
};

const endOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('close', () => resolve());
    // A busy gateway may not have read it yet when the time is over: it reads before `setImmediate`.
    child.once('exit', () => setTimeout(() => setImmediate(resolve), NOTES_MS).unref());
    // It could not be started.
    child.once('error', () => resolve());
  });

/** The sources are run by tsx, which is no part of an installed gateway. */
const loaderOf = (program: URL): readonly string[] =>
  program.pathname.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];

/** On a machine with few cores, what it computes must not slow the gateway and the database. */
const lowerPriority = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended.
  }
};

/**
 * A module that runs before the program. Its thread goes on while the program loops or allocates: it
 * ends the process above the limit of memory, and if the gateway is gone. Signals to stop, which
 * systemd's default KillMode sends to all processes of a service, are for the gateway, which ends this
 * process. Where the kernel runs short of memory, it should end this process rather than the gateway.
 */
const guardOf = (memoryMb: number): string => {
  const thread = `
    const { writeSync } = require('node:fs');
    setInterval(() => {
      const isTooLarge = process.memoryUsage.rss() > ${memoryMb * 1_024 * 1_024};
      if (isTooLarge) writeSync(2, '${TOO_LARGE}\\n');
      if (isTooLarge || process.ppid !== ${process.pid}) process.kill(process.pid, 'SIGKILL');
    }, 100);`;
  const module = `
    import { writeFileSync } from 'node:fs';
    import { isMainThread, Worker } from 'node:worker_threads';
    if (isMainThread) {
      process.once('disconnect', () => process.exit());
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
      try { writeFileSync('/proc/self/oom_score_adj', '1000'); } catch {}
      new Worker(${JSON.stringify(thread)}, { eval: true, env: {}, execArgv: [] }).unref();
    }`;
  return `data:text/javascript,${encodeURIComponent(module)}`;
};

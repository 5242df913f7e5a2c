import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Identifies a process, even if its id is reused later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot and the clock tick of its start; null if the system has no /proc. */
  readonly startedAt: string | null;
}

export const identify = async (pid: number): Promise<ProcessIdentity> => ({
  pid,
  startedAt: await startOf(pid),
});

/** Whether this process still runs. */
export const isRunning = async ({ pid, startedAt }: ProcessIdentity): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  return startedAt === null || startedAt === (await startOf(pid));
};

/** Whether a process with this id runs; one that has exited and was not reaped does not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !isDefunct(pid);
};

/**
 * A zombie accepts signals like any process. In a container whose first process does not reap
 * orphans, such as `sh` or `node`, it stays forever. False if there is no /proc.
 */
const isDefunct = (pid: number): boolean => {
  try {
    return DEFUNCT.includes(fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))[0] ?? '');
  } catch {
    return false;
  }
};

/** proc(5): zombie; dead, exiting. */
const DEFUNCT = ['Z', 'X', 'x'];

/** The boot, and the clock ticks from there to its start. */
const startOf = async (pid: number): Promise<string | null> => {
  const boot = await readText('/proc/sys/kernel/random/boot_id');
  const stat = await readText(`/proc/${pid}/stat`);
  const ticks = stat === undefined ? undefined : fieldsOf(stat)[19];
  return boot === undefined || ticks === undefined ? null : `${boot.trim()} ${ticks}`;
};

/**
 * The fields from the state on: the program's name before it, in parentheses, may contain spaces
 * and parentheses.
 */
const fieldsOf = (stat: string): readonly string[] =>
  stat.slice(stat.lastIndexOf(')') + 2).split(' ');

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A process as it can be told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot and the tick it was started at; null where the system does not tell (no /proc). */
  readonly startedAt: string | null;
}

export const identify = async (pid: number): Promise<ProcessIdentity> => ({
  pid,
  startedAt: await startOf(pid),
});

/** Whether that very process still runs. */
export const isRunning = async ({ pid, startedAt }: ProcessIdentity): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  return startedAt === null || startedAt === (await startOf(pid));
};

/** Whether a process of this number runs; one that ended and was not waited for does not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and another user's.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !isDefunct(pid);
};

/**
 * A zombie takes signals like any process. In a container whose first process does not wait for
 * orphans, as `sh` and `node` do not, it stays for ever. False where there is no /proc.
 */
const isDefunct = (pid: number): boolean => {
  try {
    return DEFUNCT.includes(fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))[0] ?? '');
  } catch {
    return false;
  }
};

/** proc(5): zombie; dead, on its way out. */
const DEFUNCT = ['Z', 'X', 'x'];

/** When it was started: the boot, and the tick since then. */
const startOf = async (pid: number): Promise<string | null> => {
  const boot = await readText('/proc/sys/kernel/random/boot_id');
  const stat = await readText(`/proc/${pid}/stat`);
  const ticks = stat === undefined ? undefined : fieldsOf(stat)[19];
  return boot === undefined || ticks === undefined ? null : `${boot.trim()} ${ticks}`;
};

/** From the state on: the program's name before it, in brackets, may hold spaces and brackets. */
const fieldsOf = (stat: string): readonly string[] =>
  stat.slice(stat.lastIndexOf(')') + 2).split(' ');

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);

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

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** proc(5): the name of the program, in brackets, may itself hold spaces and brackets. */
const startOf = async (pid: number): Promise<string | null> => {
  const boot = await readText('/proc/sys/kernel/random/boot_id');
  const stat = await readText(`/proc/${pid}/stat`);
  const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return boot === undefined || ticks === undefined ? null : `${boot.trim()} ${ticks}`;
};

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);

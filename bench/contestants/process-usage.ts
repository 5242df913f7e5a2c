import { readFile } from 'node:fs/promises';

/** What a process has taken so far, as Linux counts it (proc(5)). */
export interface Usage {
  /** User and system time. */
  readonly cpuMs: number;
  readonly rssMb: number;
  /** The most it ever had. */
  readonly peakMb: number;
}

/** USER_HZ is 100 wherever Linux runs. */
const TICK_MS = 10;

export const readUsage = async (pid: number): Promise<Usage> => {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  return { cpuMs: cpuTicksIn(stat) * TICK_MS, ...memoryIn(status) };
};

/** utime and stime are fields 14 and 15; the second field, a name, may hold spaces. */
export const cpuTicksIn = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
};

export const memoryIn = (status: string): Pick<Usage, 'rssMb' | 'peakMb'> => {
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
  return { rssMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
};

/** CPU of the thread that runs JavaScript, finer than the ticks of the whole process. */
export const readMainThreadMs = async (pid: number): Promise<number> => {
  const schedstat = await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
  return Number(schedstat.split(' ')[0]) / 1e6;
};

import { readFile, writeFile } from 'node:fs/promises';

/** CPU time and memory of a process, as Linux counts them (proc(5)). */
interface ProcessUsage {
  /** User and system time. */
  readonly cpuMs: number;
  readonly rssMb: number;
  /** The highest resident memory since the start or the last `resetPeak`. */
  readonly peakMb: number;
}

/** USER_HZ is 100 wherever Linux runs. */
const TICK_MS = 10;

export const readUsage = async (pid: number): Promise<ProcessUsage> => {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  return { cpuMs: cpuTicksIn(stat) * TICK_MS, ...memoryIn(status) };
};

/** utime and stime are fields 14 and 15; the second field, the name, may contain spaces. */
const cpuTicksIn = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
};

const memoryIn = (status: string): Pick<ProcessUsage, 'rssMb' | 'peakMb'> => {
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
  return { rssMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
};

/** Starts a new measurement of the peak. Ignored where the kernel does not allow it. */
export const resetPeak = (pid: number): Promise<void> =>
  writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);

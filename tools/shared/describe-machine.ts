import { execFile } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The machine and the code that are measured. */
export interface Machine {
  readonly date: string;
  readonly commit: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  /** Of the last minute. */
  readonly loadAverage: number;
}

const commit = async (): Promise<string> => {
  try {
    const git = promisify(execFile);
    return (await git('git', ['describe', '--always', '--dirty'], { cwd: ROOT })).stdout.trim();
  } catch {
    return 'unknown';
  }
};

export const describeMachine = async (): Promise<Machine> => ({
  date: new Date().toISOString(),
  commit: await commit(),
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
  loadAverage: loadavg()[0] ?? NaN,
});

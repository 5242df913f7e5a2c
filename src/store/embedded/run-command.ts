import { execFile } from 'node:child_process';

/** A command that could not be run, or failed. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    message: string,
    /** Whether the program does not exist. */
    readonly isMissing: boolean,
  ) {
    super(message);
  }
}

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

/** Runs a program without a shell and returns its standard output; rejects with a CommandError. */
export const runCommand = (
  file: string,
  args: readonly string[],
  { env, timeoutMs }: CommandOptions,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { env, timeout: timeoutMs, maxBuffer: 8 * 1024 * 1024 };
    execFile(file, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new CommandError(reasonOf(error, stderr), error.code === 'ENOENT'));
    });
  });

/** The last line that a program writes to its error output is the reason. */
const reasonOf = (error: Error & { killed?: boolean }, stderr: string): string => {
  if (error.killed === true) return 'timed out';
  return stderr.trim().split('\n').at(-1)?.trim() || (error.message.split('\n')[0] ?? 'it failed');
};

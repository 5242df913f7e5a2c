import { execFile } from 'node:child_process';

/** A command that could not be run, or said no. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    message: string,
    /** There is no such program. */
    readonly isMissing: boolean,
  ) {
    super(message);
  }
}

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

/** Runs a program without a shell and gives its standard output; rejects with a CommandError. */
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

/** What a program says last on its error output is its reason. */
const reasonOf = (error: Error & { killed?: boolean }, stderr: string): string => {
  if (error.killed === true) return 'it took too long';
  return stderr.trim().split('\n').at(-1)?.trim() || (error.message.split('\n')[0] ?? 'it failed');
};

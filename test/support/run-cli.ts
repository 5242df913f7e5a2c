import type { ExitCode } from '../../src/cli/cli-error.js';
import { runProgram } from '../../src/cli/program.js';

export interface CliRun {
  readonly exitCode: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
  /** The questions that it printed on the terminal. */
  readonly questions: readonly string[];
}

export interface CliEnvironment {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly now?: Date;
  /** The answer to every question; absent: not a terminal. */
  readonly input?: string;
  /** The first line of standard input. */
  readonly line?: string;
  readonly colours?: boolean;
  /** Whether standard output is a terminal. */
  readonly terminal?: boolean;
  /** Ctrl-C. */
  readonly interruption?: AbortSignal;
  /** Called with all of standard output so far, whenever something is written. */
  readonly onOutput?: (stdout: string) => void;
  /** The same for standard error. */
  readonly onNote?: (stderr: string) => void;
}

const CLI_NOW = new Date('2026-11-21T09:00:00.000Z');

/** Runs `rollgate` in this process. */
export const runCli = async (
  words: readonly string[],
  {
    env = {},
    cwd = '/nowhere',
    now = CLI_NOW,
    input,
    line = '',
    colours = false,
    terminal = false,
    interruption = new AbortController().signal,
    onOutput,
    onNote,
  }: CliEnvironment = {},
): Promise<CliRun> => {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const questions: string[] = [];
  const outputTo = (texts: string[]) => ({
    write: (text: string) => {
      texts.push(text);
      if (texts === stdout) onOutput?.(stdout.join(''));
      else onNote?.(stderr.join(''));
    },
    hasColours: colours,
    isTerminal: terminal,
    width: 100,
  });
  const exitCode = await runProgram(words, {
    env,
    cwd,
    now: () => now,
    elapsed: () => 0,
    interruption: () => interruption,
    stdout: outputTo(stdout),
    stderr: outputTo(stderr),
    readLine: () => Promise.resolve(line),
    ask:
      input === undefined
        ? undefined
        : (question) => {
            questions.push(question);
            return Promise.resolve(input);
          },
  });
  return { exitCode, stdout: stdout.join(''), stderr: stderr.join(''), questions };
};

import type { ExitCode } from '../../src/cli/command-failure.js';
import { runProgram } from '../../src/cli/program.js';

export interface CliRun {
  readonly exitCode: ExitCode;
  readonly out: string;
  readonly notes: string;
  readonly questions: readonly string[];
}

export interface CliSurroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The answer to prompts; absent if standard input is not a terminal. */
  readonly typed?: string;
  readonly colours?: boolean;
  /** Whether standard output is a terminal. */
  readonly terminal?: boolean;
}

export const CLI_NOW = new Date('2026-11-21T09:00:00.000Z');

/** Runs the `rollgate` command in this process, with the given environment. */
export const runCli = async (
  words: readonly string[],
  { env = {}, cwd = '/nowhere', typed, colours = false, terminal = false }: CliSurroundings = {},
): Promise<CliRun> => {
  const out: string[] = [];
  const notes: string[] = [];
  const questions: string[] = [];
  const outlet = (lines: string[]) => ({
    write: (text: string) => void lines.push(text),
    hasColours: colours,
    isTerminal: terminal,
    width: 100,
  });
  const exitCode = await runProgram(words, {
    env,
    cwd,
    now: () => CLI_NOW,
    elapsed: () => 0,
    out: outlet(out),
    notes: outlet(notes),
    ask:
      typed === undefined
        ? undefined
        : (question) => {
            questions.push(question);
            return Promise.resolve(typed);
          },
  });
  return { exitCode, out: out.join(''), notes: notes.join(''), questions };
};

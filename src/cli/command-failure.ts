/** What the command ends with, for scripts. */
export const EXIT = {
  ok: 0,
  /** The gateway said no, or `config check` found something. */
  refused: 1,
  usage: 2,
  unreachable: 3,
  unauthenticated: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Why the command could not do what it was asked: for people, with what to do next. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    /** Further lines: details, and what to check. */
    readonly more: readonly string[] = [],
    /** The gateway's own words, printed as they came where `--json` is asked for. */
    readonly body?: string,
  ) {
    super(message);
  }
}

/** Everything has been said; only the exit code is left to give. */
export class AlreadyTold extends Error {
  override readonly name = 'AlreadyTold';
  constructor(readonly exitCode: ExitCode) {
    super(`ends with ${exitCode}`);
  }
}

/** Throws; for use in expressions. */
export const misuse = (message: string, ...more: readonly string[]): never => {
  throw new CommandFailure(EXIT.usage, message, more);
};

/** Exit codes of `rollgate`, for scripts. */
export const EXIT = {
  ok: 0,
  /** The gateway refused, or `config check` found errors. */
  refused: 1,
  usage: 2,
  unreachable: 3,
  unauthenticated: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that failed: a message for people, and what they can do about it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    /** Further lines: details and hints. */
    readonly hints: readonly string[] = [],
    /** The gateway's response body, printed instead of the message with `--json`. */
    readonly body?: string,
  ) {
    super(message);
  }
}

/** Ends the command with this exit code; everything has been printed already. */
export class SilentExit extends Error {
  override readonly name = 'SilentExit';
  constructor(readonly exitCode: ExitCode) {
    super(`exit code ${exitCode}`);
  }
}

/** Throws a CliError for wrong usage; an expression, so that it can be returned. */
export const usageError = (message: string, ...hints: readonly string[]): never => {
  throw new CliError(EXIT.usage, message, hints);
};

/** The code of an error of the system: `EEXIST`. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

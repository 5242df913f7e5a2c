/** Exit codes of `rollgate`, for scripts; `--json` has a code for each reason. */
export const EXIT = {
  ok: 0,
  /** The gateway refused, cannot be reached, or something was found to be wrong. */
  failed: 1,
  usage: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Codes of errors that are not the gateway's. */
export type CliErrorCode =
  | 'FAILED'
  | 'NOT_FOUND'
  | 'AMBIGUOUS'
  | 'USAGE'
  | 'INVALID_CONFIGURATION'
  | 'UNREACHABLE'
  | 'UNEXPECTED_RESPONSE'
  | 'NO_CREDENTIAL';

/** A command that failed: a message for people, and what they can do about it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  constructor(
    readonly code: CliErrorCode,
    message: string,
    /** Further lines: details and hints. */
    readonly hints: readonly string[] = [],
    /** The gateway's response body, printed instead of the message with `--json`. */
    readonly body?: string,
  ) {
    super(message);
    this.exitCode = code === 'USAGE' || code === 'INVALID_CONFIGURATION' ? EXIT.usage : EXIT.failed;
  }
}

/** Ends the command with this exit code; everything has been printed already. */
export class SilentExit extends Error {
  override readonly name = 'SilentExit';
  constructor(readonly exitCode: ExitCode = EXIT.failed) {
    super(`exit code ${exitCode}`);
  }
}

/** Throws a CliError for wrong usage; an expression, so that it can be returned. */
export const usageError = (message: string, ...hints: readonly string[]): never => {
  throw new CliError('USAGE', message, hints);
};

/** The code of an error of the system: `EEXIST`. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

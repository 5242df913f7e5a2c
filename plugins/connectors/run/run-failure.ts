import { SourceError } from '../../../src/plugin/api.js';

export const RETRY_MS = 5 * 60_000;

/** A run cannot go on; the message is for operators. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  constructor(
    message: string,
    readonly how: Omit<FailureFacts, 'message'> = {},
  ) {
    super(message);
  }
}

/** Why a run has failed, and what follows. */
export interface FailureFacts {
  readonly message: string;
  /** Whether nothing but an operator helps: the connector goes into quarantine. Absent: look at the log. */
  readonly isLasting?: boolean;
  /** When to try again, if that may help. */
  readonly retryInMs?: number;
}

export const failureOf = (error: unknown): FailureFacts => {
  if (error instanceof RunFailure) return { message: error.message, ...error.how };
  if (error instanceof SourceError) {
    const { kind, message, options } = error;
    // Sources block addresses after failed sign-ins; only an operator helps.
    if (kind === 'auth' || kind === 'config' || kind === 'permission')
      return { message, isLasting: true };
    if (kind === 'schema') return { message, isLasting: false };
    return { message, isLasting: false, retryInMs: options.retryAfterMs ?? RETRY_MS };
  }
  return {
    message: 'An internal error ended the run; the log has its cause.',
    retryInMs: RETRY_MS,
  };
};

import type { z } from 'zod';

/** A response of an operation, for OpenAPI and for the tests that validate responses. */
export interface AnswerShape {
  readonly description: string;
  /** Default: no body. */
  readonly body?: z.ZodType;
  /** The body is a stream of server-sent events; `body` is the schema of their data. */
  readonly isStream?: true;
  /** Whether it has an ETag. Default: if the operation honours If-Match and has a body. */
  readonly tagged?: boolean;
  /** Whether it has a `Location`. */
  readonly isLocated?: true;
}

/** The 304 response of a read. */
export const NOT_MODIFIED: AnswerShape = {
  description: 'Not modified: If-None-Match has the current ETag.',
};

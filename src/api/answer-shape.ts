import type { z } from 'zod';

/** What an operation answers with, for the validator of tests, for OpenAPI and for clients. */
export interface AnswerShape {
  readonly description: string;
  /** Absent: no body. */
  readonly body?: z.ZodType;
  /** Whether an ETag comes with it; absent: where If-Match is honoured and there is a body. */
  readonly tagged?: boolean;
  /** Whether `Location` comes with it. */
  readonly isLocated?: true;
}

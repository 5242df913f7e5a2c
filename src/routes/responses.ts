import { kindOf, type Refusal, type RefusalKind } from '../domain/kernel/refusals.js';
import { z } from 'zod';
import { COMMANDS } from '../domain/command-catalogue.js';
import type { CommandType } from '../domain/commands.js';

/** HTTP status of each kind of refusal, in all interfaces (decisions.md 2). */
export const STATUS_BY_KIND = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  notAllowed: 405,
  conflict: 409,
  stale: 412,
  tooLarge: 413,
  unsupported: 415,
  unmet: 417,
  late: 408,
  limited: 429,
  broken: 500,
  notImplemented: 501,
  busy: 503,
  held: 503,
} as const satisfies Record<RefusalKind, number>;

export const httpStatusOf = (refusal: Refusal): number => STATUS_BY_KIND[kindOf(refusal)];

/** A response of an operation, for OpenAPI and for the tests that validate responses. */
export interface ResponseShape {
  readonly description: string;
  /** Default: no body. */
  readonly body?: z.ZodType;
  /** It is a text of one of these media types; `body` is absent. */
  readonly mediaTypes?: readonly string[];
  /** The body is a stream of server-sent events; `body` is the schema of their data. */
  readonly isStream?: true;
  /** Whether it has an ETag. Default: if the operation honours If-Match and has a body. */
  readonly tagged?: boolean;
  /** Whether it has a `Location`. */
  readonly isLocated?: true;
}

/** The 304 response of a read. */
export const NOT_MODIFIED: ResponseShape = {
  description: 'Not modified: If-None-Match has the current ETag.',
};

const JobProgressView = z
  .strictObject({
    id: z.string().describe("The job's id."),
    done: z.int().min(0).describe('Number of users or members processed.'),
    total: z.int().min(0).describe('Number of users or members to process.'),
  })
  .meta({ id: 'JobProgress' });

/** One schema per body: each has a name in the OpenAPI document. */
const bodies = new Map<z.ZodType | undefined, z.ZodObject>();

const withJob = (body: z.ZodType | undefined): z.ZodObject => {
  const cached = bodies.get(body);
  if (cached) return cached;
  const fields = body instanceof z.ZodObject ? body.shape : {};
  const schema = z
    .strictObject({ ...fields, job: JobProgressView })
    .meta({ id: `Accepted${body?.meta()?.id ?? ''}` });
  bodies.set(body, schema);
  return schema;
};

/**
 * The 202 response of an operation whose job takes longer than a response waits: the usual body with
 * the job. Undefined if the command starts no jobs.
 */
export const acceptedResponse = (
  command: CommandType | undefined,
  responses: Readonly<Record<number, ResponseShape>>,
): ResponseShape | undefined => {
  if (command === undefined || !COMMANDS[command].mayStartJob) return undefined;
  const done = responses[200] ?? responses[201] ?? responses[204];
  return {
    description:
      'Accepted, but not completed within 20 seconds. `job` shows the progress; read it again at ' +
      '`Location`.',
    body: withJob(done?.body),
    tagged: done?.tagged ?? false,
    isLocated: true,
  };
};

import { z } from 'zod';
import { COMMANDS } from '../domain/command-catalogue.js';
import type { CommandType } from '../domain/commands.js';
import type { AnswerShape } from './answer-shape.js';

const JobProgressView = z
  .strictObject({
    id: z.string().describe("The job's id."),
    done: z.int().min(0).describe('How many users or members it has gone through.'),
    total: z.int().min(0).describe('How many there were when it began.'),
  })
  .meta({
    id: 'JobProgress',
    examples: [{ id: '7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', done: 12_250, total: 100_000 }],
  });

/** One schema for each body, for it has a name in the document. */
const bodies = new Map<z.ZodType | undefined, z.ZodObject>();

const withJob = (body: z.ZodType | undefined): z.ZodObject => {
  const known = bodies.get(body);
  if (known) return known;
  const fields = body instanceof z.ZodObject ? body.shape : {};
  const made = z
    .strictObject({ ...fields, job: JobProgressView })
    .meta({ id: `Accepted${body?.meta()?.id ?? ''}` });
  bodies.set(body, made);
  return made;
};

/**
 * The answer of an operation whose job takes longer than a response waits: the same body with the
 * job. Undefined for a command that begins none.
 */
export const acceptedAnswer = (
  command: CommandType | undefined,
  answers: Readonly<Record<number, AnswerShape>>,
): AnswerShape | undefined => {
  if (command === undefined || !COMMANDS[command].mayStartJob) return undefined;
  const done = answers[200] ?? answers[201] ?? answers[204];
  return {
    description:
      'Accepted, and still being carried out after 20 seconds. `job` shows how far it is, and ' +
      '`Location` is where to read that.',
    body: withJob(done?.body),
    tagged: done?.tagged ?? false,
    isLocated: true,
  };
};

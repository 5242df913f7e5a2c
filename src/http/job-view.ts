import { z } from 'zod';
import { instantField } from '../api/fields.js';
import { type JobId, parseJobId } from '../domain/kernel/ids.js';
import type { Job, JobWork } from '../domain/job/job.js';
import { raise } from '../domain/kernel/refusals.js';

const KINDS = [
  'roster.apply',
  'roster.clear',
  'roles.recompute',
  'sms-list.apply',
  'sms-list.clear',
] as const satisfies readonly JobWork['kind'][];

export const JOB_STATES = ['running', 'done'] as const;

/** A job in responses to tenants and operators. */
export const JobView = z
  .strictObject({
    id: z.string().describe('Id of the command that the job completes; a second job appends `-1`.'),
    kind: z
      .enum(KINDS)
      .describe(
        'What it does: change or remove members (`roster.…`, `sms-list.…`), or recompute roles.',
      ),
    state: z.enum(JOB_STATES),
    done: z.int().min(0).describe('Number of users or members processed.'),
    total: z.int().min(0).describe('Number of users or members to process.'),
    created_at: instantField('When the job started.'),
    finished_at: instantField('When the job finished; null while it runs.').nullable(),
  })
  .meta({
    id: 'Job',
    examples: [
      {
        id: '7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
        kind: 'roster.clear',
        state: 'running',
        done: 40_250,
        total: 100_000,
        created_at: '2026-01-31T12:00:00.000Z',
        finished_at: null,
      },
    ],
  });

export const presentJob = (job: Job): z.output<typeof JobView> => ({
  id: job.id,
  kind: job.work.kind,
  state: job.finishedAt ? 'done' : 'running',
  done: job.done,
  total: job.total,
  created_at: job.createdAt.toISOString(),
  finished_at: job.finishedAt?.toISOString() ?? null,
});

export const raiseJobNotFound = (): never =>
  raise('JOB_NOT_FOUND', 'No job has this id. Finished jobs are kept for a week.');

export const jobIdFrom = (text: string): JobId => parseJobId(text) ?? raiseJobNotFound();

import { defineResource } from '../resource.js';
import { type Schemas, viewOf } from '../view-of.js';

const KINDS: Readonly<Record<string, string>> = {
  'roster.apply': 'change members',
  'roster.clear': 'remove members',
  'roles.recompute': 'recompute roles',
  'sms-list.apply': 'change SMS list',
  'sms-list.clear': 'clear SMS list',
};

const progress = ({ done, total }: Schemas['Job']): string =>
  `${done} of ${total}${total > 0 ? ` (${Math.floor((100 * done) / total)} %)` : ''}`;

export const JOBS = defineResource({
  name: 'job',
  noun: 'a job',
  plural: 'jobs',
  summary: 'show the progress of large changes',
  description:
    'Jobs: large changes that continue in the background, such as a new default role of many users.',
  path: '/jobs',
  items: 'jobs',
  view: viewOf<Schemas['Job']>('id'),
  fields: [
    { label: 'work', text: ({ kind }) => KINDS[kind] ?? kind },
    { label: 'state', text: ({ state }) => state },
    { label: 'progress', text: progress, align: 'right' },
    { label: 'started', time: ({ created_at }) => created_at },
    { label: 'finished', time: ({ finished_at }) => finished_at },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ id }) => id,
  item: { name: '<job>', help: "the job's id" },
  list: {
    description: 'List the jobs of a tenant, newest first. Finished jobs are kept for a week.',
    filters: [
      {
        flags: '--state <running|done>',
        help: 'only jobs in this state',
        choices: ['running', 'done'],
      },
    ],
    examples: [
      ['rollgate job list acme', 'all jobs'],
      ['rollgate job list acme --state running --quiet', 'the ids of running jobs'],
    ],
  },
  show: {
    description: 'Show the progress of a job.',
    examples: [['rollgate job show acme 7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', 'by its id']],
  },
});

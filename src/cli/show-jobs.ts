import { printable } from './display-width.js';
import type { Session } from './session.js';
import { showTime } from './show-time.js';
import { renderTable } from './table.js';
import type { JobView } from './views.js';

/** What a job does, in words for the table. */
const WORK: Readonly<Record<string, string>> = {
  'roster.apply': 'change members',
  'roster.clear': 'remove members',
  'roles.recompute': 'work roles out',
};

const percent = ({ done, total }: JobView): string =>
  `${done} of ${total}${total > 0 ? ` (${Math.floor((100 * done) / total)} %)` : ''}`;

export const jobTable = (
  jobs: readonly JobView[],
  { paint, world }: Pick<Session, 'paint' | 'world'>,
): string => {
  if (jobs.length === 0) return '';
  const now = world.now();
  return renderTable<JobView>(
    [
      { title: 'WORK', cell: ({ kind }) => WORK[kind] ?? printable(kind) },
      { title: 'STATE', cell: ({ state }) => printable(state) },
      { title: 'DONE', cell: percent, align: 'right' },
      { title: 'BEGAN', cell: ({ created_at }) => showTime(created_at, now) },
      {
        title: 'ENDED',
        cell: ({ finished_at }) => (finished_at === null ? '-' : showTime(finished_at, now)),
      },
      { title: 'JOB ID', cell: ({ id }) => id },
    ],
    jobs,
    paint,
  );
};

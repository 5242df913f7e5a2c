import { type Command, Option } from 'commander';
import { z } from 'zod';
import { addExamples } from '../help.js';
import { addPaging, describePage, pageQueryOf } from '../paging.js';
import { parseSlug } from '../parse-argument.js';
import { openSession } from '../session.js';
import { jobTable } from '../show-jobs.js';
import { JobPage } from '../views.js';
import type { World } from '../world.js';

const Options = z.object({ state: z.string().optional() });

const addList = (job: Command, world: World): void => {
  const list = addPaging(job.command('list'))
    .summary('list the large changes of a tenant')
    .description(
      'Lists changes that were too large for one commit and go on after their answer, newest ' +
        'first. One that is done is kept for a week.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .addOption(new Option('--state <state>', 'only these').choices(['running', 'done']))
    .action(async (slug: string) => {
      const session = openSession(world, list);
      const { state } = Options.parse(list.opts());
      const query = { ...pageQueryOf(list), ...(state !== undefined && { state }) };
      const answer = await session.client.request('GET', `/tenants/${slug}/jobs`, { query });
      const page = session.read(JobPage, answer);
      session.print({
        people: () => jobTable(page.jobs, session),
        json: answer.text,
        quiet: () => page.jobs.map(({ id }) => id).join('\n'),
      });
      const rest = describePage(page, page.jobs.length, 'jobs');
      const none = [slug, 'has no', state, 'jobs'].filter(Boolean).join(' ');
      if (page.total === 0)
        session.note(`${none}.
`);
      if (rest !== undefined) session.note(`\n${rest}\n`);
    });
  addExamples(list, [
    ['rollgate job list acme', 'as a table'],
    ['rollgate job list acme --state running --quiet', 'the ids of what goes on'],
  ]);
};

export const addJobCommands = (program: Command, world: World): void => {
  const job = program
    .command('job')
    .summary('see how far large changes are')
    .description('Jobs: large changes that were accepted and are being carried out.');
  addList(job, world);
};

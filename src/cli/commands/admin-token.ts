import type { Command } from 'commander';
import { z } from 'zod';
import { addExamples } from '../help.js';
import { openSession } from '../session.js';
import type { World } from '../world.js';

const Rotated = z.object({
  token: z.string(),
  stored_in: z.string(),
  was_configured: z.boolean(),
});

/** The token goes to a terminal only (decisions.md 8): never to a file, a pipe or a job's log. */
const shownOn = ({ out }: World, token: string): string | undefined =>
  out.isTerminal ? token : undefined;

const addRotate = (adminToken: Command, world: World): void => {
  const rotate = adminToken
    .command('rotate')
    .summary('replace the admin token')
    .description(
      'Generates a new admin token. The old one stops working on every gateway of the database ' +
        'within a second. The gateway stores the new one in its data folder; the token itself is ' +
        'printed on a terminal only.',
    )
    .action(async () => {
      const session = openSession(world, rotate);
      const answer = await session.client.request('POST', '/admin-token/rotate');
      const rotated = session.read(Rotated, answer);
      const token = shownOn(world, rotated.token);
      const { stored_in: storedIn, was_configured: wasConfigured } = rotated;
      session.print({
        people: () =>
          `Rotated the admin token. The old one no longer works on any gateway.\n` +
          `Stored in ${storedIn} on the gateway's machine.\n${token === undefined ? '' : `${token}\n`}`,
        json: JSON.stringify({ stored_in: storedIn, was_configured: wasConfigured, token }),
        quiet: () => token ?? storedIn,
      });
      if (wasConfigured)
        session.note(
          'The configuration of the gateway still holds the old token: change or unset it, or the ' +
            'next start is refused.\n',
        );
      if (session.access.tokenFrom === 'ROLLGATE_ADMIN_TOKEN')
        session.note('ROLLGATE_ADMIN_TOKEN still holds the old token here.\n');
    });
  addExamples(rotate, [['rollgate admin-token rotate', 'after a leak, or regularly']]);
};

export const addAdminTokenCommands = (program: Command, world: World): void => {
  const adminToken = program
    .command('admin-token')
    .summary('replace the admin token')
    .description("The operators' token: one for all gateways of a database.");
  addRotate(adminToken, world);
};

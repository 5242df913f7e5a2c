import type { Command } from 'commander';
import { z } from 'zod';
import type { CliContext } from '../cli-context.js';
import { addExamples } from '../help.js';
import { openSession } from '../session.js';

const Rotated = z.object({
  token: z.string(),
  stored_in: z.string(),
  was_configured: z.boolean(),
});

/** The token is printed to a terminal only (decisions.md 8), never to a file, pipe or CI log. */
const shownOn = ({ stdout }: CliContext, token: string): string | undefined =>
  stdout.isTerminal ? token : undefined;

const addRotate = (adminToken: Command, context: CliContext): void => {
  const rotate = adminToken
    .command('rotate')
    .summary('replace the admin token')
    .description(
      'Generate a new admin token. The old one stops working on every gateway of the database ' +
        'within a second. The gateway stores the new one in its data folder; the token itself is ' +
        'printed only to a terminal.',
    )
    .action(async () => {
      const session = openSession(context, rotate);
      const response = await session.client.request('POST', '/admin-token/rotate');
      const rotated = session.read(Rotated, response);
      const token = shownOn(context, rotated.token);
      const { stored_in: storedIn, was_configured: wasConfigured } = rotated;
      session.print({
        people: () =>
          `Rotated the admin token. The old one no longer works on any gateway.\n` +
          `The new one is stored in ${storedIn} on the gateway's machine.\n` +
          (token === undefined ? '' : `${token}\n`),
        json: JSON.stringify({ stored_in: storedIn, was_configured: wasConfigured, token }),
        quiet: () => token ?? storedIn,
      });
      if (wasConfigured)
        session.note(
          "The gateway's configuration still contains the old token. Change or unset it; otherwise " +
            'the gateway will refuse to start.\n',
        );
      if (session.access.tokenSource === 'ROLLGATE_ADMIN_TOKEN')
        session.note('ROLLGATE_ADMIN_TOKEN still contains the old token in this shell.\n');
    });
  addExamples(rotate, [['rollgate admin-token rotate', 'after a leak, or on a schedule']]);
};

export const addAdminTokenCommands = (program: Command, context: CliContext): void => {
  const adminToken = program
    .command('admin-token')
    .helpCommand(false)
    .summary('replace the admin token')
    .description("The admin token: the operators' credential, one for all gateways of a database.");
  addRotate(adminToken, context);
};

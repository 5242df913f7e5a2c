import type { Command } from 'commander';
import type { components } from '../../client/index.js';
import type { CliContext } from '../cli-context.js';
import { usageError } from '../cli-error.js';
import { completeItems, completeTenants } from '../complete-items.js';
import { completeBy } from '../completions.js';
import { printable } from '../display-width.js';
import { findByName } from '../find-by-name.js';
import { formatTime } from '../format-time.js';
import { addExamples, addHelpSection } from '../help.js';
import { isUuid } from '../locate.js';
import type { Paint } from '../paint.js';
import { parseSlug } from '../parse-argument.js';
import { ROOMS } from './room.js';
import { USERS } from './user.js';
import { ADMIN_ONLY, describeAccess, openSession, type Session } from '../session.js';

type Explanation = components['schemas']['Explanation'];

interface Given {
  readonly room?: string;
  readonly role?: boolean;
}

const CANDIDATES = 50;

/** `rollgate explain acme ada --room Dispatch` */
export const addExplainCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('explain')
    .summary('explain a role, or why a user is (not) in a room')
    .description(
      'Explain why a user has a role, or is or is not in a room: the facts that decide it, the last ' +
        'commands that affected it, and what would change it. Changes nothing.',
    )
    .argument('<tenant>', "the tenant's slug", parseSlug)
    .argument('<user>', 'id, email address or name; its beginning is enough if only one matches')
    .option('--room <room>', 'explain the membership of this room: id, or name or its beginning')
    .option('--role', "explain the user's role")
    .action(async (tenant: string, user: string, { room, role }: Given) => {
      if ((room === undefined) === (role === undefined))
        usageError('Pass either --room or --role.', 'Run "rollgate explain --help" for usage.');
      const session = openSession(context, command, { access: ADMIN_ONLY, tenant });
      const explanation = await explain(session, tenant, user, room);
      session.print({
        people: () => render(explanation, session.paint, context.now()),
        json: JSON.stringify(explanation),
        quiet: () => quiet(explanation),
      });
    });
  const [tenantArgument, userArgument] = command.registeredArguments;
  completeBy(tenantArgument, completeTenants(context));
  completeBy(userArgument, completeItems(context, USERS));
  completeBy(
    command.options.find(({ long }) => long === '--room'),
    completeItems(context, ROOMS),
  );
  addHelpSection(command, 'Credentials', describeAccess(ADMIN_ONLY));
  addExamples(command, [
    ['rollgate explain acme ada --room Dispatch', 'why is Ada (not) in Dispatch?'],
    ['rollgate explain acme ada@example.com --role', 'why does Ada have this role?'],
  ]);
};

const explain = async (
  session: Session,
  slug: string,
  user: string,
  room: string | undefined,
): Promise<Explanation> => {
  const query = {
    user: await findUserId(session, slug, user),
    ...(room === undefined
      ? { role: '' as const }
      : { room: await findRoomId(session, slug, room) }),
  };
  return session.call((api) =>
    api.get('/admin/v1/tenants/{slug}/explain', { path: { slug }, query }),
  );
};

const findUserId = async (session: Session, slug: string, wanted: string): Promise<string> => {
  if (isUuid(wanted)) return wanted;
  const { users } = await session.call((api) =>
    api.get('/admin/v1/tenants/{slug}/users', {
      path: { slug },
      query: { q: wanted, limit: CANDIDATES },
    }),
  );
  // A user name that is neither: the gateway looks for it.
  if (users.length === 0) return wanted;
  const candidates = users.map(({ id, email, display_name, user_name }) => ({
    id,
    names: [display_name, ...(email === null ? [] : [email]), user_name],
  }));
  const listCommand = `rollgate user list ${slug}`;
  return findByName(candidates, { noun: 'user', wanted, listCommand, acceptsBeginning: true }).id;
};

const findRoomId = async (session: Session, slug: string, wanted: string): Promise<string> => {
  if (isUuid(wanted)) return wanted;
  const path = { slug };
  const named = await session.call((api) =>
    api.get('/admin/v1/tenants/{slug}/rooms', { path, query: { name: wanted } }),
  );
  const [only] = named.rooms;
  if (only) return only.id;
  const candidates: { readonly id: string; readonly names: readonly string[] }[] = [];
  await session.call(async (api) => {
    for await (const { id, name, display_name: group } of api.list(
      '/admin/v1/tenants/{slug}/rooms',
      { path, query: { limit: 500 } },
    ))
      candidates.push({ id, names: [name, ...(group === null ? [] : [group])] });
  });
  const listCommand = `rollgate room list ${slug}`;
  return findByName(candidates, { noun: 'room', wanted, listCommand, acceptsBeginning: true }).id;
};

/** The answer with its facts and remedies. */
const render = (
  { question, answer, facts, would_change: remedies }: Explanation,
  paint: Paint,
  now: Date,
): string => {
  const fact = ({ text, at }: Explanation['facts'][number]): string =>
    `- ${printable(text)}${at === undefined ? '' : ` ${paint.dim(formatTime(at, now))}`}\n`;
  const change = ({ text }: Explanation['would_change'][number]): string =>
    `- ${printable(text)}\n`;
  return [
    `${paint.bold(printable(question))}\n${printable(answer.text)}\n`,
    ...(facts.length > 0 ? [`\n${paint.bold('Why:')}\n`, ...facts.map(fact)] : []),
    ...(remedies.length > 0 ? [`\n${paint.bold('What would change it:')}\n`] : []),
    ...remedies.map(change),
  ].join('');
};

/** `yes`, `no` or the role: what a script wants to know. */
const quiet = ({ answer: { member, role, text } }: Explanation): string =>
  member === undefined ? (role ?? text) : member ? 'yes' : 'no';

import type { Command } from 'commander';
import { type components, RollgateError } from '../../client/index.js';
import type { CliContext } from '../cli-context.js';
import { usageError } from '../cli-error.js';
import { addCommand, type CommandForm } from '../add-command.js';
import { completeItems } from '../completions.js';
import { printable, yesNo, type Paint } from '../terminal-text.js';
import { findByName, isUuid, raiseNotFound } from '../locate.js';
import { formatTime } from '../format-time.js';
import { ROOMS } from './room.js';
import { namedUser, USERS } from './user.js';
import { ADMIN_ONLY, type Session } from '../session.js';

type Explanation = components['schemas']['Explanation'];

const CANDIDATES = 50;

/** `rollgate explain acme ada --room Dispatch` */
export const addExplainCommand = (program: Command, context: CliContext): void => {
  const form: CommandForm = {
    name: 'explain',
    access: ADMIN_ONLY,
    summary: 'explain a role, or why a user is (not) in a room',
    description:
      'Explain why a user has a role, or is or is not in a room: the facts that decide it, the last ' +
      'commands that affected it, and what would change it. Changes nothing.',
    arguments: [
      {
        name: '<user>',
        help: 'id, email address or name; the beginning of a word is enough if only one matches',
        complete: completeItems(context, USERS),
      },
    ],
    options: [
      {
        flags: '--room <room>',
        field: 'room',
        help: 'explain the membership of this room: id, name, or beginning of a word of it',
        complete: completeItems(context, ROOMS),
      },
      { flags: '--role', field: 'role', help: "explain the user's role" },
    ],
    examples: [
      ['rollgate explain acme ada --room Dispatch', 'why is Ada (not) in Dispatch?'],
      ['rollgate explain acme ada@example.com --role', 'why does Ada have this role?'],
    ],
  };
  addCommand(program, context, form, async ({ session, args: [user = ''], fields }) => {
    const { room, role }: Given = fields;
    if ((room === undefined) === (role === undefined))
      usageError('Pass either --room or --role.', 'Run "rollgate explain --help" for usage.');
    const { tenant = '', paint } = session;
    const explanation = await explain(session, tenant, user, room);
    session.print({
      people: () => render(explanation, { tenant, paint, now: context.now() }),
      json: JSON.stringify(explanation),
      quiet: () => quiet(explanation),
    });
  });
};

interface Given {
  readonly room?: string;
  readonly role?: boolean;
}

const explain = async (
  session: Session,
  slug: string,
  user: string,
  room: string | undefined,
): Promise<Explanation> => {
  const userId = await findUserId(session, slug, user);
  const query = {
    user: userId ?? user,
    ...(room === undefined
      ? { role: '' as const }
      : { room: await findRoomId(session, slug, room) }),
  };
  const found = await session.call((api) =>
    api
      .get('/admin/v1/tenants/{slug}/explain', { path: { slug }, query })
      .catch((error: unknown) => {
        if (userId === undefined && isUnknownUser(error)) return undefined;
        throw error;
      }),
  );
  return found ?? raiseNotFound(session, BY_NAME, USERS.path, user);
};

const isUnknownUser = (error: unknown): boolean =>
  error instanceof RollgateError && error.code === 'USER_NOT_FOUND';

/** Without the hint that a name is not enough: here it is. */
const BY_NAME = { ...USERS, hintFor: () => undefined };

/** Undefined: the gateway may still know a deleted user. */
const findUserId = async (
  session: Session,
  slug: string,
  wanted: string,
): Promise<string | undefined> => {
  if (isUuid(wanted)) return wanted;
  const { users } = await session.call((api) =>
    api.get('/admin/v1/tenants/{slug}/users', {
      path: { slug },
      query: { search: wanted, limit: CANDIDATES },
    }),
  );
  return findByName(users.map(namedUser), { noun: 'user', wanted })?.id;
};

const findRoomId = async (session: Session, slug: string, wanted: string): Promise<string> => {
  if (isUuid(wanted)) return wanted;
  const path = { slug };
  const named = await session.call((api) =>
    api.get('/admin/v1/tenants/{slug}/rooms', { path, query: { name: wanted } }),
  );
  const [only] = named.rooms;
  if (only) return only.id;
  const { results } = await session.call((api) =>
    api.get('/admin/v1/tenants/{slug}/search', { path, query: { q: wanted } }),
  );
  const rooms = results
    .filter(({ kind }) => kind === 'room')
    .map(({ id, title }) => ({ id, names: [title] }));
  const found = findByName(rooms, { noun: 'room', wanted });
  return found?.id ?? raiseNotFound(session, ROOMS, ROOMS.path, wanted);
};

/** The answer with its facts and remedies. */
const render = (
  { question, answer, facts, would_change: remedies }: Explanation,
  { tenant, paint, now }: { readonly tenant: string; readonly paint: Paint; readonly now: Date },
): string => {
  const fact = ({ kind, text, at, request_id: request }: Explanation['facts'][number]): string => {
    const time = at === undefined ? '' : ` ${paint.dim(formatTime(at, now))}`;
    const entry =
      kind === 'membership' && request !== undefined
        ? `  ${paint.dim(`rollgate log list ${tenant} --request-id ${printable(request)}`)}\n`
        : '';
    // Its time follows, in the same form as elsewhere.
    const shown = at === undefined ? text : text.replace(/^\S+Z: /, '');
    return `- ${printable(shown)}${time}\n${entry}`;
  };
  const change = (one: Change): string => {
    const command = one.remedy && commandOf(one.remedy, tenant);
    return `- ${printable(describeChange(one))}\n${command ? `  ${paint.bold(command)}\n` : ''}`;
  };
  return [
    `${paint.bold(printable(question))}\n${printable(answer.text)}\n`,
    ...(facts.length > 0 ? [`\n${paint.bold('Why:')}\n`, ...facts.map(fact)] : []),
    ...(remedies.length > 0 ? [`\n${paint.bold('What would change it:')}\n`] : []),
    ...remedies.map(change),
  ].join('');
};

type Change = Explanation['would_change'][number];
type Remedy = NonNullable<Change['remedy']>;

/** What the API says by naming a call, for people who use commands. */
const DESCRIPTIONS: Partial<Record<Remedy['action'], string>> = {
  map_room: 'Mapping a SCIM group to the room, and adding the user to that group.',
  add_member: 'Adding the user to the room, whatever the identity provider does:',
  remove_member: 'Removing the user from the room:',
  update_member: 'Whether the user may transmit, which SCIM never changes:',
};

const describeChange = ({ text, remedy }: Change): string =>
  (remedy && DESCRIPTIONS[remedy.action]) ?? text;

/** Undefined if no command makes the change. */
const commandOf = (remedy: Remedy, tenant: string): string | undefined => {
  const { action, body = {}, room_id: room, user_id: user, role_mapping_id: mapping } = remedy;
  switch (action) {
    case 'add_member':
      return `rollgate member add ${tenant} ${room} ${user}`;
    case 'remove_member':
      return `rollgate member remove ${tenant} ${room} ${user}`;
    case 'update_member':
      return `rollgate member update ${tenant} ${room} ${user} --transmit ${yesNo(body.tx_permission === true)}`;
    case 'update_role_mapping':
      return `rollgate role update ${tenant} ${mapping} ${
        typeof body.priority === 'number' ? `--priority ${body.priority}` : '--apply yes'
      }`;
    case 'map_room':
      return undefined;
  }
};

/** `yes`, `no` or the role: what a script wants to know. */
const quiet = ({ answer: { member, role, text } }: Explanation): string =>
  member === undefined ? (role ?? text) : member ? 'yes' : 'no';

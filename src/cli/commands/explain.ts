import type { Command } from 'commander';
import { type components, RollgateError } from '../../client/index.js';
import { asCalled, type CliContext } from '../cli-context.js';
import { usageError } from '../cli-error.js';
import { addCommand, type CommandForm } from '../add-command.js';
import { completeItems } from '../completions.js';
import { printable, yesNo } from '../terminal-text.js';
import { raiseNotFound } from '../locate.js';
import { timeAndAge } from '../format-time.js';
import { quote } from '../../process/program.js';
import { ROOMS } from './room.js';
import { USERS } from './user.js';
import { ADMIN_ONLY, type Session } from '../session.js';

type Explanation = components['schemas']['Explanation'];

/** `rollgate explain acme ada --room Dispatch` */
export const addExplainCommand = (program: Command, context: CliContext): void => {
  const form: CommandForm = {
    name: 'explain',
    access: ADMIN_ONLY,
    summary: 'explain a role, or why a user is (not) in a room',
    description:
      'Explain why a user has a role, or is or is not in a room: the facts that decide it, the last ' +
      'commands that affected it, and what would change it. Pass --room or --role. Changes nothing.',
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
    const explanation = await explain(session, session.tenant ?? '', user, room);
    session.print({
      people: () => render(explanation, session),
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
  const query = { user, ...(room === undefined ? { role: '' as const } : { room }) };
  const found = await session.call((api) =>
    api
      .get('/admin/v1/tenants/{slug}/explain', { path: { slug }, query })
      .catch((error: unknown) => {
        if (error instanceof RollgateError && error.code === 'USER_NOT_FOUND') return error.message;
        throw error;
      }),
  );
  if (typeof found !== 'string') return found;
  return raiseNotFound(session, { ...USERS, hintFor: () => found }, USERS.path, user);
};

/** The answer with its facts and remedies. */
const render = (
  { question, answer, facts, would_change: remedies }: Explanation,
  { tenant = '', paint, context }: Pick<Session, 'tenant' | 'paint' | 'context'>,
): string => {
  const command = (words: readonly string[]): string =>
    `  ${paint.bold(asCalled(words.map((word) => quote(printable(word))).join(' '), context))}\n`;
  const now = context.now();
  const fact = ({ text, at }: Explanation['facts'][number]): string => {
    const time = at === undefined ? '' : ` ${paint.dim(`(${timeAndAge(at, now)})`)}`;
    return `- ${printable(text)}${time}\n`;
  };
  const change = ({ text, remedy }: Change): string =>
    `- ${printable(text)}\n${remedy ? command(commandOf(remedy, tenant)) : ''}`;
  const entry = answer.request_id;
  return [
    `${paint.bold(printable(question))}\n${printable(answer.text)}\n`,
    entry === undefined ? '' : command(['rollgate', 'log', 'list', tenant, '--request-id', entry]),
    ...(facts.length > 0 ? [`\n${paint.bold('Why:')}\n`, ...facts.map(fact)] : []),
    ...(remedies.length > 0 ? [`\n${paint.bold('What would change it:')}\n`] : []),
    ...remedies.map(change),
  ].join('');
};

type Change = Explanation['would_change'][number];
type Remedy = NonNullable<Change['remedy']>;

/** The words of the command that makes the change. @internal */
export const commandOf = (remedy: Remedy, tenant: string): readonly string[] => {
  const { action, body = {}, room_name: room = '', user_name: user = '' } = remedy;
  const text = (field: string): string => String(body[field]);
  switch (action) {
    case 'add_member':
      return ['rollgate', 'member', 'add', tenant, room, user];
    case 'remove_member':
      return ['rollgate', 'member', 'remove', tenant, room, user];
    case 'update_member':
      return [
        ...['rollgate', 'member', 'update', tenant, room, user],
        ...['--transmit', yesNo(body.tx_permission === true)],
      ];
    case 'map_room':
      return ['rollgate', 'room', 'update', tenant, room, '--group', text('display_name')];
    case 'create_room':
      return ['rollgate', 'room', 'create', tenant, text('name')];
    case 'rename_room':
      return ['rollgate', 'room', 'update', tenant, room, '--name', text('name')];
    case 'raise_seats':
      return ['rollgate', 'tenant', 'update', tenant, '--seats', text('seat_capacity')];
    case 'reactivate_user':
      return ['rollgate', 'user', 'reactivate', tenant, user];
    case 'update_role_mapping':
      return [
        ...['rollgate', 'role', 'update', tenant, remedy.group_name ?? ''],
        ...(typeof body.priority === 'number'
          ? ['--priority', text('priority')]
          : ['--apply', 'yes']),
      ];
    case 'allow_removals':
      return ['rollgate', 'key', 'allow-removals', tenant, remedy.key_id ?? ''];
    case 'provision_rooms':
      return [
        ...['rollgate', 'tenant', 'update', tenant],
        ...['--room-provisioning', text('room_provisioning')],
      ];
    case 'plugin':
      return ['rollgate', ...(remedy.command ?? [])];
  }
};

/** `yes`, `no` or the role: what a script wants to know. */
const quiet = ({ answer: { member, role, text } }: Explanation): string =>
  member === undefined ? (role ?? text) : member ? 'yes' : 'no';

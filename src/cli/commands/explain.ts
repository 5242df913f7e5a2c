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
import type { Session } from '../session.js';
import { type Column, renderTable } from '../table.js';

type Explanation = components['schemas']['Explanation'];

/** `rollgate explain acme ada --room Dispatch` */
export const addExplainCommand = (program: Command, context: CliContext): void => {
  const form: CommandForm = {
    name: 'explain',
    summary: 'explain a role, or why a user is (not) in a room',
    description:
      'Explain why a user has a role, or is or is not in a room: the facts that decide it, the last ' +
      'commands that affected it, and what would change it. Without --room and --role, lists every ' +
      'room with the answer. Changes nothing.',
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
        help: 'explain the membership of this room: id, name, or beginning of a word of it',
        complete: completeItems(context, ROOMS),
      },
      { flags: '--role', help: "explain the user's role" },
    ],
    examples: [
      ['rollgate explain acme ada --room Dispatch', 'why is Ada (not) in Dispatch?'],
      ['rollgate explain acme ada@example.com --role', 'why does Ada have this role?'],
      ['rollgate explain acme ada', 'in which rooms is Ada, and why?'],
    ],
  };
  addCommand(program, context, form, async ({ session, args: [user = ''], fields }) => {
    const { room, role }: Given = fields;
    if (room !== undefined && role !== undefined)
      usageError('Pass either --room or --role.', 'Run "rollgate explain --help" for usage.');
    if (room === undefined && role === undefined) {
      await explainRooms(session, user);
      return;
    }
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

interface Answer {
  readonly room: string;
  readonly explanation: Explanation;
}

const ANSWERS: readonly Column<Answer>[] = [
  { title: 'ROOM', cell: ({ room }) => room },
  { title: 'MEMBER', cell: ({ explanation }) => quiet(explanation) },
  { title: 'WHY', cell: ({ explanation }) => explanation.answer.text },
];

/** One request for each room: the gateway answers those that arrive together with one query. */
const AT_ONCE = 8;

/** Each room of the tenant, in order, with the answer for this user. */
const explainRooms = async (session: Session, user: string): Promise<void> => {
  const { tenant: slug = '' } = session;
  const rooms = await session.call(async (api) => {
    const found: { readonly id: string; readonly name: string }[] = [];
    for await (const room of api.list('/admin/v1/tenants/{slug}/rooms', { path: { slug } }))
      found.push(room);
    return found;
  });
  const answers: Answer[] = [];
  for (let at = 0; at < rooms.length; at += AT_ONCE) {
    const explained = rooms.slice(at, at + AT_ONCE).map(async ({ id, name }) => ({
      room: name,
      explanation: await explain(session, slug, user, id),
    }));
    answers.push(...(await Promise.all(explained)));
  }
  session.print({
    people: () => renderTable(ANSWERS, answers, session.paint),
    json: JSON.stringify(answers.map(({ explanation }) => explanation)),
    quiet: () =>
      answers
        .filter(({ explanation }) => explanation.answer.member)
        .map(({ room }) => printable(room))
        .join('\n'),
  });
  if (answers.length > 0)
    session.note(
      `\nWhat would change one: rollgate explain ${slug} ${quote(user)} --room <room>\n`,
    );
  else session.note(`No rooms in ${slug}.\n`);
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

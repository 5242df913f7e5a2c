import { z } from 'zod';
import type { FoundUser } from '../../ports/command-log.js';
import { textFilter } from '../../routes/fields.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import type { AskedPerson, ExtensionExplain, PersonFact } from '../../ports/tenants.js';
import { parseRoomId, type TenantId } from '../../domain/kernel/ids.js';
import { fold, nameKey } from '../../domain/kernel/names.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { Room } from '../../domain/room/room.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import {
  explainRoomOfGroup,
  explainMissingRoom,
  explainMissingUser,
  type MissingRoom,
  type MissingUser,
} from '../../explain/explain-missing.js';
import { explainRole } from '../../explain/explain-role.js';
import { explainRoom } from '../../explain/explain-room.js';
import {
  commandOf,
  type Draft,
  Explanation,
  isGiven,
  writeExplanation,
} from '../../explain/explanation.js';
import { withoutOperators } from '../../explain/without-operators.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { resultOf } from '../../pipeline/submit.js';
import { isFailure } from '../dry-run.js';
import type { RouteParts } from './route-parts.js';

const ExplainQuery = z.strictObject({
  user: textFilter(
    'Absent: explains whether a group of the name `room` has a room. Id, e-mail, user name, or the beginning of a word of a name, if only one user matches. A ' +
      'deleted user, and one whose creation was refused, is found while the log has the user.',
  ),
  room: textFilter(
    'Id or name of a room, or the beginning of a word of it: explains why the user is, or is not, ' +
      'a member.',
  ),
  role: z
    .enum(['', 'true'], 'takes no value')
    .optional()
    .describe("Explains the user's role (`?user=…&role`). Specify either `room` or `role`."),
});

const refuseQuery = (path: 'role' | 'user'): never => {
  const message = path === 'user' ? 'or room is required' : 'or room is required, and not both';
  return raise('INVALID_REQUEST', `The query is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
};

const MAX_CANDIDATES = 10;

/** The only candidate, or the only one of exactly this name; throws with their labels if there are several. */
const theOnly = <One extends { readonly name: string; readonly label: string }>(
  given: readonly One[],
  path: 'user' | 'room',
  text: string,
): One | undefined => {
  const candidates = [...new Map(given.map((one) => [one.label, one])).values()];
  const exact = candidates.filter(({ name }) => nameKey(name) === nameKey(text));
  const [first, second] = exact.length > 0 ? exact : candidates;
  if (!second) return first;
  const shown = candidates.slice(0, MAX_CANDIDATES);
  const count = candidates.length > shown.length ? `more than ${shown.length}` : shown.length;
  return raise('INVALID_REQUEST', `"${text}" matches ${count} ${path}s. Specify one of them.`, {
    details: shown.map(({ label }) => ({ path, message: label })),
  });
};

/** Where explanations come from, and whose they are. */
interface Sources extends Pick<RouteParts, 'explain' | 'search'> {
  readonly tenant: Tenant;
  readonly plugins: readonly ExtensionExplain[];
}

const askPlugins = async ({ plugins, tenant }: Sources, person: AskedPerson) =>
  (await Promise.all(plugins.map((ask) => ask(tenant, person)))).flat();

/** The user or room with a word in its name that begins like this; throws if there are several. */
const findByWords = async <Found>(
  { search, tenant: { id } }: Sources,
  path: 'user' | 'room',
  text: string,
  read: (tenantId: TenantId, id: string) => Promise<Found | undefined>,
): Promise<Found | undefined> => {
  const found = await search.find(id, text, { kinds: [path], limit: MAX_CANDIDATES + 1 });
  const named = found.map(({ id, title, subtitle }) => ({
    id,
    name: title,
    label: path === 'user' ? `${title} (${subtitle})` : title,
  }));
  const only = theOnly(named, path, text);
  return only && read(id, only.id);
};

/** A user, or one who was never created. Throws USER_NOT_FOUND. */
const findUser = async (sources: Sources, text: string): Promise<FoundUser | MissingUser> => {
  const { explain, tenant } = sources;
  const found = await explain.findUser(tenant.id, text);
  if (found?.deletedAt === null) return found;
  const byWords = found ? undefined : await findByWords(sources, 'user', text, explain.findUser);
  if (byWords) return byWords;
  const [tried, gone] = await Promise.all([
    explain.refusedUsers(tenant.id, text),
    found ?? explain.findDeleted(tenant.id, text),
  ]);
  const named = tried.map((entry) => {
    const name = entry.subject?.name ?? '';
    return { name, label: `${name}, whose creation was refused`, entry };
  });
  const refused = theOnly(named, 'user', text)?.entry;
  // Of a deleted user, a later attempt to create the user again.
  if (gone?.deletedAt && !(refused && refused.at > gone.deletedAt)) return gone;
  const people = await askPlugins(sources, { text: fold(text), userId: undefined });
  return refused ? ofRefusal(sources, refused, people) : ofPlugins(people, text);
};

/** Who was never created, because a command was refused. */
const ofRefusal = async (
  { explain, tenant: { id } }: Sources,
  entry: CommandLogEntry,
  people: readonly PersonFact[],
): Promise<MissingUser> => {
  const code = entry.refusal?.code ?? '';
  const [missing, holder] = await Promise.all([
    explain.missingUsers(id, code),
    code.endsWith('_TAKEN') ? explain.holderOf(id, entry) : undefined,
  ]);
  return { name: entry.subject?.name ?? '', entry, missing, holder, people };
};

/** Who was never created, but is known to plugins. */
const ofPlugins = (people: readonly PersonFact[], text: string): MissingUser => {
  const named = people.map(({ name }) => ({ name, label: name }));
  const name = theOnly(named, 'user', text)?.name;
  if (name !== undefined)
    return { name, missing: [], people: people.filter((one) => one.name === name) };
  return raise(
    'USER_NOT_FOUND',
    'No user has this id, name or e-mail address, and the provisioning log has no request to create ' +
      'one. Assign the user to the application in the identity provider, or include them in the ' +
      'source and filter of a connector. If the identity provider reports an error, capture its ' +
      'requests to see what it sends.',
  );
};

/** A room, or what is known of one that does not exist. */
const findRoom = async (sources: Sources, text: string): Promise<Room | MissingRoom> => {
  const { explain, tenant } = sources;
  const found = await explain.findRoom(tenant.id, text);
  if (found) return found;
  if (parseRoomId(text))
    raise('ROOM_NOT_FOUND', 'No room has this id. List them by GET /tenants/{slug}/rooms.');
  const history = await explain.roomHistory(tenant.id, text);
  const byWords =
    history.length > 0 ? undefined : await findByWords(sources, 'room', text, explain.findRoom);
  return byWords ?? { name: text, history, similar: await explain.similar(tenant.id, text) };
};

const explainTo = async (
  sources: Sources,
  user: FoundUser | MissingUser | undefined,
  room: Room | MissingRoom | undefined,
): Promise<Draft> => {
  const { explain, tenant } = sources;
  if (!user) {
    if (!room) return refuseQuery('user');
    if ('history' in room) return explainMissingRoom(tenant, undefined, room, []);
    const { rooms } = await explain.similar(tenant.id, room.name);
    const group = rooms.find((one) => one.room.id === room.id)?.group ?? null;
    return explainRoomOfGroup(room, group);
  }
  if ('missing' in user) return explainMissingUser(tenant, user, room);
  const { id, profile } = user.user;
  if (!room) return explainRole({ found: user, tenant, facts: await explain.role(tenant.id, id) });
  const people = await askPlugins(sources, { text: fold(profile.userName), userId: id });
  if ('history' in room) return explainMissingRoom(tenant, user, room, people);
  const facts = await explain.room(tenant.id, user.user, room);
  return explainRoom({ tenant, found: user, room, facts, people });
};

/** Without the changes whose command would be refused, or would change nothing, as dry runs show. */
const onlyEffective = async (
  draft: Draft,
  { preview }: Pick<RouteParts, 'preview'>,
  { tenantId, requestId }: { readonly tenantId: TenantId; readonly requestId: string },
): Promise<Draft> => {
  const changes = draft.changes.filter(isGiven);
  const effective = await Promise.all(
    changes.map(async ({ remedy }) => {
      const command = remedy && commandOf(remedy);
      if (!command) return true;
      const actor = { kind: 'system', name: 'explain' } as const;
      const { outcome } = await preview({ tenantId, requestId, command, actor, source: 'admin' });
      if (!outcome.ok && isFailure(outcome.refusal)) resultOf(outcome);
      return outcome.ok && outcome.changed;
    }),
  );
  return { ...draft, changes: changes.filter((_change, index) => effective[index]) };
};

/** Explains a user's role or membership (decisions.md 8). */
export const explainRoutes = (parts: RouteParts): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: '/explain',
    operationId: 'explain',
    forCustomers: {
      // Without the calls and pages of operators.
      fields:
        'question answer(text member can_use tx_permission not_member_because role) ' +
        'facts(kind text at) would_change(text role)',
    },
    tag: 'Provisioning log',
    summary: 'Explain a role or a membership',
    description:
      'Explains why a user has a role, or is or is not in a room: the facts that decide it, in ' +
      'order, the last commands that affected it, and what would change the result. A user who was ' +
      'never created, and a room that does not exist, are explained from the provisioning log and ' +
      'from plugins such as connectors. Read-only. Setup links get no names of operators, of their programs and of connectors, and no calls.',
    query: ExplainQuery,
    responses: { 200: { description: 'The explanation.', body: Explanation } },
    refusals: ['USER_NOT_FOUND', 'ROOM_NOT_FOUND'],
    handler: async ({ caller: { tenant, setup }, query: { user, room, role }, requestId }) => {
      const { search, explain, extensions } = parts;
      if ((room === undefined) === (role === undefined)) refuseQuery('role');
      // Connectors answer with records of the operator's source.
      const sources = setup
        ? { tenant, search, explain: withoutOperators(explain), plugins: [] }
        : { tenant, search, explain, plugins: extensions.explains };
      const place = room === undefined ? undefined : await findRoom(sources, room);
      const found = user === undefined ? undefined : await findUser(sources, user);
      const about = { tenantId: tenant.id, requestId };
      const draft = await onlyEffective(await explainTo(sources, found, place), parts, about);
      return { status: 200, body: writeExplanation(draft, tenant.slug) };
    },
  }),
];

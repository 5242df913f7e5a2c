import { z } from 'zod';
import type { FoundUser } from '../../ports/command-log.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import type { PersonFact } from '../../ports/tenants.js';
import { parseRoomId, type UserId } from '../../domain/kernel/ids.js';
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
} from './explain-missing.js';
import { explainRole } from './explain-role.js';
import { explainRoom } from './explain-room.js';
import { maskNumbers, Explanation } from './explain.js';
import { withoutOperators } from './explain-for-customers.js';
import type { RouteParts } from './route-parts.js';

const ExplainQuery = z.strictObject({
  user: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
      'Absent: explains whether a group of the name `room` has a room. Id, e-mail, user name, or the beginning of a word of a name, if only one user matches. A ' +
        'deleted user, and one whose creation was refused, is found while the log has the user.',
    ),
  room: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
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

const raiseUserNotFound = (): never =>
  raise(
    'USER_NOT_FOUND',
    'No user has this id, name or e-mail address, and the provisioning log has no request to create ' +
      'one. Assign the user to the application in the identity provider, or include them in the ' +
      'source and filter of a connector. If the identity provider reports an error, capture its ' +
      'requests to see what it sends.',
  );

const raiseRoomNotFound = (): never =>
  raise('ROOM_NOT_FOUND', 'No room has this id. List them by GET /tenants/{slug}/rooms.');

const MAX_CANDIDATES = 10;

interface Candidate {
  readonly name: string;
  /** Tells it from others. */
  readonly label: string;
}

/** The only candidate, or the only one of exactly this name; throws if there are several. */
const theOnly = <One extends Candidate>(
  candidates: readonly One[],
  { path, text }: { readonly path: 'user' | 'room'; readonly text: string },
): One | undefined => {
  const exact = candidates.filter(({ name }) => nameKey(name) === nameKey(text));
  const [first, second] = exact.length > 0 ? exact : candidates;
  if (!second) return first;
  const shown = candidates.slice(0, MAX_CANDIDATES);
  const count = candidates.length > shown.length ? `more than ${shown.length}` : shown.length;
  return raise('INVALID_REQUEST', `"${text}" matches ${count} ${path}s. Specify one of them.`, {
    details: shown.map(({ label }) => ({ path, message: label })),
  });
};

type Explainers = Pick<RouteParts, 'explain' | 'search' | 'extensions'>;

/** Finds users and rooms by what a person types, and explains. */
const createExplain = ({ explain, search, extensions }: Explainers) => {
  const askPlugins = async (
    tenant: Tenant,
    text: string,
    userId?: UserId,
  ): Promise<readonly PersonFact[]> => {
    const person = { text: fold(text), userId };
    return (await Promise.all(extensions.explains.map((ask) => ask(tenant, person)))).flat();
  };

  const findByWords = async (tenant: Tenant, path: 'user' | 'room', text: string) => {
    const options = { kinds: [path], limit: MAX_CANDIDATES + 1 };
    const found = await search.find(tenant.id, text, options);
    const named = found.map(({ id, title, subtitle }) => ({
      id,
      name: title,
      label: path === 'user' ? `${title} (${subtitle})` : title,
    }));
    return theOnly(named, { path, text })?.id;
  };

  const findRefused = async (tenant: Tenant, text: string): Promise<MissingUser | undefined> => {
    const tried = await explain.refusedUsers(tenant.id, text);
    const named = tried.map((entry) => {
      const name = entry.subject?.name ?? '';
      return { name, label: `${name}, whose creation was refused`, entry };
    });
    const entry = theOnly(named, { path: 'user', text })?.entry;
    if (!entry) return undefined;
    const code = entry.refusal?.code ?? '';
    const [missing, holder, people] = await Promise.all([
      explain.missingUsers(tenant.id, code),
      code.endsWith('_TAKEN') ? explain.holderOf(tenant.id, entry) : undefined,
      askPlugins(tenant, text),
    ]);
    return { name: entry.subject?.name ?? text, entry, missing, holder, people };
  };

  const findByPlugins = async (tenant: Tenant, text: string): Promise<MissingUser | undefined> => {
    const people = await askPlugins(tenant, text);
    const named = people.map((one) => ({ name: one.name, label: one.name }));
    const unique = [...new Map(named.map((one) => [one.name, one])).values()];
    const name = theOnly(unique, { path: 'user', text })?.name;
    if (name === undefined) return undefined;
    return { name, missing: [], people: people.filter((one) => one.name === name) };
  };

  /** A user, or one who was never created. Throws USER_NOT_FOUND. */
  const findUser = async (tenant: Tenant, text: string): Promise<FoundUser | MissingUser> => {
    const found = await explain.findUser(tenant.id, text);
    if (found?.deletedAt === null) return found;
    const id = found ? undefined : await findByWords(tenant, 'user', text);
    const byWords = id === undefined ? undefined : await explain.findUser(tenant.id, id);
    if (byWords) return byWords;
    const [refused, gone = found] = await Promise.all([
      findRefused(tenant, text),
      found ?? explain.findDeleted(tenant.id, text),
    ]);
    // Of a deleted user, a later attempt to create the user again.
    if (gone?.deletedAt && !(refused?.entry && refused.entry.at > gone.deletedAt)) return gone;
    return refused ?? (await findByPlugins(tenant, text)) ?? raiseUserNotFound();
  };

  /** A room, or what is known of one that does not exist. */
  const findRoom = async (tenant: Tenant, text: string): Promise<Room | MissingRoom> => {
    const found = await explain.findRoom(tenant.id, text);
    if (found) return found;
    if (parseRoomId(text)) return raiseRoomNotFound();
    const history = await explain.roomHistory(tenant.id, text);
    const id = history.length > 0 ? undefined : await findByWords(tenant, 'room', text);
    const byWords = id === undefined ? undefined : await explain.findRoom(tenant.id, id);
    if (byWords) return byWords;
    return { name: text, history, similar: await explain.similar(tenant.id, text) };
  };

  const explainTo = async (
    tenant: Tenant,
    user: FoundUser | MissingUser | undefined,
    room: Room | MissingRoom | undefined,
  ): Promise<Explanation> => {
    if (!user) {
      if (!room) return refuseQuery('user');
      if ('history' in room) return explainMissingRoom(tenant, undefined, room);
      const { rooms } = await explain.similar(tenant.id, room.name);
      const group = rooms.find((one) => one.room.id === room.id)?.group ?? null;
      return explainRoomOfGroup(tenant, room, group);
    }
    if ('missing' in user) return explainMissingUser(tenant, user, room ?? null);
    if (!room) {
      const facts = await explain.role(tenant.id, user.user.id);
      return explainRole({ found: user, tenant, facts });
    }
    const { id, profile } = user.user;
    const people = await askPlugins(tenant, profile.userName, id);
    if ('history' in room) return explainMissingRoom(tenant, user, room, people);
    const facts = await explain.room(tenant.id, user.user, room);
    return explainRoom({ tenant, found: user, room, facts, people });
  };

  return { findUser, findRoom, explainTo };
};

/** Explains a user's role or membership (decisions.md 8). */
export const explainRoutes = (parts: RouteParts): readonly Route[] => {
  const forOperators = createExplain(parts);
  const forCustomers = (): ReturnType<typeof createExplain> =>
    createExplain({
      ...{ search: parts.search, explain: withoutOperators(parts.explain) },
      // Connectors answer with records of the operator's source.
      extensions: { ...parts.extensions, explains: [] },
    });
  return [
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
      handler: async ({ caller: { tenant, setup }, query: { user, room, role } }) => {
        if ((room === undefined) === (role === undefined)) refuseQuery('role');
        const { findRoom, findUser, explainTo } = setup ? forCustomers() : forOperators;
        const place = room === undefined ? undefined : await findRoom(tenant, room);
        const found = user === undefined ? undefined : await findUser(tenant, user);
        return { status: 200, body: maskNumbers(await explainTo(tenant, found, place)) };
      },
    }),
  ];
};

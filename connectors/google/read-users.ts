import {
  collectMemberships,
  type ConnectorHost,
  type ReadMessage,
  type ReadRequest,
  selectGroups,
  z,
} from '../../src/plugin/api.js';
import { type GoogleClient, type Group, stuck } from './client.js';
import { recordOf, type User } from './record.js';
import type { GoogleSettings } from './settings.js';

/** Where a read resumes. */
const PageCursor = z.object({ pageToken: z.string() });

/** The groups of a user; undefined if no groups are read. */
type GroupsOf = (userId: string) => readonly string[] | undefined;

/** Reads users page by page: the Directory API lists no changes. */
export const createReader = (
  client: GoogleClient,
  { settings }: Pick<ConnectorHost<GoogleSettings>, 'settings'>,
) => {
  const readGroups = async (signal: AbortSignal): Promise<GroupsOf> => {
    const { groups } = settings;
    if (!groups) return () => undefined;
    const found: Group[] = [];
    for (const key of groups.names) {
      const group = await client.group(key, signal);
      if (group) found.push(group);
    }
    if (groups.prefix !== undefined)
      for await (const group of client.groups(signal)) found.push(group);
    const byId = new Map(found.map(({ id, email: name }) => [id, { id, name }]));
    const memberships = collectMemberships();
    const everybody: string[] = [];
    for (const { id, name } of selectGroups(byId.values(), groups, 'Google Workspace'))
      for await (const member of client.members(id, signal))
        // All users of the customer are one member; members from outside have no id.
        if (member.type === 'CUSTOMER') everybody.push(name);
        else if (member.type === 'USER' && member.id !== undefined)
          memberships.add(name, member.id);
    const { groupsOf } = memberships.finish();
    return everybody.length === 0
      ? groupsOf
      : (id) => [...new Set([...everybody, ...groupsOf(id)])].sort();
  };

  const messageOf = (user: User, groupsOf: GroupsOf): ReadMessage => ({
    type: 'record',
    id: user.id,
    data: recordOf(user, groupsOf(user.id)),
  });

  async function* readPages(request: ReadRequest): AsyncGenerator<ReadMessage> {
    const { cursor, isResumed, pageSize, signal } = request;
    const groupsOf = await readGroups(signal);
    let token = isResumed ? PageCursor.parse(cursor).pageToken : undefined;
    for (;;) {
      const { users, next } = await client.users(token, pageSize, signal);
      for (const user of users) yield messageOf(user, groupsOf);
      if (next === undefined) break;
      if (next === token) throw stuck();
      token = next;
      yield { type: 'checkpoint', cursor: { pageToken: token } };
    }
    yield { type: 'complete', cursor: null };
  }

  async function* readSome(
    ids: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<ReadMessage> {
    const groupsOf = await readGroups(signal);
    for (const id of ids) {
      const user = await client.user(id, signal);
      const message = 'Google Workspace does not know this user.';
      yield user ? messageOf(user, groupsOf) : { type: 'recordError', id, message };
    }
    yield { type: 'complete', cursor: null };
  }

  return {
    read: (request: ReadRequest): AsyncGenerator<ReadMessage> =>
      request.ids ? readSome(request.ids, request.signal) : readPages(request),
  };
};

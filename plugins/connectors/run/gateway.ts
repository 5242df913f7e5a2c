import { fold, type GroupId, type UserId } from '../../../src/plugin/api.js';
import type {
  CommandOf,
  CommandOrigin,
  ConnectorCommandType,
  Outcome,
  RunnerHost,
  User,
} from '../../../src/plugin/connectors-api.js';
import type { Link } from '../link.js';
import type { UserKey } from '../identify/identities.js';

/** User names and addresses are the same in any case and width. */
export const keyed = (by: string, value: string): string =>
  by === 'userName' || by === 'email' ? fold(value) : value;

const LOOKUP = 1_000;

/** The gateway, as one run of one connector uses it. */
export type Gateway = ReturnType<typeof createGateway>;

export const createGateway = (
  { commandsOf, users }: Pick<RunnerHost, 'commandsOf' | 'users'>,
  origin: CommandOrigin,
) => {
  const { tenantId, connector } = origin;
  const { submit, preview, idFor } = commandsOf(origin);
  return {
    connector,
    submit,
    idFor,
    /** What the command would do now. */
    preview: async <Type extends ConnectorCommandType>(
      command: CommandOf<Type>,
    ): Promise<Outcome<Type>> => (await preview(command)).outcome,
    /** The id of the user that is created for the record of this link. */
    idOfNewUser: ({ sourceId, rev, life }: Pick<Link, 'sourceId' | 'rev' | 'life'>) =>
      idFor<UserId>([life, sourceId, rev].join(':')),
    /** By the value of the key, as `keyed` writes it. */
    findUsers: async (
      by: UserKey | 'id',
      values: readonly string[],
    ): Promise<ReadonlyMap<string, readonly User[]>> => {
      const wanted = [...new Set(values.map((value) => keyed(by, value)))];
      const result = new Map<string, User[]>();
      for (let from = 0; from < wanted.length; from += LOOKUP) {
        for (const user of await users.find(tenantId, by, wanted.slice(from, from + LOOKUP))) {
          const key = keyed(by, valueOf(user, by) ?? '');
          result.set(key, [...(result.get(key) ?? []), user]);
        }
      }
      return result;
    },
    /** Of those of the links that have a user; deleted users are missing. */
    userVersions: (
      links: readonly Pick<Link, 'userId'>[],
    ): Promise<ReadonlyMap<UserId | null, number>> =>
      users.versions(
        tenantId,
        links.flatMap(({ userId }) => userId ?? []),
      ),
    /** All of the tenant, in batches. */
    activeUsers: () => users.activeUsers(tenantId),
    findGroups: (names: readonly string[]) => users.findGroups(tenantId, names),
    /** Of these users in these groups. */
    memberships: (groupIds: readonly GroupId[], userIds: readonly UserId[]) =>
      users.memberships(tenantId, groupIds, userIds),
  };
};

const valueOf = (user: User, by: UserKey | 'id'): string | null | undefined => {
  if (by === 'id') return user.id;
  if (by === 'email') return user.email;
  return by === 'userName' ? user.profile.userName : user.profile.externalId;
};

import {
  fold,
  type CommandRequest,
  type ConnectorCommandType,
  type GroupId,
  type Outcome,
  type PluginCommands,
  type PluginUsers,
  type RoomId,
  type TenantId,
  type User,
  type UserId,
} from '../../../src/plugin/api.js';
import type { Link } from '../link.js';
import type { UserKey } from '../identify/identities.js';

/** The gateway, as one run of one connector uses it. */
export interface Gateway {
  readonly connector: string;
  /** The same key again, also after a crash, changes nothing and returns the first outcome. */
  readonly submit: <Type extends ConnectorCommandType>(
    key: string,
    command: CommandRequest<Type>['command'],
  ) => Promise<Outcome<Type>>;
  /** What the command would do now. */
  readonly preview: <Type extends ConnectorCommandType>(
    command: CommandRequest<Type>['command'],
  ) => Promise<Outcome<Type>>;
  /** The same id for the same key. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  readonly idFor: <Id extends UserId | GroupId | RoomId>(key: string) => Id;
  /** The id of the user that is created for the record of this link. */
  readonly idOfNewUser: (link: Pick<Link, 'sourceId' | 'rev' | 'life'>) => UserId;
  /** By the value of the key, as `keyed` writes it. */
  readonly findUsers: (
    by: UserKey | 'id',
    values: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly User[]>>;
  /** Of those of the links that have a user; deleted users are missing. */
  readonly userVersions: (
    links: readonly Pick<Link, 'userId'>[],
  ) => Promise<ReadonlyMap<UserId | null, number>>;
  /** All of the tenant, in batches. */
  readonly activeUsers: () => AsyncIterable<readonly User[]>;
  readonly findGroups: (
    names: readonly string[],
  ) => Promise<readonly { readonly id: GroupId; readonly displayName: string }[]>;
}

interface GatewayParts {
  readonly commands: PluginCommands;
  readonly users: Pick<PluginUsers, 'find' | 'versions' | 'findGroups' | 'activeUsers'>;
  readonly tenantId: TenantId;
  readonly connector: string;
  /** Of the run, in the provisioning log. */
  readonly requestId: string;
  /** Ends commands that wait. */
  readonly signal: AbortSignal;
}

/** User names and addresses are the same in any case and width. */
export const keyed = (by: string, value: string): string =>
  by === 'userName' || by === 'email' ? fold(value) : value;

const LOOKUP = 1_000;

export const createGateway = ({ commands, users, signal, ...bound }: GatewayParts): Gateway => {
  const { tenantId, connector } = bound;
  const idFor: Gateway['idFor'] = (key) => commands.idFor(tenantId, `${connector}:${key}`);
  return {
    connector,
    submit: (key, command) => commands.submit({ ...bound, signal, key, command }),
    preview: async (command) => (await commands.preview({ ...bound, command })).outcome,
    idFor,
    idOfNewUser: ({ sourceId, rev, life }) =>
      idFor([...(life === undefined ? [] : [life]), sourceId, rev].join(':')),
    findUsers: async (by, values) => {
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
    userVersions: (links) =>
      users.versions(
        tenantId,
        links.flatMap(({ userId }) => userId ?? []),
      ),
    activeUsers: () => users.activeUsers(tenantId),
    findGroups: (names) => users.findGroups(tenantId, names),
  };
};

const valueOf = (user: User, by: UserKey | 'id'): string | null | undefined => {
  if (by === 'id') return user.id;
  if (by === 'email') return user.email;
  return by === 'userName' ? user.profile.userName : user.profile.externalId;
};

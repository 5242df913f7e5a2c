import type { JsonObject, TenantId, User, UserId } from '../../../src/plugin/api.js';
import type { Link } from '../link.js';
import { MANAGER, profileValue } from '../mapping/attributes.js';
import type { ConnectorStore } from '../run/connector-store.js';
import type { GatewayAccess } from '../run/gateway-access.js';
import type { UserKey } from './correlate.js';
import type { PlanRules } from './plan-record.js';

/** Names and addresses are the same in any case. */
export const keyed = (by: string, value: string): string =>
  by === 'userName' || by === 'email' ? value.toLowerCase() : value;

const LOOKUP = 1_000;

/** Users by the value of a key. */
export const findUsers = async (
  { users }: Pick<GatewayAccess, 'users'>,
  tenantId: TenantId,
  by: UserKey | 'id',
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly User[]>> => {
  const wanted = [...new Set(values.map((value) => keyed(by, value)))];
  const result = new Map<string, User[]>();
  for (let from = 0; from < wanted.length; from += LOOKUP) {
    for (const user of await users.find(tenantId, by, wanted.slice(from, from + LOOKUP))) {
      const key = keyed(by, keyOf(user, by) ?? '');
      result.set(key, [...(result.get(key) ?? []), user]);
    }
  }
  return result;
};

const keyOf = (user: User, by: UserKey | 'id'): string | null | undefined => {
  if (by === 'id') return user.id;
  if (by === 'email') return user.email;
  return by === 'userName' ? user.profile.userName : user.profile.externalId;
};

interface ManagerParts {
  readonly store: Pick<ConnectorStore, 'links'>;
  readonly access: GatewayAccess;
}

/** By record id, else by external id, user name or e-mail address. */
export const findManagers = async (
  refs: readonly string[],
  { store, access }: ManagerParts,
): Promise<ReadonlyMap<string, UserId>> => {
  const unique = [...new Set(refs)];
  const found = new Map<string, UserId>();
  for (const [ref, { userId }] of await store.links(unique)) if (userId) found.set(ref, userId);
  for (const by of ['externalId', 'userName', 'email'] as const) {
    const open = unique.filter((ref) => !found.has(ref));
    const users = await findUsers(access, access.tenantId, by, open);
    for (const ref of open) {
      const matches = users.get(keyed(by, ref)) ?? [];
      const [user] = matches;
      if (user && matches.length === 1) found.set(ref, user.id);
    }
  }
  return found;
};

/** The records of those users whose manager another interface has changed. */
export const changedManagers = async (
  records: readonly { readonly link: Link; readonly user: User | undefined }[],
  { conflicts, setsManager, owned }: PlanRules,
  parts: ManagerParts,
): Promise<ReadonlySet<string>> => {
  if (conflicts !== 'source-wins' || !setsManager || !owned.has(MANAGER)) return new Set();
  const changed = records.flatMap(({ link, user }) => {
    const { sourceId, manager, userVersion } = link;
    if (manager === null || !user || user.version === userVersion) return [];
    const set = profileValue(user.profile, MANAGER) as JsonObject | undefined;
    return [{ sourceId, manager, userId: set?.value }];
  });
  if (changed.length === 0) return new Set();
  const managers = await findManagers(
    changed.map(({ manager }) => manager),
    parts,
  );
  return new Set(
    changed
      .filter(({ manager, userId }) => managers.has(manager) && managers.get(manager) !== userId)
      .map(({ sourceId }) => sourceId),
  );
};

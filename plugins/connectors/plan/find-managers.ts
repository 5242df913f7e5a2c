import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import type { Link } from '../link.js';
import { MANAGER, profileValue } from '../mapping/attributes.js';
import type { ConnectorStore } from '../run/connector-store.js';
import { type Gateway, keyed } from '../run/gateway.js';
import type { PlanRules } from './plan-record.js';

interface ManagerParts {
  readonly store: Pick<ConnectorStore, 'linkStates' | 'quarantine' | 'stagedIds'>;
  readonly gateway: Gateway;
}

/** By record id, else by external id, user name or e-mail address. */
export const findManagers = async (
  refs: readonly string[],
  { store, gateway }: ManagerParts,
): Promise<ReadonlyMap<string, UserId>> => {
  const unique = [...new Set(refs)];
  const found = new Map<string, UserId>();
  for (const [ref, { userId }] of await store.linkStates.many(unique))
    if (userId) found.set(ref, userId);
  for (const by of ['externalId', 'userName', 'email'] as const) {
    const open = unique.filter((ref) => !found.has(ref));
    const users = await gateway.findUsers(by, open);
    for (const ref of open) {
      const matches = users.get(keyed(by, ref)) ?? [];
      const [user] = matches;
      if (user && matches.length === 1) found.set(ref, user.id);
    }
  }
  return found;
};

/** Of managers who had no user: those who have one now, or most likely get one in this run. */
export const readyManagers = async (
  links: Iterable<Pick<Link, 'unmetManager'>>,
  runId: string,
  { store, gateway }: ManagerParts,
): Promise<ReadonlySet<string>> => {
  const refs = [...links].flatMap(({ unmetManager }) => unmetManager ?? []);
  if (refs.length === 0) return new Set();
  const found = await findManagers(refs, { store, gateway });
  const staged = await store.stagedIds(runId).many(refs);
  const waiting = await store.quarantine.many([...staged.keys()]);
  return new Set([...found.keys(), ...[...staged.keys()].filter((ref) => !waiting.has(ref))]);
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

import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import type { Link } from '../link.js';
import { MANAGER, profileValue } from '../mapping/attributes.js';
import { findManagers } from '../plan/find-managers.js';
import type { PlanItem } from '../plan/plan-item.js';
import { type ApplyParts, keyOf, patchOf } from './apply-item.js';
import { appliedOutcome, type ApplyPage } from './apply-page.js';
import type { ItemOutcome } from './plan-store.js';

/**
 * The second pass, unless all managers were set by the first one: of users that were linked or changed,
 * and of those whose manager was expected to get another user, or any.
 */
export const setManagers: ApplyPage = async (parts, page) => {
  const { store, gateway, run } = parts;
  const wanted = page.filter(({ item }) => item.manager !== undefined);
  const links = await store.links.many(wanted.map(({ item }) => item.sourceId));
  const refs = wanted.flatMap(({ item }) => item.manager ?? []);
  const managers = await findManagers(refs, parts);
  const users = await gateway.findUsers(
    'id',
    [...links.values()].flatMap(({ userId }) => userId ?? []),
  );
  const written: Link[] = [];
  const outcomes: ItemOutcome[] = [];
  await Promise.all(
    wanted.map(async ({ index, item }) => {
      const link = links.get(item.sourceId);
      if (link?.rev !== item.rev + 1 || link.userId === null) return;
      const [user] = users.get(link.userId) ?? [];
      const managerId = item.manager == null ? null : managers.get(item.manager);
      const result = await setManager(item, link, { user, managerId }, parts);
      if (!result) return;
      written.push(result.link);
      if (result.message !== undefined) outcomes.push(appliedOutcome(index, item, result.message));
    }),
  );
  const before = (): Promise<void> => store.putOutcomes(run.id, outcomes);
  const unmetManagers = written.filter(({ unmetManager }) => unmetManager !== null).length;
  return { links: written, applied: 0, failed: 0, unmetManagers, before };
};

/** `managerId`: null: none; undefined: the manager has no user. Returns nothing if nothing was to do. */
const setManager = async (
  item: PlanItem,
  link: Link,
  {
    user,
    managerId,
  }: { readonly user: User | undefined; readonly managerId: UserId | null | undefined },
  { gateway }: ApplyParts,
): Promise<{ readonly link: Link; readonly message?: string } | undefined> => {
  const wanted = item.manager ?? null;
  const now = user && (profileValue(user.profile, MANAGER) as JsonObject | undefined)?.value;
  // Set by the first pass, or by an earlier attempt.
  if (link.manager !== null && link.manager === wanted && now === managerId) return undefined;
  const unmet = { ...link, manager: null, unmetManager: wanted };
  const noUser = `The manager "${wanted}" has no user.`;
  // A new user may have a manager who was not created.
  const isWrong = item.kind === 'create' && now !== undefined;
  if (managerId === undefined && !isWrong) return { link: unmet, message: noUser };
  const outcome = await gateway.submit(
    keyOf(item, `manager:${managerId ?? 'none'}`),
    patchOf(link.userId as UserId, [[MANAGER, managerId ? { value: managerId } : null]]),
  );
  if (!outcome.ok) return { link: unmet, message: `Manager: ${outcome.refusal.message}` };
  const userVersion = outcome.result.version;
  if (managerId === undefined) return { link: { ...unmet, userVersion }, message: noUser };
  return { link: { ...link, manager: wanted, unmetManager: null, userVersion } };
};

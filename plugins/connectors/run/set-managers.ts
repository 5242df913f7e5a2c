import type { JsonObject, UserId } from '../../../src/plugin/api.js';
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
      const now = user && (profileValue(user.profile, MANAGER) as JsonObject | undefined)?.value;
      const managerId = item.manager == null ? null : managers.get(item.manager);
      // Set by the first pass, or by an earlier attempt.
      if (link.manager !== null && link.manager === item.manager && now === managerId) return;
      // A new user may have a manager who was not created.
      const isWrong = managerId === undefined && item.kind === 'create' && now !== undefined;
      const result = await setManager({ item, link, managerId, isWrong }, parts);
      written.push(result.link);
      if (result.message !== undefined) outcomes.push(appliedOutcome(index, item, result.message));
    }),
  );
  const before = (): Promise<void> => store.putOutcomes(run.id, outcomes);
  const unmetManagers = written.filter(({ unmetManager }) => unmetManager !== null).length;
  return { links: written, applied: 0, failed: 0, unmetManagers, before };
};

interface WantedManager {
  readonly item: PlanItem;
  readonly link: Link;
  /** Null: none; undefined: the manager has no user. */
  readonly managerId: UserId | null | undefined;
  /** Whether a manager without a user has to be removed. */
  readonly isWrong: boolean;
}

const setManager = async (
  { item, link, managerId, isWrong }: WantedManager,
  { gateway }: ApplyParts,
): Promise<{ readonly link: Link; readonly message?: string }> => {
  const wanted = item.manager ?? null;
  const unmet = { ...link, manager: null, unmetManager: wanted };
  const noUser = `The manager "${wanted}" has no user.`;
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

import { type Facts, type Accepted, type Decision, isRefused } from '../kernel/decider.js';
import type { Change } from '../tables.js';
import type { Tenant, Removals } from './tenant.js';
import type { CommandContext } from '../commands.js';
import type { ApiKeyId } from '../kernel/ids.js';
import { refuse, type Refusal } from '../kernel/refusals.js';

type Counter = 'roomCount' | 'groupCount' | 'roleMappingCount' | 'smsListCount';

/** The tenant stores the totals of its lists, so that reading one needs no counting. */
export const adjustCounts = (
  { tenant }: Pick<Facts, 'tenant'>,
  by: Partial<Record<Counter, number>>,
): readonly Change[] => {
  if (!tenant) return [];
  const after: Tenant = {
    ...tenant,
    roomCount: tenant.roomCount + (by.roomCount ?? 0),
    groupCount: tenant.groupCount + (by.groupCount ?? 0),
    roleMappingCount: tenant.roleMappingCount + (by.roleMappingCount ?? 0),
    smsListCount: tenant.smsListCount + (by.smsListCount ?? 0),
  };
  return [{ table: 'tenant', before: tenant, after }];
};

const HOUR_MS = 3_600_000;

const endOf = ({ since, allowedUntil }: Removals): number =>
  Math.max(since.getTime() + HOUR_MS, allowedUntil?.getTime() ?? 0);

/** The count of the current hour; undefined if there is none. */
export const currentRemovals = (
  { removals }: Pick<Tenant, 'removals'>,
  keyId: ApiKeyId,
  now: Date,
): Removals | undefined => {
  const counted = removals[keyId];
  return counted && endOf(counted) > now.getTime() ? counted : undefined;
};

/** The tenant with a key's removals, and without those of hours that have ended. */
const withRemovals = (tenant: Tenant, keyId: ApiKeyId, removals: Removals, now: Date): Tenant => {
  const current = Object.entries(tenant.removals).filter(([, one]) => endOf(one) > now.getTime());
  return { ...tenant, removals: { ...Object.fromEntries(current), [keyId]: removals } };
};

/** Lifts the limit of a key for an hour. */
export const allowRemovals = (tenant: Tenant, keyId: ApiKeyId, now: Date): Tenant => {
  const allowedUntil = new Date(now.getTime() + HOUR_MS);
  return withRemovals(tenant, keyId, { since: now, count: 0, allowedUntil }, now);
};

/**
 * Counts what a SCIM command removes, and refuses it if its API key exceeds the tenant's limit: a
 * broken export must not deactivate a whole company. Identity providers repeat refused requests, so
 * nothing is lost.
 */
export const limitRemovals = <Result>(
  { source, actor }: Pick<CommandContext, 'source' | 'actor'>,
  decision: Decision<Result>,
  facts: Facts,
): Decision<Result> => {
  const limit = facts.tenant?.scim.maxRemovalsPerHour ?? null;
  if (limit === null || source !== 'scim' || actor.kind !== 'api-key') return decision;
  if (isRefused(decision)) return decision;
  const removed = countRemovals(decision.changes);
  const tenant = removed === 0 ? undefined : tenantAfter(decision, facts);
  if (!tenant) return decision;
  const { now } = facts;
  const current = currentRemovals(tenant, actor.id, now);
  const removals: Removals = {
    since: current?.since ?? now,
    count: (current?.count ?? 0) + removed,
    allowedUntil: current?.allowedUntil ?? null,
  };
  const isAllowed = removals.allowedUntil !== null && removals.allowedUntil > now;
  if (removals.count > limit && !isAllowed)
    return { refusal: removalsHeld(removed, limit, (endOf(removals) - now.getTime()) / 1_000) };
  const after = withRemovals(tenant, actor.id, removals, now);
  const counted: Change = { table: 'tenant', before: tenant, after };
  return { ...decision, changes: [...decision.changes, counted] };
};

const tenantAfter = ({ changes }: Accepted<unknown>, facts: Facts): Tenant | undefined => {
  const change = changes.findLast(({ table }) => table === 'tenant');
  return change?.table === 'tenant' ? (change.after ?? undefined) : facts.tenant;
};

/** Users who lose their seat, and memberships that end. A deleted user counts once. */
const countRemovals = (changes: readonly Change[]): number => {
  const users = new Set<string>();
  for (const { table, before, after } of changes)
    if (table === 'users' && before && !after) users.add(before.id);
  return changes.reduce((sum, change) => sum + removalsOf(change, users), 0);
};

const removalsOf = (change: Change, deletedUsers: ReadonlySet<string>): number => {
  if (change.table === 'users')
    return Number(change.before && (!change.after || isDeactivation(change.before, change.after)));
  if (change.table === 'memberships')
    return Number(change.before && !change.after && !deletedUsers.has(change.before.userId));
  // Removals that are too many for one commit (pipeline-rules.md 1).
  if (change.table === 'jobParts' && !change.before)
    return (change.after?.entries ?? []).filter(({ action }) => action === 'leave').length;
  if (change.table === 'jobs' && !change.before && change.after?.work.kind === 'roster.clear')
    return change.after.total;
  return 0;
};

const isDeactivation = (
  before: { readonly profile: { readonly active: boolean } },
  after: { readonly profile: { readonly active: boolean } },
): boolean => before.profile.active && !after.profile.active;

const removalsHeld = (removed: number, limit: number, seconds: number): Refusal =>
  refuse(
    'REMOVALS_HELD',
    `This would remove ${removed === 1 ? 'one more user or member' : `${removed} users or members`}, ` +
      `and this API key may remove ${limit} within an hour. Nothing was changed. If it is intended, ` +
      'ask your operator to allow it; otherwise it is accepted again later.',
    { retryAfter: Math.ceil(seconds) },
  );

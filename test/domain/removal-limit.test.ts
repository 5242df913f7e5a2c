import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/domain/kernel/decider.js';
import type { ApiKeyId, JobId, RosterId, TenantId } from '../../src/domain/kernel/ids.js';
import type { Change } from '../../src/domain/tables.js';
import { limitRemovals } from '../../src/domain/tenant/tenant-counts.js';
import { DEFAULT_SCIM_SETTINGS } from '../../src/domain/tenant/scim-settings.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { factsOver } from '../support/array-facts.js';
import { aMember, aTenant, aUser, idOf, NOW } from '../support/builders.js';

const KEY = idOf<ApiKeyId>(7);
const MINUTE = 60_000;
const OKTA = { source: 'scim', actor: { kind: 'api-key', id: KEY, scopes: [] } } as const;

const limitedTo = (limit: number | null, removals: Tenant['removals'] = {}): Tenant =>
  aTenant({ scim: { ...DEFAULT_SCIM_SETTINGS, maxRemovalsPerHour: limit }, removals });

const removed = (count: number, minutesAgo = 10, allowedUntil: Date | null = null) => ({
  [KEY]: { since: new Date(NOW.getTime() - minutesAgo * MINUTE), count, allowedUntil },
});

const deciding = (changes: readonly Change[]): Decision<null> => ({
  changes,
  events: [],
  result: null,
});

const deactivation = (number: number): Change => {
  const before = aUser(number);
  return {
    table: 'users',
    before,
    after: { ...before, profile: { ...before.profile, active: false } },
  };
};

const leaving = (number: number): Change => ({
  table: 'memberships',
  before: aMember(number),
  after: null,
});

const decide = (tenant: Tenant, changes: readonly Change[], context: typeof OKTA | object = OKTA) =>
  limitRemovals({ ...OKTA, ...context }, deciding(changes), factsOver({ known: {}, tenant }));

const refusalOf = (decision: Decision<unknown>) =>
  'refusal' in decision ? decision.refusal : undefined;

const countAfter = (decision: Decision<unknown>): number | undefined => {
  const change = 'changes' in decision ? decision.changes.at(-1) : undefined;
  return change?.table === 'tenant' ? change.after?.removals[KEY]?.count : undefined;
};

describe('the limit of removals', () => {
  it('does nothing unless the tenant has one', () => {
    const decision = deciding([deactivation(1)]);
    const facts = factsOver({ known: {}, tenant: limitedTo(null) });
    expect(limitRemovals(OKTA, decision, facts)).toBe(decision);
  });

  it('counts users who lose their seat and members who leave', () => {
    expect(countAfter(decide(limitedTo(5), [deactivation(1)]))).toBe(1);
    expect(countAfter(decide(limitedTo(5, removed(2)), [leaving(1), leaving(2)]))).toBe(4);
  });

  it('counts a deleted user once, whatever rooms the user leaves', () => {
    const membership = aMember(1);
    const user = { ...aUser(1), id: membership.userId };
    const changes: readonly Change[] = [
      { table: 'memberships', before: membership, after: null },
      { table: 'users', before: user, after: null },
    ];
    expect(countAfter(decide(limitedTo(5), changes))).toBe(1);
  });

  it('counts the removals of jobs, which change too many members for one commit', () => {
    const tenantId = idOf<TenantId>(1);
    const entries = [
      { userId: aUser(1).id, action: 'leave', txPermission: false },
      { userId: aUser(2).id, action: 'join', txPermission: false },
    ] as const;
    expect(
      countAfter(
        decide(limitedTo(5), [
          { table: 'jobParts', before: null, after: { id: 'part', tenantId, entries } },
        ]),
      ),
    ).toBe(1);
    const clearing = {
      id: idOf<JobId>(1),
      tenantId,
      work: {
        kind: 'roster.clear',
        rosterId: idOf<RosterId>(1),
        holder: { room: { id: 'r', name: 'Dispatch' } },
        lastly: [],
      },
      total: 5_000,
    };
    const change = { table: 'jobs', before: null, after: clearing } as unknown as Change;
    expect(refusalOf(decide(limitedTo(5), [change]))).toMatchObject({ code: 'REMOVALS_HELD' });
  });

  it('refuses what exceeds it until the hour is over', () => {
    const held = refusalOf(decide(limitedTo(5, removed(5, 10)), [deactivation(1)]));
    expect(held).toMatchObject({ code: 'REMOVALS_HELD', retryAfter: 3_000 });
    expect(held?.message).toContain('one more user or member');
    expect(countAfter(decide(limitedTo(5, removed(5, 60)), [deactivation(1)]))).toBe(1);
  });

  it('does not refuse what removes nothing', () => {
    const user = aUser(1);
    const renamed = { ...user, profile: { ...user.profile, displayName: 'Ada' } };
    const changes: readonly Change[] = [
      { table: 'users', before: null, after: user },
      { table: 'users', before: user, after: renamed },
    ];
    expect(refusalOf(decide(limitedTo(1, removed(1)), changes))).toBeUndefined();
  });

  it('is lifted for an hour when an operator allows it', () => {
    const allowedUntil = new Date(NOW.getTime() + MINUTE);
    const tenant = limitedTo(5, removed(900, 59, allowedUntil));
    expect(countAfter(decide(tenant, [deactivation(1)]))).toBe(901);
  });

  it('applies to each key alone, and to SCIM only', () => {
    const tenant = limitedTo(5, removed(5));
    const other = { actor: { kind: 'api-key', id: idOf<ApiKeyId>(8), scopes: [] } };
    expect(refusalOf(decide(tenant, [deactivation(1)], other))).toBeUndefined();
    expect(refusalOf(decide(tenant, [deactivation(1)], { source: 'rest' }))).toBeUndefined();
    const operator = { actor: { kind: 'operator', name: 'Ada' } };
    expect(refusalOf(decide(tenant, [deactivation(1)], operator))).toBeUndefined();
  });

  it('forgets the counts of hours that are over', () => {
    const old = idOf<ApiKeyId>(9);
    const since = new Date(NOW.getTime() - 61 * MINUTE);
    const tenant = limitedTo(5, { [old]: { since, count: 3, allowedUntil: null } });
    const decision = decide(tenant, [deactivation(1)]);
    const change = 'changes' in decision ? decision.changes.at(-1) : undefined;
    expect(change?.table === 'tenant' && Object.keys(change.after?.removals ?? {})).toEqual([KEY]);
  });
});

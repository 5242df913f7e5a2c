import { describe, expect, it } from 'vitest';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { aProfile, aTenant, aUser, idOf } from '../support/builders.js';
import { given } from '../support/given.js';

const userId = aUser(1).id;
const seated = aTenant({ seatsProvisioned: 1, userCount: 1 });

describe('user.update', () => {
  it('reports the changed attributes and increments the version', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.update', userId, displayName: 'Countess' })
      .thenEvents('user.updated')
      .thenData('user.updated', {
        user: { id: userId, email: 'user1@example.com', display_name: 'Countess', active: true },
        changed: ['display_name'],
      })
      .thenResult({ version: 2 });
  });

  it('changes nothing if the user already matches', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.update', userId, displayName: 'Ada Lovelace', active: true })
      .thenNothingHappens();
  });

  it('reports a change of name and a change of status as two events', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.update', userId, displayName: 'Away', active: false })
      .thenEvents('user.updated', 'user.deactivated')
      .thenTenant({ seatsProvisioned: 0, userCount: 1 });
  });

  it('takes a seat when it reactivates a user, and is refused without a free seat', () => {
    const away = aUser(1, { active: false });
    given({ tenant: aTenant({ seatCapacity: 1, userCount: 1 }), users: [away] })
      .when({ type: 'user.update', userId, active: true })
      .thenEvents('user.reactivated')
      .thenTenant({ seatsProvisioned: 1 });
    given({ tenant: aTenant({ seatCapacity: 1, seatsProvisioned: 1 }), users: [away] })
      .when({ type: 'user.update', userId, active: true })
      .thenRefused('SEAT_CAPACITY_REACHED');
  });

  it.each([
    ['the current version', [1], 'accepted'],
    ['one of several versions', [7, 1], 'accepted'],
    ['any version', '*', 'accepted'],
    ['another version', [2], 'PRECONDITION_FAILED'],
    ['no valid version', [], 'PRECONDITION_FAILED'],
  ] as const)('If-Match with %s: %s → %s', (_what, ifMatch, expected) => {
    const then = given({ tenant: seated, users: [aUser(1)] }).when({
      type: 'user.update',
      userId,
      displayName: 'Countess',
      ifMatch,
    });
    if (expected === 'accepted') then.thenEvents('user.updated');
    else then.thenRefused(expected);
  });

  it('changes only the custom attributes that it names, and removes those that are null', () => {
    const declared = ['badge', 'shift', 'team'].map((name) => ({
      ...{ name, type: 'string', multiValued: false, required: false, caseExact: true },
      ...{ description: '', canonicalValues: null },
    }));
    const tenant = { ...seated, customAttributes: declared as Tenant['customAttributes'] };
    const user = aUser(1, { custom: { badge: '7', shift: 'late' } });
    given({ tenant, users: [user] })
      .when({ type: 'user.update', userId, custom: { shift: null, team: 'red' } })
      .thenResult({ profile: { ...user.profile, custom: { badge: '7', team: 'red' } } });
  });

  it('is refused for an unknown user', () => {
    given({}).when({ type: 'user.update', userId, active: true }).thenRefused('USER_NOT_FOUND');
  });
});

describe('user.deactivate', () => {
  it('releases the seat and keeps the record', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.deactivate', userId })
      .thenEvents('user.deactivated')
      .thenTenant({ seatsProvisioned: 0, userCount: 1 });
  });

  it.each([
    ['a connector', { kind: 'connector', name: 'hr' }, 'hr'],
    ['anyone else', { kind: 'operator', name: 'ada' }, null],
  ] as const)('by %s stores which connector may reactivate', (_who, actor, deactivatedBy) => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.deactivate', userId }, { actor })
      .thenAfter('users', { deactivatedBy });
    const user = { ...aUser(1, { active: false }), deactivatedBy };
    given({ tenant: seated, users: [user] })
      .when({ type: 'user.update', userId, displayName: 'Away' }, { actor })
      .thenAfter('users', { deactivatedBy });
    given({ tenant: seated, users: [user] })
      .when({ type: 'user.update', userId, active: true }, { actor })
      .thenAfter('users', { deactivatedBy: null });
  });

  it('changes nothing for a deactivated user', () => {
    given({ users: [aUser(1, { active: false })] })
      .when({ type: 'user.deactivate', userId })
      .thenNothingHappens();
  });
});

describe('user.replace', () => {
  it('clears attributes that the new profile does not have', () => {
    given({ tenant: seated, users: [aUser(1, { title: 'Engineer' })] })
      .when({ type: 'user.replace', userId, profile: aUser(1).profile })
      .thenData('user.updated', {
        user: {
          id: userId,
          email: 'user1@example.com',
          display_name: 'Ada Lovelace',
          active: true,
        },
        changed: ['title'],
      });
  });

  it('reports e-mail, user name and extension attributes by their names', () => {
    given({ tenant: seated, users: [aUser(1, { enterprise: { department: 'A' } })] })
      .when({
        type: 'user.replace',
        userId,
        profile: aProfile({ userName: 'new@example.com', enterprise: { department: 'B' } }),
      })
      .thenData('user.updated', {
        user: { id: userId, email: 'new@example.com', display_name: 'Ada Lovelace', active: true },
        changed: ['email', 'enterprise.department', 'user_name'],
      });
  });

  it("accepts other letter case in the user's own keys", () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({
        type: 'user.replace',
        userId,
        profile: { ...aUser(1).profile, userName: 'USER1@example.com' },
      })
      .thenEvents('user.updated');
  });

  it('does not reactivate a user if the request omits active', () => {
    const away = aUser(1, { active: false, title: 'Engineer' });
    const full = aTenant({ seatCapacity: 0, userCount: 1 });
    const { profile } = aUser(1);
    given({ tenant: full, users: [away] })
      .when({ type: 'user.replace', userId, profile, keepsActive: true })
      .thenEvents('user.updated')
      .thenResult({ version: 2, profile: { ...profile, active: false } });
    given({ tenant: full, users: [away] })
      .when({ type: 'user.replace', userId, profile })
      .thenRefused('SEAT_CAPACITY_REACHED');
  });

  it("is refused for another user's e-mail address", () => {
    given({ tenant: seated, users: [aUser(1), aUser(2)] })
      .when({ type: 'user.replace', userId, profile: aUser(2).profile })
      .thenRefused('EMAIL_TAKEN');
  });
});

describe('user.patch', () => {
  it('applies the changes to the current profile', () => {
    given({ tenant: seated, users: [aUser(1, { title: 'Engineer' })] })
      .when({
        type: 'user.patch',
        userId,
        changes: [{ op: 'remove', path: ['title'], value: null }],
      })
      .thenEvents('user.updated')
      .thenResult({ version: 2 });
  });

  it('is refused if the changes cannot be applied', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({
        type: 'user.patch',
        userId,
        changes: [{ op: 'remove', path: ['userName'], value: null }],
      })
      .thenRefused('INVALID_REQUEST');
  });

  it('rethrows other errors for the pipeline', () => {
    const broken = { type: 'user.patch', userId, changes: null } as never;
    expect(() => given({ tenant: seated, users: [aUser(1)] }).when(broken)).toThrow(TypeError);
  });
});

describe('user.delete', () => {
  it('reports the deactivation, then the deletion', () => {
    const inactive = {
      ...{ id: userId, email: 'user1@example.com', display_name: 'Ada Lovelace', active: false },
    };
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.delete', userId })
      .thenEvents('user.deactivated', 'user.deleted')
      .thenData('user.deactivated', { user: inactive })
      .thenData('user.deleted', { user: inactive })
      .thenAfter('users', null)
      .thenTenant({ seatsProvisioned: 0, userCount: 0 });
  });

  it('reports only the deletion of a deactivated user', () => {
    given({ tenant: aTenant({ userCount: 1 }), users: [aUser(1, { active: false })] })
      .when({ type: 'user.delete', userId })
      .thenEvents('user.deleted')
      .thenTenant({ seatsProvisioned: 0, userCount: 0 });
  });

  it('is refused for an unknown user', () => {
    given({})
      .when({ type: 'user.delete', userId: idOf(5) })
      .thenRefused('USER_NOT_FOUND');
  });
});

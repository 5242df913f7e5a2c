import { describe, it } from 'vitest';
import type { UserId } from '../../src/domain/kernel/ids.js';
import { DEFAULT_SCIM_SETTINGS } from '../../src/domain/tenant/scim-settings.js';
import type { User } from '../../src/domain/user/user.js';
import { aProfile, aTenant, aUser, idOf } from '../support/builders.js';
import { given } from '../support/given.js';

const create = (profile = {}) =>
  ({ type: 'user.create', userId: idOf<UserId>(9), profile: aProfile(profile) }) as const;

describe('user.create', () => {
  it('creates the user, takes a seat and emits an event', () => {
    given({ tenant: aTenant({ seatsProvisioned: 4, userCount: 6 }) })
      .when(create())
      .thenEvents('user.created')
      .thenData('user.created', {
        user: {
          id: idOf(9),
          email: 'ada@example.com',
          display_name: 'Ada Lovelace',
          active: true,
        },
      })
      .thenResult({ id: idOf(9), version: 1, email: 'ada@example.com' })
      .thenTenant({ seatsProvisioned: 5, userCount: 7 });
  });

  it('takes no seat for an inactive user', () => {
    given({ tenant: aTenant({ seatCapacity: 0 }) })
      .when(create({ active: false }))
      .thenEvents('user.created')
      .thenTenant({ seatsProvisioned: 0, userCount: 1 });
  });

  it('is refused without a free seat', () => {
    given({ tenant: aTenant({ seatCapacity: 2, seatsProvisioned: 2 }) })
      .when(create())
      .thenRefused('SEAT_CAPACITY_REACHED');
  });

  it('is refused if the capacity is below the seats in use', () => {
    given({ tenant: aTenant({ seatCapacity: 1, seatsProvisioned: 2 }) })
      .when(create())
      .thenRefused('SEAT_CAPACITY_REACHED');
  });

  it.each([
    [
      'the same e-mail',
      { userName: 'other', emails: [{ value: 'user1@example.com' }] },
      'EMAIL_TAKEN',
    ],
    ['the same e-mail in other letter case', { userName: 'USER1@Example.com' }, 'EMAIL_TAKEN'],
    [
      'the same user name in other letter case',
      { userName: 'HOPPER', emails: [] },
      'USERNAME_TAKEN',
    ],
    [
      'the same user name in another width',
      { userName: 'ｈＯｐｐｅｒ', emails: [] },
      'USERNAME_TAKEN',
    ],
    ['the same e-mail in another width', { userName: 'ｕｓｅｒ1@example.com' }, 'EMAIL_TAKEN'],
  ] as const)('is refused when another user has %s', (_what, profile, code) => {
    given({ users: [aUser(1), aUser(2, { userName: 'hopper' })] })
      .when(create(profile))
      .thenRefused(code);
  });

  it('treats both encodings of an accented letter as the same name', () => {
    given({ users: [aUser(1, { userName: 'ren\u00e9' })] })
      .when(create({ userName: 'RENE\u0301' }))
      .thenRefused('USERNAME_TAKEN');
  });

  it('is refused if the tenant was deleted', () => {
    given({ tenant: undefined }).when(create()).thenRefused('TENANT_NOT_FOUND');
  });
});

describe('user.create by SCIM, of a user who exists', () => {
  const REACTIVATING = aTenant({
    seatsProvisioned: 1,
    userCount: 2,
    scim: { ...DEFAULT_SCIM_SETTINGS, postExisting: 'reactivate' },
  });
  const returning = (more: Partial<User['profile']> = {}) =>
    aUser(1, { active: false, userName: 'ada', ...more });
  const post = (profile: Partial<User['profile']> = {}) => ({
    ...create({ userName: 'ADA', displayName: 'Ada King', ...profile }),
    mayReactivate: true as const,
  });

  it('reactivates an inactive user with the new profile', () => {
    given({ tenant: REACTIVATING, users: [returning({ externalId: 'x-1', title: 'Old' })] })
      .when(post({ externalId: 'x-1' }))
      .thenResult({ id: idOf(1), profile: { userName: 'ADA', displayName: 'Ada King' } })
      .thenEvents('user.updated', 'user.reactivated')
      .thenTenant({ seatsProvisioned: 2, userCount: 2 });
    for (const [before, given_] of [
      [{}, { externalId: 'x-1' }],
      [{ externalId: 'x-1' }, {}],
    ])
      given({ tenant: REACTIVATING, users: [returning(before)] })
        .when(post(given_))
        .thenResult({ id: idOf(1) });
  });

  it('takes a seat', () => {
    given({ tenant: { ...REACTIVATING, seatCapacity: 1 }, users: [returning()] })
      .when(post())
      .thenRefused('SEAT_CAPACITY_REACHED');
  });

  it.each([
    ['an active user', { active: true }, {}, 'USERNAME_TAKEN'],
    ['another external id', { externalId: 'x-1' }, { externalId: 'x-2' }, 'USERNAME_TAKEN'],
    ['an inactive new one', {}, { active: false }, 'USERNAME_TAKEN'],
    [
      'the e-mail address alone',
      { userName: 'eve', emails: [{ value: 'ada@example.com' }] },
      { emails: [{ value: 'ada@example.com' }] },
      'EMAIL_TAKEN',
    ],
  ] as const)('is refused for %s', (_what, before, profile, code) => {
    given({ tenant: REACTIVATING, users: [returning(before)] })
      .when(post(profile))
      .thenRefused(code);
  });

  it('is refused if the tenant or the interface does not allow it', () => {
    given({ tenant: aTenant({ userCount: 2 }), users: [returning()] })
      .when(post())
      .thenRefused('USERNAME_TAKEN');
    given({ tenant: REACTIVATING, users: [returning()] })
      .when(create({ userName: 'ada' }))
      .thenRefused('USERNAME_TAKEN');
  });
});

import { describe, it } from 'vitest';
import type { UserId } from '../../src/domain/kernel/ids.js';
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

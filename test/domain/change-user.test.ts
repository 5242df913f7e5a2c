import { describe, expect, it } from 'vitest';
import { refuse, RefusalError } from '../../src/domain/refusals.js';
import { aProfile, aTenant, aUser, idOf } from '../support/builders.js';
import { given } from '../support/given.js';

const userId = aUser(1).id;
const seated = aTenant({ seatsProvisioned: 1, userCount: 1 });

describe('user.update', () => {
  it('says which names changed, and counts the version', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.update', userId, displayName: 'Countess' })
      .thenEvents('user.updated')
      .thenData('user.updated', {
        user: { id: userId, email: 'user1@example.com', display_name: 'Countess', active: true },
        changed: ['display_name'],
      })
      .thenResult({ version: 2 });
  });

  it('does nothing when all is as asked already', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.update', userId, displayName: 'Ada Lovelace', active: true })
      .thenNothingHappens();
  });

  it('tells a change of name and of status by an event each', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.update', userId, displayName: 'Gone', active: false })
      .thenEvents('user.updated', 'user.deactivated')
      .thenTenant({ seatsProvisioned: 0, userCount: 1 });
  });

  it('takes a seat for who comes back, and is refused when none is left', () => {
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
    ['the present version', [1], 'accepted'],
    ['one of several versions', [7, 1], 'accepted'],
    ['any version', '*', 'accepted'],
    ['another version', [2], 'PRECONDITION_FAILED'],
    ['no version that could be', [], 'PRECONDITION_FAILED'],
  ] as const)('with If-Match of %s: %s → %s', (_what, ifMatch, expected) => {
    const then = given({ tenant: seated, users: [aUser(1)] }).when({
      type: 'user.update',
      userId,
      displayName: 'Countess',
      ifMatch,
    });
    if (expected === 'accepted') then.thenEvents('user.updated');
    else then.thenRefused(expected);
  });

  it('is refused for a user who does not exist', () => {
    given({}).when({ type: 'user.update', userId, active: true }).thenRefused('USER_NOT_FOUND');
  });
});

describe('user.deactivate', () => {
  it('gives the seat back and keeps the record', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.deactivate', userId })
      .thenEvents('user.deactivated')
      .thenTenant({ seatsProvisioned: 0, userCount: 1 });
  });

  it('does nothing to a user who is deactivated already', () => {
    given({ users: [aUser(1, { active: false })] })
      .when({ type: 'user.deactivate', userId })
      .thenNothingHappens();
  });
});

describe('user.replace', () => {
  it('clears what the new profile does not have', () => {
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

  it('names e-mail, user name and attributes of the extension by their own names', () => {
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

  it('lets a user keep his own keys in other letters', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({
        type: 'user.replace',
        userId,
        profile: { ...aUser(1).profile, userName: 'USER1@example.com' },
      })
      .thenEvents('user.updated');
  });

  it('brings nobody back who is not said to be active', () => {
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

  it("is refused for another user's keys", () => {
    given({ tenant: seated, users: [aUser(1), aUser(2)] })
      .when({ type: 'user.replace', userId, profile: aUser(2).profile })
      .thenRefused('EMAIL_TAKEN');
  });
});

describe('user.patch', () => {
  const patch = {
    type: 'user.patch',
    userId,
    operations: [{ op: 'remove', path: 'title' }],
  } as const;

  it('applies the operations to the profile as it stands in the lane', () => {
    given(
      { tenant: seated, users: [aUser(1, { title: 'Engineer' })] },
      { applyPatch: ({ title: _title, ...rest }) => rest },
    )
      .when(patch)
      .thenEvents('user.updated')
      .thenResult({ version: 2 });
  });

  it('is refused as the rules refuse it', () => {
    given(
      { tenant: seated, users: [aUser(1)] },
      {
        applyPatch: () => {
          throw new RefusalError(refuse('INVALID_REQUEST', 'No such path.'));
        },
      },
    )
      .when(patch)
      .thenRefused('INVALID_REQUEST');
  });

  it('lets a fault of ours through, for the pipeline to answer', () => {
    const broken = () => {
      throw new TypeError('a bug');
    };
    expect(() =>
      given({ tenant: seated, users: [aUser(1)] }, { applyPatch: broken }).when(patch),
    ).toThrow('a bug');
  });
});

describe('user.delete', () => {
  it('tells the deactivation first, then the deletion', () => {
    given({ tenant: seated, users: [aUser(1)] })
      .when({ type: 'user.delete', userId })
      .thenEvents('user.deactivated', 'user.deleted')
      .thenTenant({ seatsProvisioned: 0, userCount: 0 });
  });

  it('tells only the deletion of who was not active', () => {
    given({ tenant: aTenant({ userCount: 1 }), users: [aUser(1, { active: false })] })
      .when({ type: 'user.delete', userId })
      .thenEvents('user.deleted')
      .thenTenant({ seatsProvisioned: 0, userCount: 0 });
  });

  it('is refused for a user who is not there', () => {
    given({})
      .when({ type: 'user.delete', userId: idOf(5) })
      .thenRefused('USER_NOT_FOUND');
  });
});

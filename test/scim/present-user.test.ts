import { describe, expect, it } from 'vitest';
import type { GroupId } from '../../src/domain/kernel/ids.js';
import { presentUser } from '../../src/scim/user-operations.js';
import { readProjection } from '../../src/scim/projection.js';
import { readUser } from '../../src/scim/read-user.js';
import { ENTERPRISE, USER } from '../../src/scim/schemas.js';
import { aUser, idOf } from '../support/builders.js';

const BASE = 'https://gateway.example/v1/acme/scim/v2';
const at = { base: BASE, defaultRole: 'member' };

describe('presentUser', () => {
  it('returns the stored attributes and those that the server sets', () => {
    const user = {
      ...aUser(7, { externalId: 'X', emails: [{ value: 'a@b' }], enterprise: { department: 'E' } }),
      version: 3,
      role: 'dispatcher',
      updatedAt: new Date('2026-11-21T09:00:00.123Z'),
    };
    expect(presentUser(user, at)).toEqual({
      schemas: [USER.urn, ENTERPRISE.urn],
      id: user.id,
      userName: 'user7@example.com',
      active: true,
      displayName: 'Ada Lovelace',
      externalId: 'X',
      emails: [{ value: 'a@b' }],
      roles: [{ value: 'dispatcher' }],
      [ENTERPRISE.urn]: { department: 'E' },
      meta: {
        resourceType: 'User',
        created: '2026-11-20T09:00:00.000Z',
        lastModified: '2026-11-21T09:00:00.123Z',
        location: `${BASE}/Users/${user.id}`,
        version: 'W/"3"',
      },
    });
  });

  it('lists the extension in schemas only if the user has extension attributes', () => {
    expect(presentUser(aUser(1), at)['schemas']).toEqual([USER.urn]);
  });

  it('returns the default role if the user has no other', () => {
    expect(presentUser(aUser(1), at)['roles']).toEqual([{ value: 'member' }]);
  });

  it("returns the user's groups with their URLs", () => {
    const id = idOf<GroupId>(9);
    const groups = [{ id, displayName: 'Dispatch' }];
    expect(presentUser(aUser(1), at, { groups })['groups']).toEqual([
      { value: id, $ref: `${BASE}/Groups/${id}`, display: 'Dispatch', type: 'direct' },
    ]);
    expect(presentUser(aUser(1), at)).not.toHaveProperty('groups');
  });

  it('returns only the requested attributes', () => {
    const projection = readProjection(USER, {
      attributes: ['roles.value'],
      excludedAttributes: [],
    });
    expect(presentUser(aUser(1), at, { projection })).toEqual({
      schemas: [USER.urn],
      id: aUser(1).id,
      roles: [{ value: 'member' }],
    });
  });

  it('returns a body that readUser reads as the same profile', () => {
    const profile = readUser({ userName: 'a', [ENTERPRISE.urn]: { manager: 'm' }, title: 't' });
    const shown = presentUser({ ...aUser(1), profile }, at);
    expect(readUser(shown)).toEqual(profile);
  });
});

import { describe, expect, it } from 'vitest';
import { foldProfile } from '../../../src/store/tables/users.js';

describe('a folded profile', () => {
  it('has every text in lower case, in the same structure', () => {
    const profile = {
      userName: 'ADA@Example.com',
      active: true,
      externalId: 'X-1',
      name: { givenName: 'E\u0301va' },
      emails: [{ value: 'ADA@b', type: 'Work', primary: true }, { value: 'C@d' }],
      x509Certificates: [{ value: 'MIIa', display: 'Mine' }],
      enterprise: { manager: { value: 'M', $ref: '../Users/M' } },
    };
    expect(foldProfile(profile)).toEqual({
      userName: 'ada@example.com',
      name: { givenName: 'éva' },
      emails: [{ value: 'ada@b', type: 'work', primary: true }, { value: 'c@d' }],
      x509Certificates: [{ value: 'MIIa', display: 'mine' }],
      enterprise: { manager: { value: 'm', $ref: '../users/m' } },
    });
  });

  it('does not change the profile', () => {
    const profile = { userName: 'A', active: false, emails: [{ value: 'B' }] };
    foldProfile(profile);
    expect(profile).toEqual({ userName: 'A', active: false, emails: [{ value: 'B' }] });
  });
});

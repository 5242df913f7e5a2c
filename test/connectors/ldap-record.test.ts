import { expect, it } from 'vitest';
import { toRecord } from '../../connectors/ldap/record.js';
import { LdapSettings } from '../../connectors/ldap/settings.js';

const settings = LdapSettings.parse({
  url: 'ldaps://dc.example.com',
  bindDn: 'CN=reader',
  password: 'secret',
  directory: 'active-directory',
  base: 'DC=example,DC=com',
});

const entry = { dn: 'CN=Ada,DC=example,DC=com', cn: 'Ada' };

it.each([
  ['512', 'enabled'],
  ['514', 'disabled'],
])(
  'reads from userAccountControl %s that the account is %s',
  (userAccountControl, accountStatus) => {
    expect(toRecord({ ...entry, userAccountControl }, 'id', {}, settings)).toMatchObject({
      accountStatus,
    });
  },
);

it.each([{}, { userAccountControl: [] }, { userAccountControl: 'x' }])(
  'refuses an Active Directory in which it cannot be read: %j',
  (attributes) => {
    expect(() => toRecord({ ...entry, ...attributes }, 'id', {}, settings)).toThrow(
      'has no userAccountControl',
    );
  },
);

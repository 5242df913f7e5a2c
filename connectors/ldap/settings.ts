import { secretField, z } from '../../src/plugin/api.js';

const text = z.string().min(1);

/** A filter of RFC 4515; its syntax is checked when it is used. */
const filter = z.string().regex(/^\(.+\)$/s, {
  error: 'expected an LDAP filter in parentheses, such as (objectClass=inetOrgPerson)',
});

const timeZone = z.string().refine(
  (zone) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== '';
    } catch {
      return false;
    }
  },
  { error: 'expected a time zone such as Europe/Berlin' },
);

/** The settings of the `ldap` connector. */
export const LdapSettings = z.strictObject({
  url: z
    .string()
    .regex(/^ldaps?:\/\/[^/?#@]+\/?$/i, {
      error: 'expected ldap://HOST[:PORT] or ldaps://HOST[:PORT]',
    })
    .describe('The server, such as `ldaps://ldap.example.com`.'),
  startTls: z
    .boolean()
    .default(true)
    .describe(
      'Encrypt a connection to an `ldap://` address (StartTLS). `false` sends the password and ' +
        'all data in plain text.',
    ),
  ca: text.optional().describe('PEM file of additional CAs to trust.'),
  bindDn: text.describe('The entry or, in Active Directory, the user to sign in as.'),
  password: secretField().describe('The password of this entry.'),
  directory: z
    .enum(['openldap', 'active-directory'])
    .default('openldap')
    .describe(
      '`active-directory` uses objectGUID, uSNChanged, userAccountControl and accountExpires. ' +
        '`openldap` uses entryUUID and modifyTimestamp, which most other servers have too.',
    ),
  base: text.describe('The entry below which people are, such as `ou=people,dc=example,dc=com`.'),
  filter: filter
    .optional()
    .describe(
      'Which entries are people. Default: `(objectClass=person)`, in Active Directory ' +
        '`(&(objectCategory=person)(objectClass=user))`.',
    ),
  attributes: z
    .array(text)
    .default([])
    .describe('More attributes to read, for `map` and `groups`.'),
  lists: z
    .array(text)
    .default([])
    .describe(
      'Attributes of which all values are read, as a list. Others have one value: the first.',
    ),
  groups: z
    .strictObject({
      base: text.describe('The entry below which groups are.'),
      filter: filter
        .optional()
        .describe(
          'Which entries are groups. Default: groupOfNames, groupOfUniqueNames and posixGroup; ' +
            'in Active Directory, group.',
        ),
      nested: z
        .boolean()
        .default(true)
        .describe('Count the members of a group as members of the groups that contain it.'),
    })
    .optional()
    .describe('Reads the groups of each person into the field `groups`, by their `cn`.'),
  referrals: z
    .enum(['refuse', 'ignore'])
    .default('refuse')
    .describe(
      'What to do if the server says that other servers hold a part of the base: `refuse` to ' +
        'read, because people would be missing, or `ignore` it if there are no people.',
    ),
  timeZone: timeZone.default('UTC').describe('The time zone in which accountExpires is a day.'),
});

export type LdapSettings = z.output<typeof LdapSettings>;

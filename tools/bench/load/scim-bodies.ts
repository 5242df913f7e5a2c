const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const GIVEN = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Tony', 'Frances', 'Niklaus', 'Radia'];
const FAMILY = ['Lovelace', 'Hopper', 'Dijkstra', 'Liskov', 'Hoare', 'Allen', 'Wirth', 'Perlman'];
const DEPARTMENTS = ['Dispatch', 'Field service', 'Operations', 'Security', 'Logistics'];

const nth = (names: readonly string[], number: number): string =>
  names[number % names.length] ?? '';

/** A user as identity providers create it: core and enterprise attributes. */
export const scimUser = (prefix: string, number: number) => {
  const userName = `${prefix}.${number}@Bench.example`;
  const givenName = nth(GIVEN, number);
  const familyName = nth(FAMILY, Math.floor(number / GIVEN.length));
  return {
    schemas: [USER_SCHEMA, ENTERPRISE_SCHEMA],
    externalId: `00u${prefix}${number}`,
    userName,
    name: { givenName, familyName, formatted: `${givenName} ${familyName}` },
    displayName: `${givenName} ${familyName} ${number}`,
    title: 'Dispatcher',
    locale: 'en-GB',
    emails: [{ value: userName.toLowerCase(), type: 'work', primary: true }],
    phoneNumbers: [{ value: '+44 20 7946 0000', type: 'work' }],
    active: true,
    [ENTERPRISE_SCHEMA]: {
      employeeNumber: String(number),
      department: nth(DEPARTMENTS, number),
    },
  } as const;
};

const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** A group as Entra creates it, without members. */
export const scimGroup = (displayName: string) =>
  ({
    schemas: [GROUP_SCHEMA],
    externalId: `00g${displayName.replaceAll(' ', '')}`,
    displayName,
  }) as const;

/** A PATCH of members as Entra sends it. */
export const memberPatch = (op: 'add' | 'remove', userIds: readonly string[]) =>
  ({
    schemas: [PATCH_SCHEMA],
    Operations: [{ op, path: 'members', value: userIds.map((value) => ({ value })) }],
  }) as const;

const BULK_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

export const bulkIdOf = (number: number): string => `u${number}`;

const bulkOf = (prefix: string, creates: number) => ({
  schemas: [BULK_SCHEMA],
  Operations: Array.from({ length: creates }, (_, index) => ({
    method: 'POST',
    path: '/Users',
    bulkId: bulkIdOf(index + 1),
    data: scimUser(prefix, index + 1),
  })),
});

const PREFIX = '{prefix}';

/**
 * Bodies with this many creates, from a template: serialising a thousand users for each request
 * would take as long as the fastest peer takes to store them.
 */
export const bulkBodies = (creates: number): ((prefix: string) => string) => {
  const template = JSON.stringify(bulkOf(PREFIX, creates));
  return (prefix) => template.replaceAll(PREFIX, prefix);
};

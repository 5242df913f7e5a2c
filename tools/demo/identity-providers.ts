import { createHash, randomUUID } from 'node:crypto';

/** A user in an identity provider's directory. */
export interface Person {
  readonly given: string;
  readonly family: string;
  readonly title: string;
}

const nameOf = ({ given, family }: Person): string => `${given} ${family}`;

const emailOf = ({ given, family }: Person): string =>
  `${given}.${family}@harbour.example`.toLowerCase();

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const patch = (...Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

const sha256 = (text: string) => createHash('sha256').update(text);

const where = (query: Readonly<Record<string, string>>): string =>
  `/Users?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;

/** Requests as Okta sends them (SCIM app of the wizard and of the catalogue). */
export const okta = {
  /** "Test API Credentials" requests two users and checks the form of the response only. */
  connectionTest: where({ startIndex: '1', count: '2' }),
  findUser: (person: Person) =>
    where({ filter: `userName eq "${emailOf(person)}"`, startIndex: '1', count: '100' }),
  /** Okta sends a password even if the app does not use it, and `groups`, which is read-only. */
  createUser: (person: Person) => ({
    schemas: [`${SCHEMA}:User`],
    userName: emailOf(person),
    name: { givenName: person.given, familyName: person.family },
    emails: [{ primary: true, value: emailOf(person), type: 'work', display: emailOf(person) }],
    displayName: nameOf(person),
    locale: 'en-US',
    // Okta's ids: `00u` and 17 letters and digits.
    externalId: `00u${sha256(emailOf(person)).digest('hex').slice(0, 17)}`,
    groups: [],
    password: sha256(`password of ${nameOf(person)}`).digest('base64url'),
    title: person.title,
    active: true,
  }),
  /** The whole user as Okta has read it, including `meta`, with the new name. */
  renameUser: (user: object, person: Person) => ({
    ...user,
    name: { givenName: person.given, familyName: person.family },
    displayName: nameOf(person),
  }),
  /** Without a path: the value contains the attributes to change. */
  setActive: (active: boolean) => patch({ op: 'replace', value: { active } }),
  /** Group push sends the group with its members. */
  createGroup: (displayName: string, members: readonly (readonly [string, Person])[]) => ({
    schemas: [`${SCHEMA}:Group`],
    displayName,
    members: members.map(([value, person]) => ({ value, display: emailOf(person) })),
  }),
};

/** Requests as Microsoft Entra sends them, without the `aadOptscim062020` flag. */
export const entra = {
  /** "Test Connection" searches for a user that does not exist; a 404 would fail the test. */
  connectionTest: where({ filter: `userName eq "${randomUUID()}"` }),
  findUser: (person: Person) => where({ filter: `userName eq "${emailOf(person)}"` }),
  createUser: (person: Person) => ({
    schemas: [`${SCHEMA}:User`, ENTERPRISE],
    externalId: emailOf(person).split('@')[0],
    userName: emailOf(person),
    active: true,
    displayName: nameOf(person),
    emails: [{ primary: true, type: 'work', value: emailOf(person) }],
    meta: { resourceType: 'User' },
    name: { formatted: nameOf(person), familyName: person.family, givenName: person.given },
    roles: [],
    title: person.title,
    [ENTERPRISE]: { employeeNumber: '701984', department: 'Operations' },
  }),
  /** Capitalised operations, a value path that must match, and an extension's attribute by URN. */
  updateUser: (person: Person) =>
    patch(
      { op: 'Replace', path: 'displayName', value: nameOf(person) },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: emailOf(person) },
      { op: 'Replace', path: 'name.familyName', value: person.family },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Analysis' },
    ),
  /** Booleans are strings: "True" and "False". */
  setActive: (active: boolean) =>
    patch({ op: 'Replace', path: 'active', value: active ? 'True' : 'False' }),
  /** Entra creates a group without members and adds them by PATCH. */
  createGroup: (displayName: string) => ({
    schemas: [`${SCHEMA}:Group`],
    externalId: randomUUID(),
    displayName,
    meta: { resourceType: 'Group' },
  }),
  addMember: (id: string) => patch({ op: 'Add', path: 'members', value: [{ value: id }] }),
};

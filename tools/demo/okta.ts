import { createHash } from 'node:crypto';
import { emailOf, nameOf, type Person } from './people.js';

/** Requests as Okta sends them (SCIM app of the wizard and of the catalogue). */

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** Okta's ids: `00u` and 17 letters and digits. */
const oktaIdOf = (person: Person): string =>
  `00u${createHash('sha256').update(emailOf(person)).digest('hex').slice(0, 17)}`;

/** "Test API Credentials" requests two users and checks the form of the response only. */
export const connectionTest = { startIndex: 1, count: 2 } as const;

export const findUser = (person: Person) => ({
  filter: `userName eq "${emailOf(person)}"`,
  startIndex: 1,
  count: 100,
});

/** Okta sends a password even if the app does not use it, and `groups`, which is read-only. */
export const createUser = (person: Person) => ({
  schemas: [USER],
  userName: emailOf(person),
  name: { givenName: person.given, familyName: person.family },
  emails: [{ primary: true, value: emailOf(person), type: 'work', display: emailOf(person) }],
  displayName: nameOf(person),
  locale: 'en-US',
  externalId: oktaIdOf(person),
  groups: [],
  password: createHash('sha256')
    .update(`password of ${nameOf(person)}`)
    .digest('base64url'),
  title: person.title,
  active: true,
});

/** The whole user as Okta has read it, including `meta`, with the new name. */
export const renameUser = (user: object, person: Person) => ({
  ...user,
  name: { givenName: person.given, familyName: person.family },
  displayName: nameOf(person),
});

/** Without a path: the value contains the attributes to change. */
export const setActive = (active: boolean) => ({
  schemas: [PATCH],
  Operations: [{ op: 'replace', value: { active } }],
});

interface Member {
  readonly id: string;
  readonly person: Person;
}

/** Group push sends the group with its members. */
export const createGroup = (displayName: string, members: readonly Member[]) => ({
  schemas: [GROUP],
  displayName,
  members: members.map(({ id, person }) => ({ value: id, display: emailOf(person) })),
});

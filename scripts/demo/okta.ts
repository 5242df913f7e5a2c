import { createHash } from 'node:crypto';
import { addressOf, nameOf, type Person } from './people.js';

/** Requests in the form in which Okta sends them (SCIM app of the wizard and of the catalogue). */

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** Okta's own ids: `00u` and 17 letters and digits. */
const oktaIdOf = (person: Person): string =>
  `00u${createHash('sha256').update(addressOf(person)).digest('hex').slice(0, 17)}`;

/** "Test API Credentials" asks for two users and looks at the form of the answer only. */
export const connectionTest = { startIndex: 1, count: 2 } as const;

export const lookUp = (person: Person) => ({
  filter: `userName eq "${addressOf(person)}"`,
  startIndex: 1,
  count: 100,
});

/** It sends a password though nobody asked, and `groups` though they are read-only. */
export const newUser = (person: Person) => ({
  schemas: [USER],
  userName: addressOf(person),
  name: { givenName: person.given, familyName: person.family },
  emails: [{ primary: true, value: addressOf(person), type: 'work', display: addressOf(person) }],
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

/** The whole user as it read it, `meta` and all, with the new name put in. */
export const renamed = (known: object, person: Person) => ({
  ...known,
  name: { givenName: person.given, familyName: person.family },
  displayName: nameOf(person),
});

/** Without a path: the value holds what is to change. */
export const setActive = (active: boolean) => ({
  schemas: [PATCH],
  Operations: [{ op: 'replace', value: { active } }],
});

import { randomUUID } from 'node:crypto';
import { addressOf, nameOf, type Person } from './people.js';

/** Requests in the form in which Microsoft Entra sends them, without the `aadOptscim062020` flag. */

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** "Test Connection" looks for a user that cannot be there; 404 would be a failure. */
export const connectionTest = () => ({ filter: `userName eq "${randomUUID()}"` });

export const lookUp = (person: Person) => ({ filter: `userName eq "${addressOf(person)}"` });

export const newUser = (person: Person, department: string) => ({
  schemas: [USER, ENTERPRISE],
  externalId: addressOf(person).split('@')[0],
  userName: addressOf(person),
  active: true,
  displayName: nameOf(person),
  emails: [{ primary: true, type: 'work', value: addressOf(person) }],
  meta: { resourceType: 'User' },
  name: { formatted: nameOf(person), familyName: person.family, givenName: person.given },
  roles: [],
  title: person.title,
  [ENTERPRISE]: { employeeNumber: '701984', department },
});

/** Capitalised operations, a value path that must match, and an extension's attribute by its URN. */
export const moved = (person: Person, department: string) => ({
  schemas: [PATCH],
  Operations: [
    { op: 'Replace', path: 'displayName', value: nameOf(person) },
    { op: 'Replace', path: 'emails[type eq "work"].value', value: addressOf(person) },
    { op: 'Replace', path: 'name.familyName', value: person.family },
    { op: 'Add', path: `${ENTERPRISE}:department`, value: department },
  ],
});

/** Booleans are text here: "True" and "False". */
export const setActive = (active: boolean) => ({
  schemas: [PATCH],
  Operations: [{ op: 'Replace', path: 'active', value: active ? 'True' : 'False' }],
});

import { randomUUID } from 'node:crypto';
import { emailOf, nameOf, type Person } from './people.js';

/** Requests as Microsoft Entra sends them, without the `aadOptscim062020` flag. */

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** "Test Connection" searches for a user that does not exist; a 404 would fail the test. */
export const connectionTest = () => ({ filter: `userName eq "${randomUUID()}"` });

export const findUser = (person: Person) => ({ filter: `userName eq "${emailOf(person)}"` });

export const createUser = (person: Person, department: string) => ({
  schemas: [USER, ENTERPRISE],
  externalId: emailOf(person).split('@')[0],
  userName: emailOf(person),
  active: true,
  displayName: nameOf(person),
  emails: [{ primary: true, type: 'work', value: emailOf(person) }],
  meta: { resourceType: 'User' },
  name: { formatted: nameOf(person), familyName: person.family, givenName: person.given },
  roles: [],
  title: person.title,
  [ENTERPRISE]: { employeeNumber: '701984', department },
});

/** Capitalised operations, a value path that must match, and an extension's attribute by URN. */
export const updateUser = (person: Person, department: string) => ({
  schemas: [PATCH],
  Operations: [
    { op: 'Replace', path: 'displayName', value: nameOf(person) },
    { op: 'Replace', path: 'emails[type eq "work"].value', value: emailOf(person) },
    { op: 'Replace', path: 'name.familyName', value: person.family },
    { op: 'Add', path: `${ENTERPRISE}:department`, value: department },
  ],
});

/** Booleans are strings: "True" and "False". */
export const setActive = (active: boolean) => ({
  schemas: [PATCH],
  Operations: [{ op: 'Replace', path: 'active', value: active ? 'True' : 'False' }],
});

/** Entra creates a group without members and adds them by PATCH. */
export const createGroup = (displayName: string) => ({
  schemas: [GROUP],
  externalId: randomUUID(),
  displayName,
  meta: { resourceType: 'Group' },
});

export const addMember = (id: string) => ({
  schemas: [PATCH],
  Operations: [{ op: 'Add', path: 'members', value: [{ value: id }] }],
});

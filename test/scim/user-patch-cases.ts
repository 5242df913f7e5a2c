import type { JsonValue } from '../../src/domain/kernel/json.js';
import type { UserProfile } from '../../src/domain/user/user.js';

/** What a client sends. */
export interface UserPatch {
  readonly title: string;
  /** In addition to userName and active. */
  readonly before: Partial<UserProfile>;
  readonly operations: JsonValue;
}

interface AppliedPatch extends UserPatch {
  readonly after: Partial<UserProfile>;
}

interface RefusedPatch extends UserPatch {
  /** The scimType, and a part of the message. */
  readonly refused: string;
  readonly message?: string;
}

/** The id of the user. */
const ID = '00000000-0000-4000-8000-000000000001';

export const APPLIED_PATCHES: readonly AppliedPatch[] = [
  {
    title: 'Entra: accepts a capitalised op',
    before: { title: 'a' },
    operations: [
      { op: 'Add', path: 'nickName', value: 'Babs' },
      { op: 'Replace', path: 'title', value: 'b' },
      { op: 'REMOVE', path: 'nickName' },
    ],
    after: { title: 'b' },
  },
  {
    title: 'Okta: merges the value of a replace without a path',
    before: { title: 'a', displayName: 'Ada' },
    operations: [{ op: 'replace', value: { active: false } }],
    after: { title: 'a', displayName: 'Ada', active: false },
  },
  {
    title: 'Entra: accepts a boolean as a string',
    before: {},
    operations: [{ op: 'Replace', path: 'active', value: 'False' }],
    after: { active: false },
  },
  {
    title: 'Keycloak: accepts a lower-case boolean string',
    before: { active: false },
    operations: [{ op: 'replace', path: 'active', value: 'true' }],
    after: { active: true },
  },
  {
    title: 'Entra: accepts capitalised names',
    before: {},
    operations: [{ op: 'Replace', path: 'DisplayName', value: 'Ada' }],
    after: { displayName: 'Ada' },
  },
  {
    title: 'Entra: accepts qualified core attributes',
    before: {},
    operations: [
      { op: 'Replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:title', value: 'Lead' },
    ],
    after: { title: 'Lead' },
  },
  {
    title: 'Entra: accepts dotted and qualified names in a value without a path',
    before: { name: { givenName: 'A', middleName: 'M' } },
    operations: [
      {
        op: 'replace',
        value: {
          displayName: 'Ada',
          'name.givenName': 'Ada',
          'name.familyName': 'L',
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber': '7',
          'urn:ietf:params:scim:schemas:core:2.0:User:title': 'T',
          'emails[type eq "work"].value': 'a@w',
        },
      },
    ],
    after: {
      displayName: 'Ada',
      name: { givenName: 'Ada', middleName: 'M', familyName: 'L' },
      enterprise: { employeeNumber: '7' },
      title: 'T',
      emails: [{ type: 'work', value: 'a@w' }],
    },
  },
  {
    title: 'Entra: merges an extension object in a value without a path',
    before: { enterprise: { division: 'D', department: 'old' } },
    operations: [
      {
        op: 'replace',
        value: {
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
            department: 'Engineering',
            costCenter: 'CC',
          },
        },
      },
    ],
    after: { enterprise: { division: 'D', department: 'Engineering', costCenter: 'CC' } },
  },
  {
    title: 'SCIM-SDK: accepts a value without a path in a list of one, with schemas',
    before: {},
    operations: [
      {
        op: 'replace',
        value: [{ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], nickName: 'nn' }],
      },
    ],
    after: { nickName: 'nn' },
  },
  {
    title: 'authentik: treats a null path as absent',
    before: {},
    operations: [{ op: 'replace', path: null, value: { nickName: 'nn' } }],
    after: { nickName: 'nn' },
  },
  {
    title: 'treats an empty path as absent',
    before: {},
    operations: [{ op: 'add', path: '', value: { nickName: 'nn' } }],
    after: { nickName: 'nn' },
  },
  {
    title: 'ignores unknown names in a value',
    before: {},
    operations: [{ op: 'add', value: { shoeSize: 42, 'urn:unknown:x': 1, nickName: 'nn' } }],
    after: { nickName: 'nn' },
  },
  {
    title: 'Okta: ignores an id in the value, also a different one',
    before: {},
    operations: [
      { op: 'replace', value: { id: ID, title: 't' } },
      { op: 'replace', value: { ID: 'other', nickName: 'nn' } },
    ],
    after: { title: 't', nickName: 'nn' },
  },
  {
    title: 'ignores roles, passwords, schemas and, in a value without a path, read-only attributes',
    before: { title: 't' },
    operations: [
      { op: 'Add', path: 'roles[primary eq "True"].value', value: '{"id":"1","value":"Admin"}' },
      { op: 'add', path: 'roles[type eq "x"].value', value: 'a' },
      { op: 'replace', path: 'schemas', value: [] },
      { op: 'replace', path: 'password', value: 'secret' },
      { op: 'replace', value: { meta: {}, groups: [], roles: [], password: 'p' } },
      {
        op: 'add',
        value: {
          'urn:ietf:params:scim:schemas:core:2.0:User:groups': [{ value: 'g' }],
          'META.version': 'x',
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.displayName': 'Byron',
        },
      },
      { op: 'remove', path: 'roles' },
      { op: 'remove', path: 'Roles.value' },
      { op: 'remove', path: 'urn:ietf:params:scim:schemas:core:2.0:User:roles' },
      { op: 'remove', path: 'roles[value eq "x"]' },
    ],
    after: { title: 't' },
  },
  {
    title: 'adds an attribute',
    before: {},
    operations: [{ op: 'add', path: 'title', value: 'a' }],
    after: { title: 'a' },
  },
  {
    title: 'replaces an existing single-valued attribute by an add',
    before: { title: 'a' },
    operations: [{ op: 'add', path: 'title', value: 'b' }],
    after: { title: 'b' },
  },
  {
    title: 'adds a missing attribute by a replace',
    before: {},
    operations: [{ op: 'replace', path: 'title', value: 'b' }],
    after: { title: 'b' },
  },
  {
    title: 'removes an attribute',
    before: { title: 'a' },
    operations: [{ op: 'remove', path: 'title' }],
    after: {},
  },
  {
    title: 'ignores the value when removing a single-valued attribute',
    before: { title: 'a' },
    operations: [{ op: 'remove', path: 'title', value: 5 }],
    after: {},
  },
  {
    title: 'Entra: clears an attribute by an empty string',
    before: { enterprise: { department: 'a', division: 'b' } },
    operations: [
      {
        op: 'Replace',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
        value: '',
      },
    ],
    after: { enterprise: { division: 'b' } },
  },
  {
    title: 'clears an attribute by null',
    before: { title: 'a' },
    operations: [{ op: 'replace', path: 'title', value: null }],
    after: {},
  },
  {
    title: 'accepts null for a missing attribute',
    before: {},
    operations: [{ op: 'replace', path: 'title', value: null }],
    after: {},
  },
  {
    title: 'clears a sub-attribute by null',
    before: { name: { givenName: 'a', familyName: 'b' } },
    operations: [{ op: 'replace', path: 'name', value: { givenName: null } }],
    after: { name: { familyName: 'b' } },
  },
  {
    title: 'removes a complex attribute with its last sub-attribute',
    before: { enterprise: { department: 'a' }, title: 't' },
    operations: [
      {
        op: 'remove',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
      },
    ],
    after: { title: 't' },
  },
  {
    title: 'adds a sub-attribute',
    before: { name: { givenName: 'a' } },
    operations: [{ op: 'add', path: 'name.familyName', value: 'b' }],
    after: { name: { givenName: 'a', familyName: 'b' } },
  },
  {
    title: 'replaces only the given sub-attributes of a complex attribute',
    before: { name: { givenName: 'a', familyName: 'b' } },
    operations: [{ op: 'replace', path: 'name', value: { familyName: 'c' } }],
    after: { name: { givenName: 'a', familyName: 'c' } },
  },
  {
    title: 'removes a complex attribute',
    before: { name: { givenName: 'a' }, title: 't' },
    operations: [{ op: 'remove', path: 'name' }],
    after: { title: 't' },
  },
  {
    title: 'removes an extension',
    before: { enterprise: { department: 'a', manager: { value: 'm' } }, title: 't' },
    operations: [
      { op: 'remove', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User' },
    ],
    after: { title: 't' },
  },
  {
    title: 'Entra: accepts the manager as a string',
    before: {},
    operations: [
      {
        op: 'Add',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager',
        value: 'm1',
      },
    ],
    after: { enterprise: { manager: { value: 'm1' } } },
  },
  {
    title: 'Entra: sets the value of the manager',
    before: {},
    operations: [
      {
        op: 'Replace',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value',
        value: 'm1',
      },
    ],
    after: { enterprise: { manager: { value: 'm1' } } },
  },
  {
    title: 'Entra: removes the manager by path',
    before: { enterprise: { manager: { value: 'm', $ref: '../Users/m' }, division: 'd' } },
    operations: [
      { op: 'Remove', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager' },
    ],
    after: { enterprise: { division: 'd' } },
  },
  {
    title: 'removes $ref when the manager changes',
    before: { enterprise: { manager: { value: 'm', $ref: '../Users/m' } } },
    operations: [
      {
        op: 'replace',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value',
        value: 'n',
      },
    ],
    after: { enterprise: { manager: { value: 'n' } } },
  },
  {
    title: 'keeps $ref when the manager stays the same',
    before: { enterprise: { manager: { value: 'm', $ref: '../Users/m' } } },
    operations: [
      {
        op: 'add',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager',
        value: { value: 'm' },
      },
    ],
    after: { enterprise: { manager: { value: 'm', $ref: '../Users/m' } } },
  },
  {
    title: 'removes the manager when its value is removed',
    before: { enterprise: { manager: { value: 'm', $ref: '../Users/m' }, division: 'd' } },
    operations: [
      {
        op: 'remove',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value',
      },
    ],
    after: { enterprise: { division: 'd' } },
  },
  {
    title: 'replaces the user name',
    before: {},
    operations: [{ op: 'Replace', path: 'userName', value: 'new@example.com' }],
    after: { userName: 'new@example.com' },
  },
  {
    title: 'adds an element',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [
      { op: 'add', path: 'emails', value: [{ value: 'ada@home.example', type: 'home' }] },
    ],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
  },
  {
    title: 'does not add an existing element again',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [
      { op: 'add', path: 'emails', value: [{ value: 'ADA@work.example', type: 'work' }] },
    ],
    after: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
  },
  {
    title: 'does not add an existing element again if the type is missing',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [{ op: 'add', path: 'emails', value: { value: 'ada@work.example' } }],
    after: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
  },
  {
    title: 'merges new sub-attributes into an existing element',
    before: { emails: [{ value: 'ada@home.example', type: 'home' }] },
    operations: [
      {
        op: 'add',
        path: 'emails',
        value: [{ value: 'ada@home.example', type: 'home', display: 'Ada' }],
      },
    ],
    after: { emails: [{ value: 'ada@home.example', type: 'home', display: 'Ada' }] },
  },
  {
    title: 'accepts an element as a string',
    before: {},
    operations: [{ op: 'add', path: 'emails', value: 'a@b' }],
    after: { emails: [{ value: 'a@b' }] },
  },
  {
    title: 'accepts elements as strings',
    before: {},
    operations: [{ op: 'add', path: 'phoneNumbers', value: ['+1', '+2'] }],
    after: { phoneNumbers: [{ value: '+1' }, { value: '+2' }] },
  },
  {
    title: 'replaces a list',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'replace', path: 'emails', value: [{ value: 'x@y' }] }],
    after: { emails: [{ value: 'x@y' }] },
  },
  {
    title: 'replaces a list by an empty list',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }], title: 't' },
    operations: [{ op: 'replace', path: 'emails', value: [] }],
    after: { title: 't' },
  },
  {
    title: 'removes a list',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
      title: 't',
    },
    operations: [{ op: 'remove', path: 'emails' }],
    after: { title: 't' },
  },
  {
    title: 'clears a list',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }], title: 't' },
    operations: [{ op: 'replace', path: 'emails', value: null }],
    after: { title: 't' },
  },
  {
    title: 'Entra: removes only the elements listed in the value',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'Remove', path: 'emails', value: [{ value: 'ADA@HOME.example' }] }],
    after: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
  },
  {
    title: 'accepts the elements to remove as strings',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'remove', path: 'emails', value: ['ada@work.example'] }],
    after: { emails: [{ value: 'ada@home.example', type: 'home' }] },
  },
  {
    title: 'accepts the element to remove as a single object',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'remove', path: 'emails', value: { type: 'work' } }],
    after: { emails: [{ value: 'ada@home.example', type: 'home' }] },
  },
  {
    title: 'removes no element for an empty list',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [{ op: 'remove', path: 'emails', value: [] }],
    after: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
  },
  {
    title: 'compares a value with a quote literally',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [
      { op: 'Remove', path: 'emails', value: [{ value: 'zz" or value pr or value eq "' }] },
    ],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
  },
  {
    title: 'removes selected elements',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'remove', path: 'emails[type eq "home"]' }],
    after: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
  },
  {
    title: 'removes no element if none matches',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [{ op: 'remove', path: 'emails[type eq "other"]' }],
    after: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
  },
  {
    title: 'selects by several conditions',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [
      { op: 'remove', path: 'emails[type eq "work" and not (value ew "home.example")]' },
    ],
    after: { emails: [{ value: 'ada@home.example', type: 'home' }] },
  },
  {
    title: 'removes a sub-attribute of selected elements',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true, display: 'A' },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'remove', path: 'emails[type eq "work"].display' }],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
  },
  {
    title: 'removes an element whose value is removed',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'remove', path: 'emails[type eq "work"].value' }],
    after: { emails: [{ value: 'ada@home.example', type: 'home' }] },
  },
  {
    title: 'Entra: replaces a sub-attribute of a selected element',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@work.example' },
    ],
    after: {
      emails: [
        { value: 'new@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
  },
  {
    title: 'Entra: creates a missing element by an add',
    before: { emails: [{ value: 'ada@home.example', type: 'home' }] },
    operations: [{ op: 'Add', path: 'emails[type eq "work"].value', value: 'a@w' }],
    after: {
      emails: [
        { value: 'ada@home.example', type: 'home' },
        { type: 'work', value: 'a@w' },
      ],
    },
  },
  {
    title: 'Entra: creates a missing element by a replace',
    before: {},
    operations: [{ op: 'Replace', path: 'phoneNumbers[type eq "mobile"].value', value: '+1' }],
    after: { phoneNumbers: [{ type: 'mobile', value: '+1' }] },
  },
  {
    title: 'Entra: builds an address from single sub-attributes',
    before: {},
    operations: [
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'London' },
      { op: 'Add', path: 'addresses[type eq "work"].country', value: 'GB' },
    ],
    after: { addresses: [{ type: 'work', locality: 'London', country: 'GB' }] },
  },
  {
    title: 'Entra: accepts a boolean string in a filter',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'replace', path: 'emails[primary eq "True"].value', value: 'x@y' }],
    after: {
      emails: [
        { value: 'x@y', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
  },
  {
    title: 'accepts primary before the value of an element',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [
      { op: 'add', path: 'emails[type eq "home"].primary', value: 'True' },
      { op: 'add', path: 'emails[type eq "home"].value', value: 'h@h' },
    ],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: false },
        { type: 'home', primary: true, value: 'h@h' },
      ],
    },
  },
  {
    title: 'accepts an element with only a type',
    before: { title: 't' },
    operations: [
      { op: 'add', path: 'emails[type eq "home"].primary', value: true },
      { op: 'add', path: 'phoneNumbers', value: [{ type: 'work' }] },
    ],
    after: {
      title: 't',
      emails: [{ type: 'home', primary: true }],
      phoneNumbers: [{ type: 'work' }],
    },
  },
  {
    title: 'does not merge an element without a value into one with a value',
    before: { phoneNumbers: [{ value: '+1', type: 'work' }] },
    operations: [{ op: 'add', path: 'phoneNumbers', value: [{ type: 'work' }] }],
    after: { phoneNumbers: [{ value: '+1', type: 'work' }, { type: 'work' }] },
  },
  {
    title: 'adds an element without a value once',
    before: { phoneNumbers: [{ type: 'work' }] },
    operations: [{ op: 'add', path: 'phoneNumbers', value: [{ type: 'WORK' }, { type: 'work' }] }],
    after: { phoneNumbers: [{ type: 'work' }] },
  },
  {
    title: 'sets the value of an element with only a type',
    before: { phoneNumbers: [{ type: 'work' }] },
    operations: [{ op: 'replace', path: 'phoneNumbers[type eq "work"].value', value: '+1' }],
    after: { phoneNumbers: [{ type: 'work', value: '+1' }] },
  },
  {
    title: 'Entra: removes an element whose value is cleared',
    before: { phoneNumbers: [{ value: '+1', type: 'work' }] },
    operations: [{ op: 'Replace', path: 'phoneNumbers[type eq "work"].value', value: '' }],
    after: {},
  },
  {
    title: 'does not create a missing element to clear its sub-attribute',
    before: { title: 't' },
    operations: [{ op: 'replace', path: 'emails[type eq "work"].value', value: '' }],
    after: { title: 't' },
  },
  {
    title: 'merges a partial object into a selected element',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true, display: 'A' },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [
      { op: 'Replace', path: 'emails[type eq "work"]', value: { display: 'Ada' } },
      { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'n@h' } },
    ],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true, display: 'Ada' },
        { value: 'n@h', type: 'home' },
      ],
    },
  },
  {
    title: 'merges a partial object into each selected address, and clears what is null',
    before: {
      addresses: [
        { type: 'work', streetAddress: '1 High St', locality: 'L', region: 'R' },
        { type: 'work', streetAddress: '2 High St', locality: 'L' },
      ],
    },
    operations: [
      {
        op: 'replace',
        path: 'addresses[type eq "work"]',
        value: { locality: 'M', region: null },
      },
    ],
    after: {
      addresses: [
        { type: 'work', streetAddress: '1 High St', locality: 'M' },
        { type: 'work', streetAddress: '2 High St', locality: 'M' },
      ],
    },
  },
  {
    title: 'selects elements without primary as not primary (RFC 7643, 2.4)',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [
      { op: 'replace', path: 'emails[primary eq false].value', value: 'n@h' },
      { op: 'replace', path: 'emails[primary ne true].display', value: 'H' },
      { op: 'replace', path: 'emails[not (primary eq false)].display', value: 'W' },
    ],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true, display: 'W' },
        { value: 'n@h', type: 'home', display: 'H' },
      ],
    },
  },
  {
    title: 'removes elements that are not primary, by path and by value',
    before: {
      emails: [{ value: 'ada@work.example', primary: true }, { value: 'ada@home.example' }],
      phoneNumbers: [{ value: '+1', primary: true }, { value: '+2' }],
    },
    operations: [
      { op: 'remove', path: 'emails[primary eq false]' },
      { op: 'remove', path: 'phoneNumbers', value: [{ value: '+2', primary: false }] },
    ],
    after: {
      emails: [{ value: 'ada@work.example', primary: true }],
      phoneNumbers: [{ value: '+1', primary: true }],
    },
  },
  {
    title: 'creates a missing selected element',
    before: {},
    operations: [{ op: 'Replace', path: 'emails[type eq "work"]', value: { value: 'n@w' } }],
    after: { emails: [{ type: 'work', value: 'n@w' }] },
  },
  {
    title: 'removes a selected element that is replaced by null',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'replace', path: 'emails[type eq "work"]', value: null }],
    after: { emails: [{ value: 'ada@home.example', type: 'home' }] },
  },
  {
    title: 'adds sub-attributes to selected elements',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'add', path: 'emails[type eq "home"]', value: { display: 'H' } }],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home', display: 'H' },
      ],
    },
  },
  {
    title: 'accepts a qualified path with a filter',
    before: {},
    operations: [
      {
        op: 'add',
        path: 'urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq "work"].value',
        value: 'a@w',
      },
    ],
    after: { emails: [{ type: 'work', value: 'a@w' }] },
  },
  {
    title: 'clears primary of the previous element when a new primary is added',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [{ op: 'add', path: 'emails', value: [{ value: 'n@n', primary: true }] }],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: false },
        { value: 'n@n', primary: true },
      ],
    },
  },
  {
    title: 'clears primary of the previous element when another becomes primary',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [{ op: 'replace', path: 'emails[type eq "home"].primary', value: true }],
    after: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: false },
        { value: 'ada@home.example', type: 'home', primary: true },
      ],
    },
  },
  {
    title: 'merges elements that become equal',
    before: {
      emails: [
        { value: 'ada@work.example', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    },
    operations: [
      {
        op: 'replace',
        path: 'emails[type eq "home"]',
        value: { value: 'ada@work.example', type: 'work' },
      },
    ],
    after: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
  },
  {
    title: 'applies operations in order',
    before: {},
    operations: [
      { op: 'add', path: 'title', value: 'a' },
      { op: 'replace', path: 'title', value: 'b' },
      { op: 'remove', path: 'title' },
      { op: 'add', path: 'nickName', value: 'n' },
    ],
    after: { nickName: 'n' },
  },
  {
    title: "changes nothing without operations (Entra's validator)",
    before: { title: 't' },
    operations: [],
    after: { title: 't' },
  },
];

const refusing = (
  title: string,
  refused: string,
  operation: JsonValue,
  message?: string,
): RefusedPatch => ({
  ...{ title, before: {}, operations: [operation], refused },
  ...(message !== undefined && { message }),
});

/** Of each, no other operation of the request is applied either. */
const READ_ONLY: readonly {
  readonly op: string;
  readonly path: string;
  readonly value?: JsonValue;
}[] = [
  { op: 'add', path: 'groups', value: [{ value: 'g' }] },
  { op: 'replace', path: 'Groups', value: [] },
  { op: 'remove', path: 'groups' },
  { op: 'remove', path: 'groups[value eq "g"]' },
  { op: 'Replace', path: 'groups[value eq "g"].display', value: 'x' },
  { op: 'add', path: 'groups.value', value: 'g' },
  { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:groups', value: [] },
  { op: 'remove', path: 'URN:ietf:params:scim:schemas:core:2.0:user:GROUPS[value eq "g"]' },
  { op: 'replace', path: 'meta', value: { version: 'x' } },
  { op: 'replace', path: 'meta.lastModified', value: '2026-01-01T00:00:00Z' },
  { op: 'replace', path: 'id', value: ID },
  { op: 'replace', path: 'id', value: 'other' },
  { op: 'remove', path: 'id' },
  { op: 'replace', path: 'ID', value: ID },
  {
    op: 'replace',
    path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.displayName',
    value: 'Byron',
  },
];

export const REFUSED_PATCHES: readonly RefusedPatch[] = [
  ...READ_ONLY.map((operation) => ({
    title: `refuses a read-only path: ${operation.op} ${operation.path}`,
    before: {},
    operations: [{ op: 'replace', path: 'title', value: 't' }, { ...operation }],
    refused: 'mutability',
  })),
  refusing(
    'refuses to remove the user name',
    'invalidValue',
    { op: 'remove', path: 'userName' },
    'userName is required',
  ),
  refusing('refuses to clear the user name', 'invalidValue', {
    op: 'replace',
    path: 'userName',
    value: '',
  }),
  refusing('refuses to clear the user name without a path', 'invalidValue', {
    op: 'replace',
    value: { userName: null },
  }),
  {
    title: 'refuses to remove active, which would reactivate the user',
    before: { active: false },
    operations: [{ op: 'remove', path: 'active' }],
    refused: 'invalidValue',
    message: 'active is required',
  },
  {
    title: 'refuses to clear active, which would reactivate the user',
    before: { active: false },
    operations: [{ op: 'replace', value: { active: '' } }],
    refused: 'invalidValue',
    message: 'active is required',
  },
  refusing(
    'refuses to add two primary elements',
    'invalidValue',
    {
      op: 'add',
      path: 'emails',
      value: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    },
    'must have at most one primary',
  ),
  refusing('refuses to replace a list by two primary elements', 'invalidValue', {
    op: 'replace',
    path: 'emails',
    value: [
      { value: 'a', primary: true },
      { value: 'b', primary: true },
    ],
  }),
  {
    title: 'refuses to make two elements primary',
    before: {
      emails: [
        { value: 'a', type: 'x' },
        { value: 'b', type: 'x' },
      ],
    },
    operations: [{ op: 'replace', path: 'emails[type eq "x"].primary', value: true }],
    refused: 'invalidValue',
  },
  ...['.value', '.type', '.primary', ''].map((member) => ({
    title: `refuses an element selected by a value that is gone${member && `: ${member}`}`,
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [
      {
        op: 'replace',
        path: `emails[value eq "gone@x"]${member}`,
        value: { '.value': 'n@x', '.type': 'home', '.primary': true }[member] ?? {
          value: 'n@x',
          primary: true,
        },
      },
    ],
    refused: 'noTarget',
    message: 'Only a filter by type creates a missing element',
  })),
  {
    title: 'refuses a missing element selected as not primary',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [{ op: 'replace', path: 'emails[primary eq false].value', value: 'x' }],
    refused: 'noTarget',
  },
  {
    title: 'refuses a missing element that the filter does not define',
    before: { emails: [{ value: 'ada@home.example', type: 'home' }] },
    operations: [{ op: 'replace', path: 'emails[value co "zz"].display', value: 'x' }],
    refused: 'noTarget',
  },
  refusing('refuses a missing element selected by or', 'noTarget', {
    op: 'add',
    path: 'emails[type eq "a" or type eq "b"].value',
    value: 'x',
  }),
  refusing('refuses a missing element with contradictory conditions', 'noTarget', {
    op: 'add',
    path: 'emails[type eq "a" and type eq "b"].value',
    value: 'x',
  }),
  {
    title: 'refuses more than 100 elements',
    before: {},
    operations: [
      {
        op: 'add',
        path: 'entitlements',
        value: Array.from({ length: 100 }, (_, at) => `${at}`),
      },
      { op: 'add', path: 'entitlements', value: ['more'] },
    ],
    refused: 'invalidValue',
    message: 'at most 100 values',
  },
  refusing(
    'refuses an unknown path',
    'invalidPath',
    { op: 'replace', path: 'shoeSize', value: 42 },
    'shoeSize is not an attribute of User',
  ),
  refusing('refuses an unknown sub-attribute', 'invalidPath', {
    op: 'replace',
    path: 'name.shoe',
    value: 'x',
  }),
  refusing('refuses an unknown sub-attribute of an element', 'invalidPath', {
    op: 'replace',
    path: 'emails[type eq "work"].shoe',
    value: 'x',
  }),
  refusing('refuses an unknown extension', 'invalidPath', {
    op: 'replace',
    path: 'urn:unknown:User:x',
    value: 'x',
  }),
  refusing(
    'refuses an incomplete path',
    'invalidPath',
    { op: 'replace', path: 'emails[type eq', value: 'x' },
    'The path is not valid at character',
  ),
  refusing('refuses trailing text after the path', 'invalidPath', {
    op: 'replace',
    path: 'title nickName',
    value: 'x',
  }),
  refusing('refuses a filter on an attribute that is not a list', 'invalidPath', {
    op: 'replace',
    path: 'name[givenName eq "x"]',
    value: {},
  }),
  {
    title: 'refuses a sub-attribute of a list without a filter',
    before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
    operations: [{ op: 'remove', path: 'emails.value' }],
    refused: 'invalidPath',
    message: 'does not select an element',
  },
  refusing('refuses a path that is not a string', 'invalidPath', {
    op: 'replace',
    path: 5,
    value: 'x',
  }),
  refusing('refuses an operation without op', 'invalidValue', { path: 'title', value: 'x' }),
  refusing('refuses an unknown op', 'invalidSyntax', { op: 'move', path: 'title', value: 'x' }),
  refusing('refuses an operation that is not an object', 'invalidValue', null, 'Operations[0]'),
  refusing('refuses a remove without a path', 'noTarget', { op: 'remove' }),
  refusing('refuses a remove with a null path', 'noTarget', { op: 'remove', path: null }),
  refusing('refuses an add without a value', 'invalidValue', { op: 'add', path: 'title' }),
  refusing(
    'refuses a replace without a value',
    'invalidValue',
    { op: 'replace', path: 'title' },
    'null removes the attribute',
  ),
  refusing('refuses a value without a path that is not an object', 'invalidValue', {
    op: 'replace',
    value: 'x',
  }),
  refusing(
    'refuses a value of the wrong type',
    'invalidValue',
    { op: 'replace', path: 'active', value: 'maybe' },
    'active must be true or false',
  ),
  refusing(
    'refuses a value of the wrong type without a path',
    'invalidValue',
    { op: 'replace', value: { name: 'Ada' } },
    'name must be an object',
  ),
  refusing(
    'refuses a value of the wrong type in an element',
    'invalidValue',
    { op: 'add', path: 'emails', value: [{ value: 5.5 }] },
    'emails[0].value must be a string',
  ),
  ...['', {}, [{}], [null], [''], [{ display: 'Ada' }], [{ $ref: null, shoe: 1 }], true].flatMap(
    (value) =>
      ['add', 'replace', 'remove']
        // An empty text clears a list, as any other attribute of a user.
        .filter((op) => op === 'remove' || !['""', '[""]'].includes(JSON.stringify(value)))
        .map((op) => ({
          title: `refuses to ${op} ${JSON.stringify(value)} in a list`,
          before: { emails: [{ value: 'ada@work.example', type: 'work', primary: true }] },
          operations: [{ op, path: 'emails', value }],
          refused: 'invalidValue',
        })),
  ),
  refusing('refuses a control character', 'invalidValue', {
    op: 'replace',
    path: 'userName',
    value: 'a\u0007',
  }),
];

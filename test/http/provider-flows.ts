/** Requests of a provider in order, with the expected responses. */
interface Flow {
  readonly provider: string;
  readonly title: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly verb: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `{id}` is the user created by the flow. */
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  /** A part of the expected body. */
  readonly answer?: object;
  readonly absent?: readonly string[];
}

export const PROVIDER_FLOWS: readonly Flow[] = [
  {
    provider: 'Microsoft Entra',
    title: 'tests the connection, matches, creates, changes and disables',
    steps: [
      {
        verb: 'get',
        path: '/Users?filter=userName+eq+%22b2f5bb7d-8c54-4e2c-9b27-9a2a55a3d1a6%22',
        status: 200,
        answer: { totalResults: 0, Resources: [] },
      },
      {
        verb: 'get',
        path: '/Users?aadOptscim062020&filter=externalId+eq+%22grace.hopper%22',
        status: 200,
        answer: { totalResults: 0 },
      },
      {
        verb: 'post',
        path: '/Users',
        body: {
          schemas: [
            'urn:ietf:params:scim:schemas:core:2.0:User',
            'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
          ],
          externalId: 'grace.hopper',
          userName: 'grace.hopper@contoso.example',
          active: 'True',
          displayName: 'Grace Hopper',
          emails: [{ primary: true, type: 'work', value: 'grace.hopper@contoso.example' }],
          meta: { resourceType: 'User' },
          name: { formatted: 'Grace Hopper', familyName: 'Hopper', givenName: 'Grace' },
          roles: [],
          title: null,
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
            department: 'Compilers',
            manager: 'c1b1',
          },
        },
        status: 201,
        answer: {
          active: true,
          externalId: 'grace.hopper',
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
            department: 'Compilers',
            manager: { value: 'c1b1' },
          },
        },
        absent: ['title'],
      },
      {
        verb: 'get',
        path: '/Users?filter=externalId+eq+%22grace.hopper%22',
        status: 200,
        answer: { totalResults: 1, Resources: [{ id: '{id}' }] },
      },
      {
        verb: 'get',
        path: '/Users/?filter=emails%5Btype+eq+%22work%22%5D.value+eq+%22Grace.Hopper%40contoso.example%22',
        status: 200,
        answer: { totalResults: 1 },
      },
      {
        verb: 'get',
        path: '/Users/?filter=DisplayName+eq+%22grace+hopper%22+and+ActiVe+eq+True',
        status: 200,
        answer: { totalResults: 1 },
      },
      {
        verb: 'get',
        path: '/Users?filter=meta.lastModified+ge+%222020-01-01T00%3A00%3A00Z%22&startindex=0',
        status: 200,
        answer: { totalResults: 1, startIndex: 1 },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [
            {
              op: 'Replace',
              path: 'emails[type eq "work"].value',
              value: 'ghopper@contoso.example',
            },
            { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555 0100' },
            { op: 'Replace', path: 'name.familyName', value: 'Murray' },
            {
              op: 'Add',
              path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager',
              value: 'd2d2',
            },
          ],
        },
        status: 200,
        answer: {
          emails: [{ type: 'work', value: 'ghopper@contoso.example', primary: true }],
          phoneNumbers: [{ type: 'mobile', value: '+1 555 0100' }],
          name: { familyName: 'Murray', givenName: 'Grace' },
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
            manager: { value: 'd2d2' },
          },
        },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [
            {
              op: 'replace',
              value: {
                displayName: 'G. Hopper',
                'name.givenName': 'Gracie',
                'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber': '1906',
              },
            },
          ],
        },
        status: 200,
        answer: {
          displayName: 'G. Hopper',
          name: { givenName: 'Gracie', familyName: 'Murray' },
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
            employeeNumber: '1906',
            department: 'Compilers',
          },
        },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [
            {
              op: 'Replace',
              path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
              value: '',
            },
            {
              op: 'Replace',
              path: 'urn:ietf:params:scim:schemas:core:2.0:User:title',
              value: 'Rear Admiral',
            },
          ],
        },
        status: 200,
        answer: {
          title: 'Rear Admiral',
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { employeeNumber: '1906' },
        },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [
            {
              op: 'Add',
              path: 'roles[primary eq "True"].value',
              value: '{"id":"1","value":"Admin"}',
            },
          ],
        },
        status: 200,
        answer: { roles: [{ value: 'member' }] },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [] },
        status: 200,
        answer: { id: '{id}' },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
        },
        status: 200,
        answer: { active: false },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'Replace', path: 'active', value: 'True' }],
        },
        status: 200,
        answer: { active: true },
      },
      { verb: 'delete', path: '/Users/{id}', status: 204 },
      { verb: 'get', path: '/Users/{id}', status: 404, answer: { status: '404' } },
    ],
  },
  {
    provider: 'Okta',
    title: 'tests the connection, creates, reads before it writes, and never deletes',
    steps: [
      {
        verb: 'get',
        path: '/Users?startIndex=1&count=2',
        status: 200,
        answer: { Resources: [], totalResults: 0 },
      },
      {
        verb: 'get',
        path: '/Users?filter=userName%20eq%20%22ADA%40example.com%22&startIndex=1&count=100',
        status: 200,
        answer: { totalResults: 0 },
      },
      {
        verb: 'post',
        path: '/Users',
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: 'ada@example.com',
          name: { givenName: 'Ada', familyName: 'Lovelace' },
          emails: [
            { primary: true, value: 'ada@example.com', type: 'work', display: 'ada@example.com' },
          ],
          displayName: 'Ada Lovelace',
          locale: 'en-US',
          externalId: '00u1',
          groups: [],
          password: 'x-1mz050nq',
          active: true,
        },
        status: 201,
        answer: {
          userName: 'ada@example.com',
          locale: 'en-US',
          name: { givenName: 'Ada', familyName: 'Lovelace' },
        },
        absent: ['password', 'groups'],
      },
      {
        verb: 'get',
        path: '/Users?filter=userName%20eq%20%22ADA%40EXAMPLE.com%22&startIndex=1&count=100',
        status: 200,
        answer: { totalResults: 1 },
      },
      { verb: 'get', path: '/Users/{id}', status: 200, answer: { displayName: 'Ada Lovelace' } },
      {
        verb: 'put',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          id: '{id}',
          userName: 'ada@example.com',
          name: { givenName: 'Ada', familyName: 'King' },
          emails: [{ primary: true, value: 'ada@example.com', type: 'work' }],
          active: true,
          groups: [],
          meta: { resourceType: 'User', version: 'W/"1"' },
        },
        status: 200,
        answer: { name: { familyName: 'King' } },
        absent: ['displayName', 'locale'],
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', value: { active: false } }],
        },
        status: 200,
        answer: { active: false, name: { familyName: 'King' } },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', value: { id: '{id}', active: true } }],
        },
        status: 200,
        answer: { active: true },
      },
      {
        verb: 'get',
        path: '/Users/010101001010101011001010101011',
        status: 404,
        answer: { status: '404', schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] },
      },
    ],
  },
  {
    provider: 'OneLogin',
    title: 'sends one e-mail outside a list, the SCIM 1 schema and empty fields',
    steps: [
      { verb: 'get', path: '/ServiceProviderConfig', status: 200 },
      {
        verb: 'post',
        path: '/Users',
        body: {
          schemas: ['urn:scim:schemas:core:1.0'],
          userName: 'one@example.com',
          emails: { value: 'one@example.com', type: 'work', primary: true },
          name: { givenName: 'One', familyName: '' },
          title: '',
          department: '',
        },
        status: 201,
        answer: {
          emails: [{ value: 'one@example.com', type: 'work', primary: true }],
          name: { givenName: 'One' },
        },
        absent: ['title', 'department'],
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: { Operations: [{ op: 'replace', path: 'active', value: false }] },
        status: 200,
        answer: { active: false },
      },
    ],
  },
  {
    provider: 'Google',
    title: 'sends the schemas of SCIM 1 and 2',
    steps: [
      { verb: 'get', path: '/Users', status: 200, answer: { totalResults: 0 } },
      {
        verb: 'post',
        path: '/Users',
        body: {
          schemas: ['urn:scim:schemas:core:1.0', 'urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: 'two@example.com',
          active: true,
          name: { givenName: 'T', familyName: 'W' },
        },
        status: 201,
        answer: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'] },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', value: { active: false } }],
        },
        status: 200,
        answer: { active: false },
      },
      { verb: 'delete', path: '/Users/{id}', status: 204 },
    ],
  },
  {
    provider: 'authentik',
    title: 'reads the configuration first, and sends null paths',
    steps: [
      {
        verb: 'get',
        path: '/ServiceProviderConfig',
        status: 200,
        answer: { patch: { supported: true }, filter: { maxResults: 1000 } },
      },
      {
        verb: 'post',
        path: '/Users',
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          externalId: '5',
          userName: 'akadmin',
          displayName: 'A',
          emails: [{ value: 'a@example.com', type: 'other', primary: true }],
          name: { formatted: 'A', givenName: 'A', familyName: ' ' },
          photos: [],
          active: true,
        },
        status: 201,
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [
            {
              op: 'replace',
              path: null,
              value: {
                schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
                id: '{id}',
                displayName: 'B',
              },
            },
          ],
        },
        status: 200,
        answer: { displayName: 'B' },
      },
      {
        verb: 'get',
        path: '/Users?startIndex=2',
        status: 200,
        answer: { totalResults: 1, itemsPerPage: 0 },
      },
    ],
  },
  {
    provider: 'Keycloak',
    title: 'sends booleans as strings, and single values in lists',
    steps: [
      {
        verb: 'post',
        path: '/Users',
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          externalId: 'k',
          userName: 'kc',
          displayName: 'kc',
          emails: [{ value: 'kc@example.com' }],
          active: 'true',
          roles: [{ value: 'admin' }],
        },
        status: 201,
        answer: { active: true, roles: [{ value: 'member' }] },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', path: 'active', value: 'false' }],
        },
        status: 200,
        answer: { active: false },
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [
            {
              op: 'replace',
              value: [{ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], nickName: 'nn' }],
            },
          ],
        },
        status: 200,
        answer: { nickName: 'nn', active: false },
      },
      {
        verb: 'put',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: 'kc',
          active: 'true',
        },
        status: 200,
        answer: { active: true },
        absent: ['nickName'],
      },
    ],
  },
  {
    provider: 'JumpCloud',
    title: 'creates and deletes a test user on activation',
    steps: [
      { verb: 'get', path: '/Users?count=1&startIndex=1', status: 200, answer: { Resources: [] } },
      {
        verb: 'post',
        path: '/Users',
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: 'probe@example.com',
          emails: [{ value: 'probe@example.com', type: 'work', primary: true }],
          active: true,
        },
        status: 201,
      },
      {
        verb: 'patch',
        path: '/Users/{id}',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [
            { op: 'replace', path: 'name.givenName', value: 'P' },
            { op: 'replace', path: 'name.familyName', value: 'R' },
            { op: 'replace', path: 'active', value: false },
          ],
        },
        status: 200,
        answer: { name: { givenName: 'P', familyName: 'R' }, active: false },
      },
      { verb: 'delete', path: '/Users/{id}', status: 204 },
    ],
  },
  {
    provider: 'Ping',
    title: 'sends qualified attribute names, and searches by POST',
    steps: [
      {
        verb: 'post',
        path: '/Users',
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: 'ping@example.com',
        },
        status: 201,
      },
      {
        verb: 'get',
        path: '/Users?filter=urn%3Aietf%3Aparams%3Ascim%3Aschemas%3Acore%3A2.0%3AUser%3AuserName%20eq%20%22ping%40example.com%22',
        status: 200,
        answer: { totalResults: 1 },
      },
      {
        verb: 'post',
        path: '/Users/.search',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
          filter: 'userName eq "PING@example.com"',
          startIndex: 1,
          count: 10,
          attributes: ['userName'],
        },
        status: 200,
        answer: { totalResults: 1, Resources: [{ userName: 'ping@example.com' }] },
      },
      {
        verb: 'post',
        path: '/.search',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
          filter: 'meta.resourceType eq "User" and userName sw "p"',
        },
        status: 200,
        answer: { totalResults: 1 },
      },
    ],
  },
];

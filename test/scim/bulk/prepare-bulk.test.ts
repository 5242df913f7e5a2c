import { describe, expect, it } from 'vitest';
import type { BulkOperation } from '../../../src/domain/commands.js';
import type { JsonValue } from '../../../src/domain/kernel/json.js';
import { prepareBulk } from '../../../src/scim/bulk/prepare-bulk.js';
import { readBulk } from '../../../src/scim/bulk/read-bulk.js';
import { aTenant, idOf } from '../../support/builders.js';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const prepare = (...Operations: JsonValue[]) =>
  prepareBulk(readBulk({ Operations }, 100), aTenant());

const user = (bulkId: string, more: object = {}) => ({
  method: 'POST',
  path: '/Users',
  bulkId,
  data: { userName: `${bulkId}@example.com`, ...more },
});

const commandsIn = (operations: readonly BulkOperation[]) =>
  operations.map((operation) =>
    'command' in operation ? operation.command : operation.refusal.scimType,
  );

describe('prepareBulk', () => {
  it('creates the same commands as the single requests would', async () => {
    const id = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';
    const { command } = await prepare(
      user('u'),
      { method: 'PUT', path: `/Users/${id}`, data: { userName: 'x' } },
      {
        method: 'PATCH',
        path: `/Users/${id}`,
        version: 'W/"2"',
        data: { Operations: [{ op: 'replace', path: 'active', value: 'False' }] },
      },
      { method: 'DELETE', path: `/Users/${id}` },
    );
    expect(commandsIn(command.operations)).toMatchObject([
      { type: 'user.create', profile: { userName: 'u@example.com', active: true } },
      { type: 'user.replace', userId: id, profile: { userName: 'x' }, keepsActive: true },
      {
        type: 'user.patch',
        userId: id,
        ifMatch: [2],
        changes: [{ op: 'replace', path: ['active'], value: false }],
      },
      { type: 'user.delete', userId: id },
    ]);
  });

  it('does not resolve references in a $ref of several megabytes', async () => {
    const $ref = 'bulkId:a '.repeat(500_000);
    const data = { displayName: 'Nobody', members: [{ value: idOf(1), $ref }] };
    const { command } = await prepare({ method: 'POST', path: '/Groups', data });
    expect(commandsIn(command.operations)).toMatchObject([{ type: 'group.create' }]);
  });

  it('resolves references in paths and data, including forward references', async () => {
    const { command, requestIndexes } = await prepare(
      { method: 'DELETE', path: '/Users/bulkId:late' },
      user('early', {
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
          manager: { value: 'bulkId:late' },
        },
      }),
      user('late'),
    );
    const [late, removal, early] = commandsIn(command.operations) as unknown as {
      readonly userId: string;
      readonly profile: { readonly enterprise?: object };
    }[];
    expect(requestIndexes).toEqual([2, 0, 1]);
    expect(removal?.userId).toBe(late?.userId);
    expect(early?.profile.enterprise).toEqual({ manager: { value: late?.userId } });
  });

  it('resolves references in $ref, and in the path of a PATCH operation in any letter case', async () => {
    const { command } = await prepare(
      user('boss'),
      user('early', {
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
          manager: { value: 'bulkId:boss', $ref: '../Users/bulkId:boss' },
        },
      }),
      {
        method: 'PATCH',
        path: '/Users/bulkId:early',
        data: { Operations: [{ op: 'remove', Path: 'emails[value eq "bulkId:boss"]' }] },
      },
    );
    const [boss, early, patch] = commandsIn(command.operations) as unknown as {
      readonly userId: string;
      readonly profile: { readonly enterprise?: object };
      readonly changes: readonly unknown[];
    }[];
    const id = boss?.userId ?? '';
    expect(early?.profile.enterprise).toEqual({ manager: { value: id, $ref: `../Users/${id}` } });
    expect(patch?.changes).toMatchObject([{ path: ['emails'], selector: { value: id } }]);
  });

  it('resolves references only where resources are referred to', async () => {
    const { command } = await prepare(user('u', { title: 'bulkId:u', userName: 'bulkId:u' }), {
      method: 'POST',
      path: 'Groups',
      data: { displayName: 'bulkId:u', members: [{ id: 'bulkId:u' }] },
    });
    const [created, group] = commandsIn(command.operations) as unknown as {
      readonly userId: string;
    }[];
    expect(created).toMatchObject({ profile: { title: 'bulkId:u', userName: 'bulkId:u' } });
    expect(group).toMatchObject({ displayName: 'bulkId:u', members: [created?.userId] });
  });

  it('resolves the value of a PATCH operation only if its path is a reference', async () => {
    const Operations = [
      { op: 'replace', path: 'title', value: 'bulkId:u' },
      { op: 'replace', path: `${ENTERPRISE}:manager`, value: 'bulkId:u' },
    ];
    const { command } = await prepare(user('u'), {
      method: 'PATCH',
      path: '/Users/bulkId:u',
      data: { Operations },
    });
    const [created, patch] = commandsIn(command.operations) as unknown as {
      readonly userId: string;
      readonly changes: readonly unknown[];
    }[];
    expect(patch?.changes).toMatchObject([
      { path: ['title'], value: 'bulkId:u' },
      { value: { value: created?.userId } },
    ]);
  });

  it('accepts paths without a leading slash', async () => {
    const { command } = await prepare({ ...user('u'), path: 'Users' });
    expect(commandsIn(command.operations)).toMatchObject([{ type: 'user.create' }]);
  });

  it('resolves cyclic references', async () => {
    const manager = (bulkId: string) => ({
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
        manager: { value: `bulkId:${bulkId}` },
      },
    });
    const { command } = await prepare(user('a', manager('b')), user('b', manager('a')));
    const [operation, other] = commandsIn(command.operations) as unknown as {
      readonly userId: string;
      readonly profile: { readonly enterprise: object };
    }[];
    expect(operation?.profile.enterprise).toEqual({ manager: { value: other?.userId } });
    expect(other?.profile.enterprise).toEqual({ manager: { value: operation?.userId } });
  });

  it.each([
    [
      'an unknown reference',
      { method: 'POST', path: '/Groups', data: { displayName: 'D', members: ['bulkId:unknown'] } },
    ],
    ['a path of another resource type', { method: 'DELETE', path: '/Rooms/1' }],
    ['a path with a query', { method: 'DELETE', path: '/Users/1?x=1' }],
    ['data that is not an object', { method: 'POST', path: '/Users', data: 'x' }],
    ['a profile without a user name', { method: 'POST', path: '/Users', data: {} }],
  ])('refuses only the operation with %s', async (_what, operation) => {
    const { command } = await prepare(operation, user('good'));
    expect(command.operations.map((operation) => 'refusal' in operation)).toEqual([true, false]);
  });

  it('refuses a method that the path does not support with METHOD_NOT_ALLOWED', async () => {
    const { command } = await prepare(
      { method: 'GET', path: '/Users' },
      { method: 'POST', path: '/Users/6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f', data: {} },
    );
    expect(command.operations).toMatchObject([
      { refusal: { code: 'METHOD_NOT_ALLOWED' } },
      { refusal: { code: 'METHOD_NOT_ALLOWED' } },
    ]);
  });
});

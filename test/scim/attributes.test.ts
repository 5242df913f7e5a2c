import { describe, expect, it } from 'vitest';
import { findAttribute } from '../../src/scim/attributes.js';
import { USER } from '../../src/scim/schemas.js';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const pathOf = (name: string) => findAttribute(USER, name)?.reference.path.join('.');

describe('findAttribute', () => {
  it.each([
    ['userName', 'userName'],
    ['USERNAME', 'userName'],
    ['name.familyname', 'name.familyName'],
    ['emails.value', 'emails.value'],
    ['meta.lastModified', 'meta.lastModified'],
    [`${CORE}:userName`, 'userName'],
    [`${CORE.toUpperCase()}:NAME.givenName`, 'name.givenName'],
    [ENTERPRISE, 'enterprise'],
    [`${ENTERPRISE}:department`, 'enterprise.department'],
    [`${ENTERPRISE}:manager.$ref`, 'enterprise.manager.$ref'],
  ])('finds %s', (name, path) => {
    expect(pathOf(name)).toBe(path);
  });

  it.each([
    '',
    '.',
    'name.',
    '.name',
    'name..familyName',
    'userName.value',
    'department',
    'enterprise',
    'enterprise.department',
    CORE,
    `${CORE}:`,
    `${ENTERPRISE}:`,
    `${ENTERPRISE}:userName`,
    `${ENTERPRISE}department`,
    'urn:other:userName',
    '__proto__',
    'constructor',
    'name.constructor',
  ])('does not find %s', (name) => {
    expect(pathOf(name)).toBeUndefined();
  });

  it('returns roles as read-only and the password as never returned', () => {
    expect(findAttribute(USER, 'roles')).toMatchObject({ mutability: 'readOnly' });
    expect(findAttribute(USER, 'roles.value')?.reference.caseExact).toBe(true);
    expect(findAttribute(USER, 'password')).toMatchObject({
      mutability: 'writeOnly',
      returned: 'never',
    });
  });
});

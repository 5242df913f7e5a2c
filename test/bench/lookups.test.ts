import { describe, expect, it } from 'vitest';
import { LOOKUPS } from '../../tools/bench/load/lookups.js';
import { NO_FIXTURE } from '../../tools/bench/load/operation.js';
import { scimUser } from '../../tools/bench/load/scim-user.js';

const user = scimUser('user', 9_321);
const users = [{ id: 'x', userName: user.userName }];
const input = { ...NO_FIXTURE, users, clients: 1, run: 'run1' };

describe('the lookups of the benchmark', () => {
  it.each([
    ['findByExternalId', `externalId eq "${user.externalId}"`],
    ['findByEmail', 'emails.value eq "user.9321@bench.example"'],
    ['findByWorkEmail', 'emails[type eq "work"].value eq "user.9321@bench.example"'],
    ['findByDisplayName', `displayName eq "${user.displayName}"`],
  ] as const)('search by an attribute that the user was created with: %s', (name, filter) => {
    const [request] = LOOKUPS[name](input)(0);
    expect(request?.path).toBe(`/Users?filter=${encodeURIComponent(filter)}`);
  });

  it('reject another user', () => {
    const [request] = LOOKUPS.findByEmail(input)(0);
    const text = JSON.stringify({ totalResults: 1, Resources: [{ ...users[0], id: 'y' }] });
    expect(request?.check({ status: 200, text })).toBe('id is "y", not "x"');
  });
});

import { describe, expect, it } from 'vitest';
import { EMPTY_SCENE } from '../../bench/load/ground.js';
import { lookUp } from '../../bench/load/look-ups.js';
import { scimUser } from '../../bench/load/scim-user.js';

const sent = scimUser('user', 9_321);
const users = [{ id: 'x', userName: sent.userName }];
const ground = { ...EMPTY_SCENE, users, clients: 1, run: 'run1' };

describe('the look-ups of the benchmark', () => {
  it.each([
    ['findByExternalId', `externalId eq "${sent.externalId}"`],
    ['findByEmail', 'emails.value eq "user.9321@bench.example"'],
    ['findByWorkEmail', 'emails[type eq "work"].value eq "user.9321@bench.example"'],
    ['findByDisplayName', `displayName eq "${sent.displayName}"`],
  ] as const)('ask for a user by what he was sent with: %s', (name, filter) => {
    const [exchange] = lookUp[name](ground)(0);
    expect(exchange?.path).toBe(`/Users?filter=${encodeURIComponent(filter)}`);
  });

  it('are wrong where another user is found', () => {
    const [exchange] = lookUp.findByEmail(ground)(0);
    const text = JSON.stringify({ totalResults: 1, Resources: [{ ...users[0], id: 'y' }] });
    expect(exchange?.fault({ status: 200, text })).toBe('id is "y", not "x"');
  });
});

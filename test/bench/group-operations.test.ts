import { describe, expect, it } from 'vitest';
import { expectGroup, expectGroups, expectNoContent } from '../../tools/bench/load/group-checks.js';
import { findGroup, joinAndLeave, readGroup } from '../../tools/bench/load/group-operations.js';
import { NO_FIXTURE } from '../../tools/bench/load/operation.js';

const response = (status: number, body: unknown) => ({ status, text: JSON.stringify(body) });

const team = { id: 'g', displayName: 'Team', memberIds: ['1', '2'] };
const known = { id: 'g', displayName: 'Team' };
const withMembers = (...members: readonly string[]) => ({
  ...known,
  members: members.map((value) => ({ value, type: 'User' })),
});

describe('the checks of group responses', () => {
  it('accept a group with exactly its members, in any order', () => {
    const check = expectGroup(team);
    expect(check(response(200, withMembers('2', '1')))).toBeUndefined();
    expect(check(response(200, withMembers('1')))).toBe('the number of members is 1, not 2');
    expect(check(response(200, withMembers('1', '3')))).toMatch(/unexpected members is 1, not 0/);
    expect(check(response(200, withMembers('1', '1')))).toMatch(/unexpected members is 1, not 0/);
    expect(check(response(200, { ...known }))).toBe('the number of members is 0, not 2');
  });

  it('accept a group without members if none are expected', () => {
    const check = expectGroup(known);
    expect(check(response(200, { ...known, externalId: 'x' }))).toBeUndefined();
    expect(check(response(200, withMembers('1')))).toMatch(/^members is .*, not undefined$/);
  });

  it('accept a list of exactly the expected groups', () => {
    const check = expectGroups([known]);
    expect(check(response(200, { totalResults: 1, Resources: [known] }))).toBeUndefined();
    expect(check(response(200, { totalResults: 0 }))).toBe('totalResults is 0, not 1');
    expect(check(response(200, { totalResults: 1, Resources: [{ ...known, id: 'h' }] }))).toBe(
      'id is "h", not "g"',
    );
  });

  it('accept a 204 without a body', () => {
    expect(expectNoContent({ status: 204, text: '' })).toBeUndefined();
    expect(expectNoContent({ status: 204, text: '{}' })).toMatch(/a body/);
    expect(expectNoContent({ status: 200, text: '' })).toBe('the status is 200, not 204');
  });
});

const joiners = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, userName: id }));
const input = { ...NO_FIXTURE, users: [], groups: [team], joiners, clients: 2, run: 'run1' };

interface Change {
  readonly Operations: readonly { readonly op: string; readonly value: readonly object[] }[];
}

describe('the group operations', () => {
  it('remove a user who joined in the same operation', () => {
    const operations = joinAndLeave(input)(0).map(
      ({ body = '' }) => (JSON.parse(body) as Change).Operations,
    );
    expect(operations).toEqual([
      [{ op: 'add', path: 'members', value: [{ value: 'a' }] }],
      [{ op: 'remove', path: 'members', value: [{ value: 'a' }] }],
    ]);
  });

  it('use different users for different clients', () => {
    const operation = joinAndLeave(input);
    const idsOf = (client: number): readonly string[] =>
      [1, 2, 3].map(() => /"value":"(.)"/.exec(operation(client)[0]?.body ?? '')?.[1] ?? '');
    expect([idsOf(0), idsOf(1)]).toEqual([
      ['a', 'c', 'a'],
      ['b', 'd', 'b'],
    ]);
  });

  it('read a group by id and by name, without members', () => {
    expect(readGroup(input)(0)[0]?.path).toBe('/Groups/g?excludedAttributes=members');
    expect(findGroup(input)(0)[0]?.path).toBe(
      '/Groups?filter=displayName%20eq%20%22Team%22&excludedAttributes=members',
    );
  });

  it('fail without a group', () => {
    expect(() => joinAndLeave({ ...input, groups: [] })(0)).toThrow(/no group/);
    expect(() => readGroup({ ...input, groups: [] })(0)).toThrow(/empty list/);
  });
});

import { describe, expect, it } from 'vitest';
import { givesGroup, givesGroupList, givesNothing } from '../../bench/load/group-faults.js';
import { findGroup, join, readGroup } from '../../bench/load/group-works.js';
import { EMPTY_SCENE } from '../../bench/load/ground.js';

const answer = (status: number, body: unknown) => ({ status, text: JSON.stringify(body) });

const team = { id: 'g', displayName: 'Team', memberIds: ['1', '2'] };
const known = { id: 'g', displayName: 'Team' };
const shown = (...members: readonly string[]) => ({
  ...known,
  members: members.map((value) => ({ value, type: 'User' })),
});

describe('an answer about a group in the benchmark', () => {
  it('is a whole group only with exactly its members, in whatever order', () => {
    const look = givesGroup(team);
    expect(look(answer(200, shown('2', '1')))).toBeUndefined();
    expect(look(answer(200, shown('1')))).toBe('the number of members is 1, not 2');
    expect(look(answer(200, shown('1', '3')))).toMatch(/strangers among the members is 1, not 0/);
    expect(look(answer(200, shown('1', '1')))).toMatch(/strangers among the members is 1, not 0/);
    expect(look(answer(200, { ...known }))).toBe('the number of members is 0, not 2');
  });

  it('is a group without members only where it shows none', () => {
    const look = givesGroup(known);
    expect(look(answer(200, { ...known, externalId: 'x' }))).toBeUndefined();
    expect(look(answer(200, shown('1')))).toMatch(/^members is .*, not undefined$/);
  });

  it('is the list of exactly the group that was asked for', () => {
    const look = givesGroupList([known]);
    expect(look(answer(200, { totalResults: 1, Resources: [known] }))).toBeUndefined();
    expect(look(answer(200, { totalResults: 0 }))).toBe('totalResults is 0, not 1');
    expect(look(answer(200, { totalResults: 1, Resources: [{ ...known, id: 'h' }] }))).toBe(
      'id is "h", not "g"',
    );
  });

  it('is done with 204 and nothing else', () => {
    expect(givesNothing({ status: 204, text: '' })).toBeUndefined();
    expect(givesNothing({ status: 204, text: '{}' })).toMatch(/a body/);
    expect(givesNothing({ status: 200, text: '' })).toBe('the status is 200, not 204');
  });
});

const joiners = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, userName: id }));
const ground = { ...EMPTY_SCENE, users: [], groups: [team], joiners, clients: 2, run: 'run1' };

interface Change {
  readonly Operations: readonly { readonly op: string; readonly value: readonly object[] }[];
}

describe('the work with groups', () => {
  it('has each who joins leave again in the same turn', () => {
    const turn = join(ground)(0).map(({ body = '' }) => (JSON.parse(body) as Change).Operations);
    expect(turn).toEqual([
      [{ op: 'add', path: 'members', value: [{ value: 'a' }] }],
      [{ op: 'remove', path: 'members', value: [{ value: 'a' }] }],
    ]);
  });

  it('gives no two clients the same user', () => {
    const work = join(ground);
    const idsOf = (client: number): readonly string[] =>
      [1, 2, 3].map(() => /"value":"(.)"/.exec(work(client)[0]?.body ?? '')?.[1] ?? '');
    expect([idsOf(0), idsOf(1)]).toEqual([
      ['a', 'c', 'a'],
      ['b', 'd', 'b'],
    ]);
  });

  it('asks for a group by its id and by its name, never for its members', () => {
    expect(readGroup(ground)(0)[0]?.path).toBe('/Groups/g?excludedAttributes=members');
    expect(findGroup(ground)(0)[0]?.path).toBe(
      '/Groups?filter=displayName%20eq%20%22Team%22&excludedAttributes=members',
    );
  });

  it('says so where there is no group to work with', () => {
    expect(() => join({ ...ground, groups: [] })(0)).toThrow(/no group/);
    expect(() => readGroup({ ...ground, groups: [] })(0)).toThrow(/nothing to choose/);
  });
});

import { describe, expect, it } from 'vitest';
import { collectMemberships, selectGroups } from '../../src/plugin/api.js';

const collected = (memberships: readonly (readonly [group: string, member: string])[]) => {
  const collector = collectMemberships();
  for (const [group, member] of memberships) collector.add(group, member);
  return collector.finish();
};

describe('memberships', () => {
  it('finds the groups of each of 20,000 members, each group once, and none of others', () => {
    const names = ['Medics', 'Dispatch', 'Night'];
    const all = names.flatMap((name, number) =>
      Array.from({ length: 20_000 }, (_, at) => [name, `user-${at * (number + 1)}`] as const),
    );
    const { groupsOf } = collected([...all, ...all.slice(0, 100)]);
    for (let at = 0; at < 20_000; at += 1) {
      const expected = ['Medics', at % 2 === 0 && 'Dispatch', at % 3 === 0 && 'Night'];
      expect(groupsOf(`user-${at}`)).toEqual(expected.filter(Boolean).toSorted());
    }
    expect(groupsOf('user-1000000')).toEqual([]);
  });

  it('has another digest if a member joins, leaves or changes the group, in any order', () => {
    const base = [
      ['A', '1'],
      ['A', '2'],
      ['B', '1'],
    ] as const;
    const { digest } = collected(base);
    expect(collected([base[1], base[0], base[2]]).digest).toBe(digest);
    expect(collected([...base, ['B', '2']]).digest).not.toBe(digest);
    expect(collected(base.slice(0, 2)).digest).not.toBe(digest);
    expect(collected([base[0], base[1], ['B', '2']]).digest).not.toBe(digest);
  });
});

describe('the selection of groups', () => {
  const groups = [
    { id: 'g2', name: 'Night' },
    { id: 'g1', name: 'Dispatch' },
    { id: 'g3', name: 'room-7' },
  ];
  const select = (names: string[], prefix?: string, all = groups) =>
    selectGroups(all, { names, ...(prefix && { prefix }) }, 'It').map(({ id }) => id);

  it('is by name, id or prefix, in the order of the names', () => {
    expect(select(['night', 'g1'])).toEqual(['g1', 'g2']);
    expect(select([], 'Room-')).toEqual(['g3']);
  });

  it('refuses a group that is missing or not unique, so that no one leaves its room', () => {
    expect(() => select(['Dispatch', 'Medics'])).toThrow(/no group "Medics"/);
    expect(() => select([], 'team-')).toThrow(/no group "team-…"/);
    expect(() => select(['Night'], undefined, [...groups, { id: 'g9', name: 'night' }])).toThrow(
      /several groups named "night"/,
    );
    expect(select(['g2'], undefined, [...groups, { id: 'g9', name: 'night' }])).toEqual(['g2']);
  });
});

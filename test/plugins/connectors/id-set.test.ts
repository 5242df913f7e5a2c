import { expect, it } from 'vitest';
import { createIdSet } from '../../../plugins/connectors/id-set.js';

const ids = Array.from({ length: 10_000 }, (_, at) => `employee-${at}`);

it('has the ids that were added, and no others, however many they are', () => {
  const set = createIdSet();
  expect(ids.every((id) => set.add(id))).toBe(true);
  expect(ids.every((id) => set.has(id))).toBe(true);
  expect(ids.some((id) => set.has(`${id}x`))).toBe(false);
});

it('says whether an id is new', () => {
  const set = createIdSet();
  expect([set.add('a'), set.add('b'), set.add('a')]).toEqual([true, true, false]);
});

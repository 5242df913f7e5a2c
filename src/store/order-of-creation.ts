import type { mongo } from 'mongoose';
import type { TenantId } from '../domain/ids.js';
import type { Collections } from './collections.js';

/**
 * Users are listed by creation. Each has a place in that order, and for every stretch of a thousand
 * places the number of users who still stand in it is kept in the commit: any page is found by
 * adding up stretches and skipping less than one, however many users there are.
 */
const STRETCH = 1_000;

export const stretchOf = (ordinal: number): number => Math.floor(ordinal / STRETCH);

/** How a commit changes the numbers of users in the stretches; ordinals of who came and who went. */
export const stretchWrites = (
  tenantId: TenantId,
  came: readonly number[],
  went: readonly number[],
): readonly { readonly id: string; readonly stretch: number; readonly by: number }[] => {
  const by = new Map<number, number>();
  for (const ordinal of came) by.set(stretchOf(ordinal), (by.get(stretchOf(ordinal)) ?? 0) + 1);
  for (const ordinal of went) by.set(stretchOf(ordinal), (by.get(stretchOf(ordinal)) ?? 0) - 1);
  return [...by].map(([stretch, count]) => ({ id: `${tenantId}:${stretch}`, stretch, by: count }));
};

/** Where to begin so that `offset` users are passed over: a place to start from and what is left to skip. */
export const findPlace = async (
  { userStretches }: Collections,
  tenantId: TenantId,
  offset: number,
): Promise<{ readonly from: number; readonly skip: number }> => {
  if (offset <= STRETCH) return { from: 0, skip: offset };
  const stretches: mongo.FindCursor<{ stretch: number; count: number }> = userStretches.find(
    { tenant: tenantId },
    { sort: { stretch: 1 }, projection: { _id: 0, stretch: 1, count: 1 } },
  );
  let left = offset;
  for (const { stretch, count } of await stretches.toArray()) {
    if (left < count) return { from: stretch * STRETCH, skip: left };
    left -= count;
  }
  return { from: Number.MAX_SAFE_INTEGER, skip: 0 };
};

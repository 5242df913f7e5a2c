import type { InspectedDatabase } from './inspect-database.js';
import { tenants } from '../tables/tenants.js';

/** Those of the slugs that tenants have; a deleted tenant has none. */
export const readSlugs = async (
  { database }: InspectedDatabase,
  slugs: readonly string[],
): Promise<ReadonlySet<string>> => {
  const found = await tenants
    .in(database)
    .find({ slug: { $in: [...slugs] } }, { projection: { slug: 1 } })
    .toArray();
  return new Set(found.flatMap(({ slug }) => slug ?? []));
};

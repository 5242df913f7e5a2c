import type { JsonObject } from '../../../src/plugin/api.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { Attributes } from '../mapping/attributes.js';
import { type Gateway, keyed } from '../run/gateway.js';
import type { Correlation } from './correlate.js';
import type { UserKey } from './identities.js';

/** Which user a record matches: the first key that finds a user decides. */
export type Match =
  | {
      readonly kind: 'one';
      readonly user: User;
      readonly by: UserKey;
      /** That found the user: there may be several of one kind. */
      readonly key: Correlation;
    }
  | { readonly kind: 'ambiguous'; readonly message: string };

interface Matchable {
  readonly sourceId: string;
  readonly data: JsonObject;
  readonly attributes: Attributes;
}

/** By record id; those that match no user are not in the map. One query for each key. */
export const matchUsers = async (
  records: readonly Matchable[],
  { compiled, gateway }: { readonly compiled: CompiledConnector; readonly gateway: Gateway },
): Promise<ReadonlyMap<string, Match>> => {
  const found = new Map<string, Match>();
  for (const key of compiled.match) {
    const { by, valueOf } = key;
    const values = records.flatMap(({ sourceId, data, attributes }) => {
      const value = found.has(sourceId) ? undefined : valueOf(data, attributes);
      return value === undefined ? [] : [{ sourceId, value }];
    });
    const users = await gateway.findUsers(
      by,
      values.map(({ value }) => value),
    );
    for (const { sourceId, value } of values) {
      const [user, ...others] = users.get(keyed(by, value)) ?? [];
      if (user && others.length === 0) found.set(sourceId, { kind: 'one', user, by, key });
      else if (user) {
        const message = `${others.length + 1} users have the same ${by}.`;
        found.set(sourceId, { kind: 'ambiguous', message });
      }
    }
  }
  return found;
};

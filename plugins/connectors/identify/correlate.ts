import type { JsonObject } from '../../../src/plugin/api.js';
import type { UserKey } from './identities.js';
import { type Attributes, emailIn } from '../mapping/attributes.js';
import { readText } from '../mapping/read-path.js';
import { compileTransforms } from '../mapping/transforms.js';
import type { MatchKey } from '../options.js';

/** A key by which a new record may find its user. */
export interface Correlation {
  readonly by: UserKey;
  readonly valueOf: (data: JsonObject, attributes: Attributes) => string | undefined;
}

const KEYS: readonly string[] = ['externalId', 'userName', 'email'];

/** Throws a RangeError with a sentence for operators. */
export const compileMatch = (keys: readonly MatchKey[]): readonly Correlation[] =>
  keys.map((key) => {
    const target = typeof key === 'string' ? key : key.target;
    if (!KEYS.includes(target))
      throw new RangeError(`match: "${target}" is not one of ${KEYS.join(', ')}`);
    const by = target as UserKey;
    if (typeof key === 'string')
      return {
        by,
        valueOf: (_data, attributes) =>
          by === 'email' ? emailIn(attributes) : textOf(attributes[by]),
      };
    const transforms = compileTransforms(key.transform);
    return {
      by,
      valueOf: (data) => {
        const text = readText(data, key.source);
        return text === undefined ? undefined : textOf(transforms(text));
      },
    };
  });

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

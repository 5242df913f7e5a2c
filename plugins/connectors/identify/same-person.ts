import type { JsonValue } from '../../../src/plugin/api.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import { type Attributes, profileValue } from '../mapping/attributes.js';
import type { UserKey } from './identities.js';

const text = (value: JsonValue | undefined): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const plain = value.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase();
  return plain === '' ? undefined : plain;
};

/** Of the names that both have: whether any is the same. Undefined: they have none in common. */
const sharesName = (
  { profile }: User,
  attributes: Attributes,
  names: readonly string[],
): boolean | undefined => {
  const pairs = names.flatMap((name) => {
    const [mine, theirs] = [text(attributes[name]), text(profileValue(profile, name))];
    return mine === undefined || theirs === undefined ? [] : [mine === theirs];
  });
  return pairs.length === 0 ? undefined : pairs.includes(true);
};

const EMPLOYEE_NUMBER = 'enterprise.employeeNumber';

/**
 * Whether nothing says that a record is of someone else than the user. An id is proof. A marriage or a
 * typing mistake changes one of two names; if both differ, an address was given to another person.
 */
export const maySamePerson = (user: User, attributes: Attributes, by: UserKey): boolean => {
  if (by === 'externalId' || sharesName(user, attributes, [EMPLOYEE_NUMBER]) === true) return true;
  return (
    sharesName(user, attributes, ['name.givenName', 'name.familyName']) ??
    sharesName(user, attributes, ['displayName']) ??
    true
  );
};

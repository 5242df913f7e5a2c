import { fold } from '../../domain/fold.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import type { UserProfile } from '../../domain/user.js';

/** Texts of which letter case tells two apart (RFC 7643, 2.2): kept as they are. */
const CASE_EXACT: ReadonlySet<string> = new Set(['x509Certificates.value']);

const foldObject = (object: JsonObject, path: string): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, foldValue(value, `${path}.${name}`)]),
  );

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const foldValue = (value: JsonValue | undefined, path: string): JsonValue | undefined => {
  if (typeof value === 'string') return CASE_EXACT.has(path) ? value : fold(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((element) => foldValue(element, path) ?? null);
  return foldObject(value, path);
};

/**
 * The shadow of a profile by which the database finds users without regard to letter case: the
 * same shape with every text folded. Elements of lists keep their other members too, so that one
 * element can be asked for all of them (`emails[type eq "work" and primary eq true]`). What is
 * compared exactly and stands in no list is left out; it is found in the profile itself.
 */
export const foldProfile = ({ active: _, externalId: __, ...profile }: UserProfile): JsonObject =>
  Object.fromEntries(
    Object.entries(profile)
      .filter(([, value]) => typeof value === 'string' || typeof value === 'object')
      .map(([name, value]) => [name, foldValue(value as JsonValue | undefined, name)]),
  );

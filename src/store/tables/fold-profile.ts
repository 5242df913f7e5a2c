import { fold } from '../../domain/kernel/names.js';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import type { UserProfile } from '../../domain/user/user.js';

/** Texts that are compared exactly (RFC 7643, 2.2). */
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
 * A copy of a profile with every text in lower case, for case-insensitive queries. Elements of
 * lists keep their other fields, so that one element can be queried by all of them (`emails[type eq
 * "work" and primary eq true]`). Exact fields outside of lists are left out and queried in the
 * profile itself.
 */
export const foldProfile = ({ active: _, externalId: __, ...profile }: UserProfile): JsonObject =>
  Object.fromEntries(
    Object.entries(profile)
      .filter(([, value]) => typeof value === 'string' || typeof value === 'object')
      .map(([name, value]) => [name, foldValue(value as JsonValue | undefined, name)]),
  );

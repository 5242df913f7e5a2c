import type { LoadResponse } from './connection.js';
import { bulkIdOf } from './scim-bodies.js';

type Check = (response: LoadResponse) => string | undefined;

/** The checked attributes of a user; others are ignored. */
interface UserBody {
  readonly id?: unknown;
  readonly userName?: unknown;
  readonly active?: unknown;
}

export interface UserListBody {
  readonly totalResults?: unknown;
  readonly Resources?: readonly UserBody[];
}

/**
 * Where a value differs from what is expected: a pattern that its text matches, a list of the same
 * length, an object with at least these attributes, or the value itself.
 */
const differenceIn = (actual: unknown, expected: unknown, name: string): string | undefined => {
  if (expected instanceof RegExp)
    return typeof actual === 'string' && expected.test(actual)
      ? undefined
      : `${name} is ${JSON.stringify(actual)}, not like ${expected}`;
  if (typeof expected !== 'object' || expected === null)
    return actual === expected
      ? undefined
      : `${name} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
  const found = (actual ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(expected) && found['length'] !== expected.length)
    return `the number of ${name} is ${String(found['length'])}, not ${expected.length}`;
  for (const [key, value] of Object.entries(expected)) {
    const path = Array.isArray(expected)
      ? `${name}[${key}]`
      : [name, key].filter(Boolean).join('.');
    const difference = differenceIn(found[key], value, path);
    if (difference !== undefined) return difference;
  }
  return undefined;
};

/** Expects this status and a body with at least this content. */
const expectBody =
  (expectedStatus: number, expected: object, more?: (body: unknown) => string | undefined): Check =>
  ({ status, text }) => {
    if (status !== expectedStatus) return `the status is ${status}, not ${expectedStatus}`;
    try {
      const body: unknown = JSON.parse(text);
      return differenceIn(body, expected, '') ?? more?.(body);
    } catch (error) {
      return `the body cannot be read (${String(error)})`;
    }
  };

/** Expects a user with these attributes. */
export const expectUser = (status: number, expected: UserBody): Check =>
  expectBody(status, expected);

/** Expects the created user, with an id. */
export const expectNewUser = (userName: string): Check =>
  expectBody(201, { userName, active: true, emails: [{ value: userName.toLowerCase() }], id: /./ });

interface ExpectedList {
  readonly total: number;
  readonly startIndex?: number;
  readonly users: readonly UserBody[];
}

/** Expects a list of exactly these users, in this order. */
export const expectUsers = ({ total, startIndex, users }: ExpectedList): Check =>
  expectBody(200, {
    totalResults: total,
    ...(startIndex !== undefined && { startIndex }),
    Resources: users,
  });

/** Expects a 204 without a body. */
export const expectNoContent: Check = ({ status, text }) => {
  if (status !== 204) return `the status is ${status}, not 204`;
  return text === '' ? undefined : 'a 204 has a body';
};

/** Expects the created group, with an id. */
export const expectNewGroup = (displayName: string): Check =>
  expectBody(201, { displayName, id: /./ });

interface ExpectedGroup {
  readonly id: string;
  readonly displayName: string;
  readonly memberIds: readonly string[];
}

/** Expects this group with exactly these members, in any order. */
export const expectGroup = ({ id, displayName, memberIds }: ExpectedGroup): Check =>
  expectBody(200, { id, displayName }, (body) => {
    const { members = [] } = body as { readonly members?: readonly { readonly value: string }[] };
    const missing = new Set(memberIds);
    const unexpected = members.filter(({ value }) => !missing.delete(value)).length;
    return missing.size === 0 && unexpected === 0
      ? undefined
      : `${missing.size} members are missing, ${unexpected} are unexpected`;
  });

/** Expects a 201 with a location of its own for each of the creates, in order. */
export const expectNewUsers = (creates: number): Check => {
  const Operations = Array.from({ length: creates }, (_, index) => {
    return { bulkId: bulkIdOf(index + 1), status: '201', location: /\/Users\/[^/]+$/ };
  });
  return expectBody(200, { Operations }, (body) => {
    const { Operations: created } = body as { Operations: { location: string }[] };
    const locations = new Set(created.map(({ location }) => location)).size;
    return locations === creates ? undefined : `there are ${locations} locations, not ${creates}`;
  });
};

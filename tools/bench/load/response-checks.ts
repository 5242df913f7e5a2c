import type { LoadResponse } from './connection.js';
import { bulkIdOf } from './scim-bodies.js';

/** The checked attributes of a user; others are ignored. */
interface UserBody {
  readonly id?: unknown;
  readonly userName?: unknown;
  readonly active?: unknown;
  readonly emails?: readonly { readonly value?: unknown }[];
}

export interface UserListBody {
  readonly totalResults?: unknown;
  readonly startIndex?: unknown;
  readonly Resources?: readonly UserBody[];
}

interface ExpectedList {
  readonly total: number;
  readonly startIndex?: number;
  readonly users: readonly UserBody[];
}

/** Describes a value that is not the expected one. */
const mismatch = (name: string, actual: unknown, expected: unknown): string | undefined =>
  actual === expected
    ? undefined
    : `${name} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;

const firstProblem = (...problems: readonly (string | undefined)[]): string | undefined =>
  problems.find((problem) => problem !== undefined);

/** Checks the status, then the body. */
const checkBody = (
  { status, text }: LoadResponse,
  expectedStatus: number,
  check: (body: unknown) => string | undefined,
): string | undefined => {
  if (status !== expectedStatus) return `the status is ${status}, not ${expectedStatus}`;
  try {
    return check(JSON.parse(text));
  } catch (error) {
    return `the body cannot be read (${String(error)})`;
  }
};

/** Expects a user with these attributes. */
export const expectUser =
  (status: number, expected: UserBody) =>
  (response: LoadResponse): string | undefined =>
    checkBody(response, status, (body) => userProblem(body as UserBody, expected));

/** Expects the created user, with an id. */
export const expectNewUser =
  (userName: string) =>
  (response: LoadResponse): string | undefined =>
    checkBody(response, 201, (body) => newUserProblem(body as UserBody, userName));

/** Expects a list of exactly these users, in this order. */
export const expectUsers =
  (expected: ExpectedList) =>
  (response: LoadResponse): string | undefined =>
    checkBody(response, 200, (body) => listProblem(body as UserListBody, expected));

const userProblem = (actual: UserBody | undefined, expected: UserBody): string | undefined =>
  firstProblem(
    ...Object.entries(expected).map(([name, value]) =>
      mismatch(name, actual?.[name as keyof UserBody], value),
    ),
  );

const newUserProblem = (actual: UserBody, userName: string): string | undefined =>
  firstProblem(
    userProblem(actual, { userName, active: true }),
    mismatch('emails[0].value', actual.emails?.[0]?.value, userName.toLowerCase()),
    typeof actual.id === 'string' ? undefined : 'the id is missing',
  );

const listProblem = (
  actual: UserListBody,
  { total, startIndex, users }: ExpectedList,
): string | undefined =>
  firstProblem(
    mismatch('totalResults', actual.totalResults, total),
    startIndex === undefined ? undefined : mismatch('startIndex', actual.startIndex, startIndex),
    mismatch('the number of Resources', actual.Resources?.length, users.length),
    ...users.map((user, index) => userProblem(actual.Resources?.[index], user)),
  );

/** The checked attributes of a group. */
interface GroupBody {
  readonly id?: unknown;
  readonly displayName?: unknown;
  readonly members?: readonly { readonly value?: unknown }[];
}

interface ExpectedGroup {
  readonly id: string;
  readonly displayName: string;
  /** Undefined if the response must not contain members. */
  readonly memberIds?: readonly string[];
}

/** Expects a 204 without a body. */
export const expectNoContent = ({ status, text }: LoadResponse): string | undefined =>
  firstProblem(mismatch('the status', status, 204), text === '' ? undefined : 'a 204 has a body');

/** Expects the created group, with an id. */
export const expectNewGroup =
  (displayName: string) =>
  (response: LoadResponse): string | undefined =>
    checkBody(response, 201, (body) => {
      const { id, displayName: actual } = body as GroupBody;
      return firstProblem(
        mismatch('displayName', actual, displayName),
        typeof id === 'string' ? undefined : 'the id is missing',
      );
    });

/** Expects this group with exactly these members. */
export const expectGroup =
  (expected: ExpectedGroup) =>
  (response: LoadResponse): string | undefined =>
    checkBody(response, 200, (body) => groupProblem(body as GroupBody, expected));

/** Expects a list of exactly these groups. */
export const expectGroups =
  (expected: readonly ExpectedGroup[]) =>
  (response: LoadResponse): string | undefined =>
    checkBody(response, 200, (body) => {
      const { totalResults, Resources = [] } = body as GroupListBody;
      return firstProblem(
        mismatch('totalResults', totalResults, expected.length),
        mismatch('the number of Resources', Resources.length, expected.length),
        ...expected.map((group, index) => groupProblem(Resources[index] ?? {}, group)),
      );
    });

interface GroupListBody {
  readonly totalResults?: unknown;
  readonly Resources?: readonly GroupBody[];
}

const groupProblem = (
  { id, displayName, members }: GroupBody,
  { memberIds, ...expected }: ExpectedGroup,
): string | undefined =>
  firstProblem(
    mismatch('id', id, expected.id),
    mismatch('displayName', displayName, expected.displayName),
    memberIds ? memberProblem(members ?? [], memberIds) : mismatch('members', members, undefined),
  );

const memberProblem = (
  actual: NonNullable<GroupBody['members']>,
  expected: readonly string[],
): string | undefined => {
  const missing = new Set(expected);
  const unexpected = actual.filter(({ value }) => !missing.delete(String(value)));
  return firstProblem(
    mismatch('the number of members', actual.length, expected.length),
    mismatch('the number of unexpected members', unexpected.length, 0),
  );
};

interface OperationBody {
  readonly bulkId?: unknown;
  readonly status?: unknown;
  readonly location?: unknown;
}

/** Expects a 201 with a location for each of the creates, in order. */
export const expectNewUsers =
  (creates: number) =>
  (response: LoadResponse): string | undefined =>
    checkBody(response, 200, (body) => {
      const { Operations = [] } = body as { readonly Operations?: readonly OperationBody[] };
      const locations = new Set(Operations.map(({ location }) => location));
      return firstProblem(
        mismatch('the number of Operations', Operations.length, creates),
        ...Operations.map(operationProblem),
        mismatch('the number of locations', locations.size, creates),
      );
    });

const operationProblem = (
  { bulkId, status, location }: OperationBody,
  index: number,
): string | undefined =>
  firstProblem(
    mismatch(`bulkId of operation ${index + 1}`, bulkId, bulkIdOf(index + 1)),
    mismatch(`status of operation ${index + 1}`, status, '201'),
    /\/Users\/[^/]+$/.test(String(location)) ? undefined : `operation ${index + 1} has no location`,
  );

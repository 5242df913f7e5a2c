import type { LoadResponse } from './connection.js';

/** The checked attributes of a user; others are ignored. */
export interface UserBody {
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
export const mismatch = (name: string, actual: unknown, expected: unknown): string | undefined =>
  actual === expected
    ? undefined
    : `${name} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;

export const firstProblem = (...problems: readonly (string | undefined)[]): string | undefined =>
  problems.find((problem) => problem !== undefined);

/** Checks the status, then the body. */
export const checkBody = (
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

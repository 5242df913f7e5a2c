import type { Answer } from './connection.js';

/** What the answers hold that are looked at; everything else may be there or not. */
export interface SeenUser {
  readonly id?: unknown;
  readonly userName?: unknown;
  readonly active?: unknown;
  readonly emails?: readonly { readonly value?: unknown }[];
}
export interface SeenList {
  readonly totalResults?: unknown;
  readonly startIndex?: unknown;
  readonly Resources?: readonly SeenUser[];
}

export interface ExpectedList {
  readonly total: number;
  readonly startIndex?: number;
  readonly users: readonly SeenUser[];
}

/** A value that ought to be another, in words. */
export const differs = (name: string, seen: unknown, expected: unknown): string | undefined =>
  seen === expected
    ? undefined
    : `${name} is ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`;

/** The first fault of several. */
export const first = (...faults: readonly (string | undefined)[]): string | undefined =>
  faults.find((fault) => fault !== undefined);

/** Looks at the body of an answer that has the wanted status. */
export const inBody = (
  { status, text }: Answer,
  wanted: number,
  look: (body: unknown) => string | undefined,
): string | undefined => {
  if (status !== wanted) return `the status is ${status}, not ${wanted}`;
  try {
    return look(JSON.parse(text));
  } catch (error) {
    return `the body cannot be read (${String(error)})`;
  }
};

/** The answer is this one user. */
export const givesUser =
  (status: number, expected: SeenUser) =>
  (answer: Answer): string | undefined =>
    inBody(answer, status, (body) => userFault(body as SeenUser, expected));

/** The answer is the new user that was sent, with an id. */
export const givesNewUser =
  (userName: string) =>
  (answer: Answer): string | undefined =>
    inBody(answer, 201, (body) => newUserFault(body as SeenUser, userName));

/** The answer is exactly these users, in this order. */
export const givesList =
  (expected: ExpectedList) =>
  (answer: Answer): string | undefined =>
    inBody(answer, 200, (body) => listFault(body as SeenList, expected));

const userFault = (seen: SeenUser | undefined, expected: SeenUser): string | undefined =>
  first(
    ...Object.entries(expected).map(([name, value]) =>
      differs(name, seen?.[name as keyof SeenUser], value),
    ),
  );

const newUserFault = (seen: SeenUser, userName: string): string | undefined =>
  first(
    userFault(seen, { userName, active: true }),
    differs('emails[0].value', seen.emails?.[0]?.value, userName.toLowerCase()),
    typeof seen.id === 'string' ? undefined : 'the id is missing',
  );

const listFault = (
  seen: SeenList,
  { total, startIndex, users }: ExpectedList,
): string | undefined =>
  first(
    differs('totalResults', seen.totalResults, total),
    startIndex === undefined ? undefined : differs('startIndex', seen.startIndex, startIndex),
    differs('the number of Resources', seen.Resources?.length, users.length),
    ...users.map((user, index) => userFault(seen.Resources?.[index], user)),
  );

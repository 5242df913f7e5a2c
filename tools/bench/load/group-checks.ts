import type { LoadResponse } from './connection.js';
import { checkBody, firstProblem, mismatch } from './response-checks.js';

/** The checked attributes of a group. */
export interface GroupBody {
  readonly id?: unknown;
  readonly displayName?: unknown;
  readonly members?: readonly { readonly value?: unknown }[];
}

export interface ExpectedGroup {
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

import type { Answer } from './connection.js';
import { differs, first, inBody } from './answer-faults.js';

/** What the answers hold of a group that is looked at. */
export interface SeenGroup {
  readonly id?: unknown;
  readonly displayName?: unknown;
  readonly members?: readonly { readonly value?: unknown }[];
}

export interface ExpectedGroup {
  readonly id: string;
  readonly displayName: string;
  /** Left out where members were not asked for. */
  readonly memberIds?: readonly string[];
}

/** Done, and nothing to say (decisions.md 3). */
export const givesNothing = ({ status, text }: Answer): string | undefined =>
  first(
    differs('the status', status, 204),
    text === '' ? undefined : 'there is a body in an answer 204',
  );

/** The answer is the new group that was sent, with an id. */
export const givesNewGroup =
  (displayName: string) =>
  (answer: Answer): string | undefined =>
    inBody(answer, 201, (body) => {
      const { id, displayName: seen } = body as SeenGroup;
      return first(
        differs('displayName', seen, displayName),
        typeof id === 'string' ? undefined : 'the id is missing',
      );
    });

/** The answer is this group with exactly these members, or without any. */
export const givesGroup =
  (expected: ExpectedGroup) =>
  (answer: Answer): string | undefined =>
    inBody(answer, 200, (body) => groupFault(body as SeenGroup, expected));

/** The answer is the list of exactly these groups. */
export const givesGroupList =
  (expected: readonly ExpectedGroup[]) =>
  (answer: Answer): string | undefined =>
    inBody(answer, 200, (body) => {
      const { totalResults, Resources = [] } = body as SeenGroupList;
      return first(
        differs('totalResults', totalResults, expected.length),
        differs('the number of Resources', Resources.length, expected.length),
        ...expected.map((group, index) => groupFault(Resources[index] ?? {}, group)),
      );
    });

interface SeenGroupList {
  readonly totalResults?: unknown;
  readonly Resources?: readonly SeenGroup[];
}

const groupFault = (
  { id, displayName, members }: SeenGroup,
  { memberIds, ...expected }: ExpectedGroup,
): string | undefined =>
  first(
    differs('id', id, expected.id),
    differs('displayName', displayName, expected.displayName),
    memberIds ? memberFault(members ?? [], memberIds) : differs('members', members, undefined),
  );

const memberFault = (
  seen: NonNullable<SeenGroup['members']>,
  expected: readonly string[],
): string | undefined => {
  const missing = new Set(expected);
  const strangers = seen.filter(({ value }) => !missing.delete(String(value)));
  return first(
    differs('the number of members', seen.length, expected.length),
    differs('the number of strangers among the members', strangers.length, 0),
  );
};

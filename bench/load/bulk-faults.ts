import type { Answer } from './connection.js';
import { differs, first, inBody } from './answer-faults.js';
import { bulkIdOf } from './scim-bulk.js';

interface SeenOutcome {
  readonly bulkId?: unknown;
  readonly status?: unknown;
  readonly location?: unknown;
}

/** The answer says of each of so many creates, in their order, that it was done and where. */
export const givesNewUsers =
  (creates: number) =>
  (answer: Answer): string | undefined =>
    inBody(answer, 200, (body) => {
      const { Operations = [] } = body as { readonly Operations?: readonly SeenOutcome[] };
      const places = new Set(Operations.map(({ location }) => location));
      return first(
        differs('the number of Operations', Operations.length, creates),
        ...Operations.map(outcomeFault),
        differs('the number of locations', places.size, creates),
      );
    });

const outcomeFault = (
  { bulkId, status, location }: SeenOutcome,
  index: number,
): string | undefined =>
  first(
    differs(`bulkId of operation ${index + 1}`, bulkId, bulkIdOf(index + 1)),
    differs(`status of operation ${index + 1}`, status, '201'),
    /\/Users\/[^/]+$/.test(String(location)) ? undefined : `operation ${index + 1} has no location`,
  );

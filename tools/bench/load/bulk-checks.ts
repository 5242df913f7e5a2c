import type { LoadResponse } from './connection.js';
import { checkBody, firstProblem, mismatch } from './response-checks.js';
import { bulkIdOf } from './scim-bulk.js';

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

import type { IncomingHttpHeaders } from 'node:http';
import { presentPreview } from '../../api/present-preview.js';
import type { Rehearsal } from '../../api/rehearsal.js';
import type { Route, RouteAnswer } from '../../api/route.js';
import { kindOf, raise, type Refusal, RefusalError } from '../../domain/refusals.js';
import { errorBodyOf, statusOf } from '../errors.js';
import { DRY_RUN, prefersDryRun } from '../prefer-dry-run.js';
import { invalidRequest } from './explain-issues.js';
import type { Query } from './read-query.js';

/** The query parameter that asks for a dry run. */
export const DRY_RUN_PARAMETER = 'dry_run';

/** What `dry_run` says in a query. Throws RefusalError INVALID_REQUEST where that is unclear. */
export const readDryRunFlag = (text: string | undefined): boolean => {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw invalidRequest('query', [{ path: DRY_RUN_PARAMETER, message: 'must be true or false' }]);
};

/**
 * Whether the request is only to be tried out. A preference that is not known may be overlooked by
 * RFC 7240, but not this one: who asks for a dry run must not find the thing done.
 */
export const asksDryRun = (
  { command, method }: Pick<Route, 'command' | 'method'>,
  headers: IncomingHttpHeaders,
  query: Query,
): boolean => {
  if (command !== undefined)
    return prefersDryRun(headers) || readDryRunFlag(query[DRY_RUN_PARAMETER]);
  if (method === 'GET' || !prefersDryRun(headers)) return false;
  return raise('INVALID_REQUEST', 'This operation does not support dry runs.', {
    details: [{ path: 'Prefer', message: 'dry-run is not supported by this operation' }],
  });
};

interface Attempt {
  readonly rehearsal: Rehearsal;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
}

/** What says nothing of the request: that there is no telling now, or that its tenant is gone. */
const isOutside = (refusal: Refusal): boolean =>
  ['busy', 'broken', 'unauthenticated'].includes(kindOf(refusal));

const untoldBy = async (
  handle: () => Promise<RouteAnswer>,
  { rehearsal, requestId }: Attempt,
): Promise<Pick<RouteAnswer, 'status' | 'body'>> => {
  try {
    const answer = await handle();
    if (!rehearsal.seen())
      throw new Error('A dry run submitted no command; its route declares one.');
    return answer;
  } catch (error) {
    if (!(error instanceof RefusalError) || isOutside(error.refusal)) throw error;
    const { refusal } = error;
    return { status: statusOf(refusal), body: errorBodyOf(refusal, requestId) };
  }
};

/** Runs a handler over the rehearsal, and answers with what its answer would have been. */
export const answerDryRun = async (
  handle: () => Promise<RouteAnswer>,
  attempt: Attempt,
): Promise<RouteAnswer> => {
  const untold = await untoldBy(handle, attempt);
  return {
    status: 200,
    body: presentPreview(untold, attempt.rehearsal.seen()),
    ...(prefersDryRun(attempt.headers) && { headers: { 'Preference-Applied': DRY_RUN } }),
  };
};

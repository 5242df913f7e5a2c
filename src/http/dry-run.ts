import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type DryRunBody, presentPreview } from '../api/present-preview.js';
import { httpStatusOf } from '../api/refusal-status.js';
import { createDryRun } from '../api/dry-run.js';
import { kindOf, type Refusal, RefusalError } from '../domain/kernel/refusals.js';
import type { PreviewCommand } from '../pipeline/preview.js';
import type { Submit } from '../pipeline/submit.js';
import { hideDeletedTenant } from './hide-deleted-tenant.js';
import { contextOf } from './request-context.js';
import type { ErrorContext, ResponseFormat } from './response-format.js';
import { refuseParameter } from './routing/read-query.js';
import type { HttpResponse } from './send-response.js';

/** The query parameter that requests a dry run. */
export const DRY_RUN_PARAMETER = 'dry_run';
/** The preference that requests one (RFC 7240, 2). */
const DRY_RUN = 'dry-run';

/** The name of a preference, without its value and parameters. */
const nameOf = (preference: string): string =>
  (preference.split(/[;=]/, 1)[0] ?? '').trim().toLowerCase();

/** Whether the request has `Prefer: dry-run`, alone or among other preferences. */
export const prefersDryRun = ({ prefer }: IncomingHttpHeaders): boolean =>
  [prefer ?? []].flat().some((header) => header.split(',').map(nameOf).includes(DRY_RUN));

/** Whether the request asks for a dry run, given the value of the query parameter. */
export const requestsDryRun = (
  headers: IncomingHttpHeaders,
  parameter: string | undefined,
): boolean => {
  if (parameter !== undefined && parameter !== 'true' && parameter !== 'false')
    refuseParameter(DRY_RUN_PARAMETER, 'must be true or false');
  return parameter === 'true' || prefersDryRun(headers);
};

/** Refusals that do not depend on the request: the dry run itself fails with them. */
const isFailure = (refusal: Refusal): boolean =>
  ['busy', 'broken', 'unauthenticated'].includes(kindOf(refusal));

type WouldBe = Pick<HttpResponse, 'status' | 'body'>;

const refusedResponse = (
  error: unknown,
  context: ErrorContext,
  format: ResponseFormat,
): WouldBe => {
  if (!(error instanceof RefusalError) || isFailure(error.refusal)) throw error;
  const { refusal } = error;
  return { status: httpStatusOf(refusal), body: format.errorBodyOf(refusal, context) };
};

/** Previews an operation; `handle` submits its command. */
export const previewOperation = async (
  previewCommand: PreviewCommand,
  context: ErrorContext,
  format: ResponseFormat,
  handle: (submit: Submit) => Promise<WouldBe>,
): Promise<DryRunBody> => {
  const dryRun = createDryRun(previewCommand);
  const wouldBe = await handle(dryRun.submit).then(
    (response) => {
      if (!dryRun.preview())
        throw new Error('The operation declares a command, but submitted none.');
      return response;
    },
    (error: unknown) => refusedResponse(error, context, format),
  );
  return presentPreview(wouldBe, dryRun.preview());
};

/** Runs an operation without applying its command; the response shows what it would have returned. */
export const dryRunResponse = async (
  previewCommand: PreviewCommand,
  request: IncomingMessage,
  format: ResponseFormat,
  handle: (submit: Submit) => Promise<HttpResponse>,
): Promise<HttpResponse> => {
  const context = contextOf(request);
  const hide = (error: unknown): never => {
    throw error instanceof RefusalError
      ? new RefusalError(hideDeletedTenant(error.refusal, context))
      : error;
  };
  const body = await previewOperation(previewCommand, context, format, (submit) =>
    handle(submit).catch(hide),
  );
  return {
    status: 200,
    body,
    ...(prefersDryRun(request.headers) && { headers: { 'Preference-Applied': DRY_RUN } }),
  };
};

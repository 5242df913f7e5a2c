import { z } from 'zod';
import type { Preview, PreviewCommand } from '../pipeline/preview.js';
import { idField, textLike } from '../routes/fields.js';
import { toWire } from '../routes/wire.js';
import type { Submit } from '../pipeline/submit.js';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { httpStatusOf } from '../routes/responses.js';
import { kindOf, type Refusal, RefusalError } from '../domain/kernel/refusals.js';
import { hideDeletedTenant, type ErrorContext, type ResponseFormat } from './errors.js';
import { contextOf } from './request-context.js';
import { refuseParameter } from './routing/read-query.js';
import type { HttpResponse } from './send-response.js';

const role = textLike('member');

/** The response to a dry run. */
export const DryRunView = z
  .strictObject({
    dry_run: z.literal(true),
    status: z
      .int()
      .describe(
        'Status of the real response; it is 202 instead if the remaining work takes longer than ' +
          'a response waits.',
      ),
    body: z
      .unknown()
      .describe(
        'Body of the real response, which may be an error; null without a body. Generated ids, keys and secrets are placeholders.',
      ),
    events: z
      .array(z.strictObject({ event: z.string(), data: z.looseObject({}) }))
      .describe('The first 100 events, in order.'),
    event_count: z
      .int()
      .min(0)
      .describe('Number of events of the first commit; the remaining work adds more.'),
    role_changes: z
      .array(z.strictObject({ user_id: idField("The user's id."), from: role, to: role }))
      .describe('The first 100 users whose role would change in the first commit.'),
    role_change_count: z
      .int()
      .min(0)
      .describe('Number of users whose role would change in the first commit.'),
    role_change_summary: z
      .array(z.strictObject({ from: role, to: role, count: z.int().min(1) }))
      .describe('All of them by role before and after, the most frequent first.'),
    seats: z
      .strictObject({
        capacity: z.int().min(0).nullable().describe('Null: unlimited.'),
        before: z.int().min(0).describe('Seats taken now.'),
        after: z.int().min(0).describe('Seats taken afterwards.'),
      })
      .describe('Zeros if the request was refused before the tenant was read.'),
    remaining: z.int().min(0).describe('Members that a job would process after the response.'),
    skipped_members: z
      .array(z.string())
      .optional()
      .describe(
        'Ids of unknown members that would be left out (tenant setting scim.unknown_members): the first 100. Absent: none.',
      ),
    skipped_member_count: z.int().min(1).optional().describe('Number of these members.'),
  })
  .meta({ id: 'DryRun' });

export type DryRunBody = z.output<typeof DryRunView>;

/** The response that the request would get. */
type WouldBe = Pick<HttpResponse, 'status' | 'body'>;

type Effects = Omit<Preview, 'outcome'>;

/** For a request that submits no command, because a resource in it does not exist. */
const NO_EFFECTS: Effects = {
  events: [],
  eventCount: 0,
  roleChanges: [],
  roleChangeCount: 0,
  roleChangeSummary: [],
  seats: { capacity: null, before: 0, after: 0 },
  remaining: 0,
};

const presentPreview = ({ status, body = null }: WouldBe, effects: Effects = NO_EFFECTS) =>
  toWire(DryRunView, {
    ...effects,
    dryRun: true,
    status,
    body,
    events: effects.events.map(({ name, data }) => ({ event: name, data: { ...data } })),
    ...(effects.skipped && {
      skippedMembers: effects.skipped.ids,
      skippedMemberCount: effects.skipped.count,
    }),
  });

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

/** Refusals that do not depend on what is requested: the dry run itself fails with them. */
export const isFailure = (refusal: Refusal): boolean =>
  ['busy', 'broken', 'unauthenticated'].includes(kindOf(refusal));

const refusedResponse = (
  error: unknown,
  context: ErrorContext,
  format: ResponseFormat,
): WouldBe => {
  if (!(error instanceof RefusalError) || isFailure(error.refusal)) throw error;
  const { refusal } = error;
  return { status: httpStatusOf(refusal), body: format.errorBodyOf(refusal, context) };
};

/**
 * Previews an operation; `handle` submits its command, and one only: a second one would depend on the
 * first, which is not carried out.
 */
export const previewOperation = async (
  previewCommand: PreviewCommand,
  context: ErrorContext,
  format: ResponseFormat,
  handle: (submit: Submit) => Promise<WouldBe>,
): Promise<DryRunBody> => {
  let preview: Preview | undefined;
  const submit: Submit = async (submission) => {
    if (preview) throw new Error('A dry run accepts only one command.');
    const previewed = await previewCommand(submission);
    preview = previewed;
    return previewed.outcome;
  };
  const wouldBe = await handle(submit).then(
    (response) => {
      if (!preview) throw new Error('The operation declares a command, but submitted none.');
      return response;
    },
    (error: unknown) => refusedResponse(error, context, format),
  );
  return presentPreview(wouldBe, preview);
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

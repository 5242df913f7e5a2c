import { z } from 'zod';
import type { CapturedRequest, CapturedSummary } from '../../ports/command-log.js';
import { idField, instantField, PAGE_FIELDS, timeField } from '../../routes/fields.js';
import { DryRunView } from '../dry-run.js';
import { tenantRoute, type Route, runCommand } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import { maskJson } from '../../process/mask-json.js';
import { readLogCursor, writeLogCursor } from './log-cursor.js';
import type { RouteParts } from './route-parts.js';

const MAX_MS = 24 * 3_600_000;
/** `until` of a response that is sent back must not be refused. */
const TOLERANCE_MS = 60_000;

const tag = 'Captured requests';
const requestParams = z.object({ id: idField("The captured request's id.") });

const CaptureView = z
  .strictObject({
    enabled: z.boolean(),
    until: instantField('When it ends by itself; null if it is off.').nullable(),
  })
  .meta({ id: 'RequestCapture' });

const CaptureChange = z
  .strictObject({
    enabled: z.boolean(),
    until: timeField()
      .nullable()
      .optional()
      .describe('When it ends: at most 24 hours from now, which is the default.'),
  })
  .meta({ id: 'RequestCaptureChange', examples: [{ enabled: true }] });

const summaryFields = {
  id: idField("The captured request's id."),
  at: instantField('When it was received.'),
  method: z.string(),
  path: z.string().describe('With the query; secrets and phone numbers are masked.'),
  status: z.int().describe('Of the response; 499 if the client disconnected before there was one.'),
  key_id: idField('The API key it was sent with.'),
  user_agent: z.string().nullable(),
  duration_ms: z.int().min(0),
  request_id: z.string().describe('Also in the provisioning log.'),
  bytes: z.int().min(0).describe("Length of the request's body."),
};

const Summary = z.strictObject(summaryFields);

const MessageView = z.strictObject({
  headers: z
    .record(z.string(), z.string())
    .describe('By lower-case name; values that may be secrets are masked.'),
  body: z
    .string()
    .nullable()
    .describe(
      'Without secrets and phone numbers. Null: there was none, it was not read, or it is no JSON ' +
        'and may contain a secret.',
    ),
  is_cut: z.boolean().describe('The body was longer than 64 KiB; this is its start.'),
});

const FullView = z
  .strictObject({
    ...summaryFields,
    request: MessageView,
    response: MessageView,
    obstacle: z.string().nullable().describe('Why it cannot be replayed; null if it may be.'),
  })
  .meta({ id: 'CapturedRequest' });

const List = z
  .strictObject({
    requests: z.array(Summary),
    next: z.string().nullable().describe('`cursor` of the next page; null on the last page.'),
  })
  .meta({ id: 'CapturedRequestList' });

const presentCapture = (tenant: Tenant, now: Date): z.output<typeof CaptureView> => {
  const { captureUntil } = tenant;
  const isOn = captureUntil !== null && captureUntil > now;
  return { enabled: isOn, until: isOn ? captureUntil.toISOString() : null };
};

const presentSummary = (summary: CapturedSummary) => toWire(Summary, summary);

const endOf = (until: string | null | undefined, now: Date): Date => {
  const latest = new Date(now.getTime() + MAX_MS);
  if (until === undefined || until === null) return latest;
  const end = new Date(until);
  if (end > now && end.getTime() <= latest.getTime() + TOLERANCE_MS) return end;
  const message = 'must be within the next 24 hours';
  return raise('INVALID_REQUEST', `The body is not valid: until ${message}.`, {
    details: [{ path: 'until', message }],
  });
};

const masked = async (value: unknown): Promise<unknown> =>
  (await runCooperatively(maskJson(value as JsonValue, false))).value;

const findRequest = async (
  { capturedRequests }: RouteParts,
  tenantId: TenantId,
  id: string,
): Promise<CapturedRequest> =>
  (await capturedRequests.find(tenantId, id.toLowerCase())) ?? raise('REQUEST_NOT_FOUND');

const getRequestCapture = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/request-capture',
    operationId: 'getRequestCapture',
    tag,
    summary: 'Get whether SCIM requests are captured',
    responses: { 200: { description: 'Whether they are.', body: CaptureView } },
    handler: ({ caller: { tenant } }) =>
      Promise.resolve({ status: 200, body: presentCapture(tenant, parts.now()) }),
  });

const setRequestCapture = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'PUT',
    path: '/request-capture',
    operationId: 'setRequestCapture',
    audit: 'switched the capture of requests',
    role: 'operator',
    tag,
    summary: 'Start or stop to capture SCIM requests',
    command: 'tenant.update',
    description:
      'All gateways follow within a second. It ends by itself after at most 24 hours. Requests that ' +
      'were captured are kept for 24 hours, also after it has ended.',
    body: CaptureChange,
    responses: { 200: { description: 'Whether they are captured.', body: CaptureView } },
    handler: async (request) => {
      const { enabled, until } = request.body;
      const { id } = request.caller.tenant;
      const tenant = await runCommand(request, id, {
        type: 'tenant.update',
        captureUntil: enabled ? endOf(until, parts.now()) : null,
      });
      parts.keys.invalidateTenant(id);
      const about = enabled ? 'on' : 'off';
      return { status: 200, body: presentCapture(tenant, parts.now()), about };
    },
  });

const listCapturedRequests = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/requests',
    operationId: 'listCapturedRequests',
    tag,
    summary: 'List the captured SCIM requests of a tenant',
    description:
      'Newest first. Requests appear within a second, and are kept for 24 hours: the newest 1,000 of ' +
      'a tenant, and of these 50 MB.',
    query: z.strictObject({
      limit: PAGE_FIELDS.limit,
      cursor: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .describe('`next` of the previous page; omit it for the first page.'),
    }),
    responses: { 200: { description: 'A page of requests.', body: List } },
    handler: async ({ caller: { tenant }, query: { limit, cursor } }) => {
      const { requests, next } = await parts.capturedRequests.page(tenant.id, {
        limit,
        ...(cursor !== undefined && { after: readLogCursor(cursor) }),
      });
      return {
        status: 200,
        body: {
          requests: requests.map(presentSummary),
          next: next ? writeLogCursor(next) : null,
        },
      };
    },
  });

const getCapturedRequest = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/requests/{id}',
    operationId: 'getCapturedRequest',
    tag,
    summary: 'Get a captured SCIM request with its response',
    params: requestParams,
    responses: { 200: { description: 'The request.', body: FullView } },
    refusals: ['REQUEST_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id } }) => {
      const found = await findRequest(parts, tenant.id, id);
      return { status: 200, body: toWire(FullView, found) };
    },
  });

const replayCapturedRequest = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'POST',
    path: '/requests/{id}/replay',
    operationId: 'replayCapturedRequest',
    role: 'operator',
    tag,
    summary: 'Replay a captured SCIM request as a dry run',
    description:
      'Shows what the request would do now; changes nothing. It runs as the operator, without the ' +
      'scopes and limits of the API key. Only requests that change something can be replayed, and ' +
      'only if their body was kept completely and nothing was masked that decides what they do. ' +
      'Passwords and `phoneNumbers` do not.',
    params: requestParams,
    responses: { 200: { description: 'What it would do.', body: DryRunView } },
    refusals: ['REQUEST_NOT_FOUND', 'REQUEST_NOT_REPLAYABLE'],
    handler: async ({ caller: { tenant }, params: { id }, caller, requestId }) => {
      const found = await findRequest(parts, tenant.id, id);
      if (!parts.replay)
        return raise('REQUEST_NOT_REPLAYABLE', 'This gateway has no SCIM interface.');
      const preview = await parts.replay(found, { tenant, actor: caller.actor }, requestId);
      const [body, events] = [await masked(preview.body), await masked(preview.events)];
      return { status: 200, body: { ...preview, body, events } };
    },
  });

/** What identity providers sent and were answered (decision 0042). */
export const capturedRequestRoutes = (parts: RouteParts): readonly Route[] =>
  [
    getRequestCapture,
    setRequestCapture,
    listCapturedRequests,
    getCapturedRequest,
    replayCapturedRequest,
  ].map((declare) => declare(parts));

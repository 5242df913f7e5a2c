import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { GroupReader } from '../../api/groups.js';
import { type Rehearsal, rehearse } from '../../api/rehearsal.js';
import type { UserReader } from '../../api/users.js';
import type { Pieces } from '../../domain/in-pieces.js';
import type { JsonValue } from '../../domain/json.js';
import { raise } from '../../domain/refusals.js';
import type { PreviewCommand } from '../../pipeline/preview.js';
import type { Submit } from '../../pipeline/submit.js';
import type { SearchParameters } from '../../scim/list-query.js';
import { refusePath, refuseSyntax } from '../../scim/refuse-input.js';
import type { ScimRequest, Told } from '../../scim/scim-request.js';
import { screenBody } from '../../scim/screen.js';
import { etagOf, isHeldByClient, meetsIfMatch, readPrecondition } from '../conditional.js';
import { SCIM_RULES } from '../json/parse-json.js';
import { readJsonBody } from '../middleware/read-json.js';
import { prefersDryRun } from '../prefer-dry-run.js';
import { callerOf, contextOf } from '../request-context.js';
import { DRY_RUN_PARAMETER, readDryRunFlag } from '../routing/dry-run.js';
import { readQuery, refuseParameter } from '../routing/read-query.js';
import { type JobWaiting, submitAndWait } from '../wait-for-jobs.js';
import { type Endpoint, findEndpoint } from './endpoints.js';

/** Names the job that completes a large change, if it takes longer than the response waits. */
const JOB_HEADER = 'Rollgate-Job';

/** What the SCIM interface asks of the rest of the gateway. */
export interface ScimParts {
  readonly users: UserReader;
  readonly groups: GroupReader;
  readonly submit: Submit;
  readonly preview: PreviewCommand;
  readonly waiting: JobWaiting;
  /** The base URL by which clients reach the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Largest body where it may hold many operations or members, in bytes; elsewhere it is 1 MiB. */
  readonly bodyLimit: number;
}

/** A request that has passed the guards. */
interface Opened {
  readonly endpoint: Endpoint;
  readonly scim: ScimRequest;
  /** Present: the request is only tried out (`Prefer: dry-run`, `dry_run=true`). */
  readonly rehearsal?: Rehearsal;
  /** Whether the client holds already what is about to be answered. */
  isHeld: boolean;
}

const opened = new WeakMap<IncomingMessage, Opened>();

/** What `openRequest` found out; undefined where it refused the request. */
export const findOpened = (request: IncomingMessage): Opened | undefined => opened.get(request);

/** What `openRequest` found out; throws for a request that did not go through it. */
export const openedOf = (request: IncomingMessage): Opened => {
  const found = findOpened(request);
  if (!found) throw new Error('openRequest did not run before this step');
  return found;
};

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** The endpoint at the address, if it takes the method and the key may use it. */
const admit = (request: Request, response: Response): Endpoint => {
  const endpoint =
    findEndpoint(request.path) ?? raise('NOT_FOUND', 'No SCIM endpoint has this path.');
  contextOf(request).route = `/v1/{tenantSlug}/scim/v2${endpoint.route}`;
  const allow = [...endpoint.methods.keys()].join(', ');
  const scope = endpoint.methods.get(request.method);
  if (scope === undefined) {
    response.setHeader('Allow', allow);
    return raise('METHOD_NOT_ALLOWED', `Method not allowed. Allowed: ${allow}.`);
  }
  if (scope !== 'any key' && !callerOf(request).key.scopes.includes(scope)) {
    raise('INSUFFICIENT_SCOPE', `This operation requires the scope "${scope}".`, { scope });
  }
  return endpoint;
};

type Parameters = ReadonlyMap<string, string>;

/** Names of parameters have no case: Entra sends `startindex` (facts on identity providers, 11). */
const readParameters = ({ url }: Request): Parameters => {
  const parameters = new Map<string, string>();
  for (const [given, value] of Object.entries(readQuery(url))) {
    const name = given.toLowerCase();
    if (parameters.has(name)) refuseParameter(name, 'appears more than once');
    parameters.set(name, value);
  }
  return parameters;
};

/** What a SCIM library may be shown; refused is what it would take for a path (scimmy facts, S1). */
const screened = function* (body: JsonValue): Pieces<JsonValue> {
  const fault = yield* screenBody(body);
  if (fault?.where === 'path') refusePath(`A path in the body is not valid: ${fault.reason}.`);
  if (fault?.where === 'key') refuseSyntax(`A name in the body is not valid: ${fault.reason}.`);
  return body;
};

const MEBIBYTE = 1024 * 1024;

const readBody = (request: Request, { isLong }: Endpoint, longest: number): Promise<unknown> =>
  readJsonBody(request, {
    limit: isLong ? longest : Math.min(MEBIBYTE, longest),
    rules: SCIM_RULES,
    required: true,
    check: screened,
  });

const takesBody = ({ method }: Request): boolean =>
  method === 'POST' || method === 'PUT' || method === 'PATCH';

/**
 * Headers of a single resource, before it is sent. A client that holds this version needs no
 * answer, unless the version does not speak for all of it (decisions.md 3).
 */
const tellTo =
  (request: Request, response: Response) =>
  ({ version, isWhole, location }: Told): boolean => {
    if (isRead(request) && !meetsIfMatch(request.headers, version)) {
      raise(
        'PRECONDITION_FAILED',
        'The resource has changed since you read it. Read it again and retry.',
      );
    }
    const open = openedOf(request);
    if (open.rehearsal) return true;
    response.setHeader('ETag', etagOf(version));
    open.isHeld = isWhole && isRead(request) && isHeldByClient(request.headers, version);
    if (location !== undefined && !open.isHeld) response.setHeader('Location', location);
    return !open.isHeld;
  };

/** What can be tried out: whatever changes something. */
const isDryRun = (
  { method, headers }: Request,
  { methods }: Endpoint,
  parameters: Parameters,
): boolean =>
  methods.get(method) === 'scim:write' &&
  (prefersDryRun(headers) || readDryRunFlag(parameters.get(DRY_RUN_PARAMETER)));

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly parameters: SearchParameters;
  readonly rehearsal: Rehearsal | undefined;
}

/** SCIM statuses stay as they are, so an unfinished job is named in a header. */
const waitingSubmit = ({ submit, waiting }: ScimParts, response: Response): Submit => {
  const whole = submitAndWait(submit, waiting, response);
  return async (submission) => {
    const outcome = await whole.submit(submission);
    const { job } = whole.aftermath();
    if (job && !response.headersSent) response.setHeader(JOB_HEADER, job.id);
    return outcome;
  };
};

const scimRequestOf = (
  parts: ScimParts,
  { request, response, parameters, rehearsal }: Exchange,
): ScimRequest => {
  const caller = callerOf(request);
  const { requestId, bodyBytes: bytes } = contextOf(request);
  const ifMatch = readPrecondition(request.headers);
  return {
    caller,
    requestId,
    base: `${parts.publicUrl()}/v1/${caller.tenant.slug}/scim/v2`,
    parameters,
    ...(ifMatch !== undefined && { ifMatch }),
    users: parts.users,
    groups: parts.groups,
    submit: rehearsal?.submit ?? waitingSubmit(parts, response),
    ...(bytes !== undefined && { bytes }),
    isDryRun: rehearsal !== undefined,
    tell: tellTo(request, response),
  };
};

/**
 * The guards, in order (scimmy facts, 1): address and method, scope, query, body. So whoever may
 * not do a thing learns nothing of how it is done wrong, and no library sees what was not screened.
 */
export const openRequest =
  (parts: ScimParts): RequestHandler =>
  async (request, response, next) => {
    const endpoint = admit(request, response);
    const parameters = readParameters(request);
    const rehearsal = isDryRun(request, endpoint, parameters) ? rehearse(parts.preview) : undefined;
    if (takesBody(request) && endpoint.takesBody) {
      request.body = await readBody(request, endpoint, parts.bodyLimit);
    }
    const scim = scimRequestOf(parts, { request, response, parameters, rehearsal });
    opened.set(request, { endpoint, scim, isHeld: false, ...(rehearsal && { rehearsal }) });
    next();
  };

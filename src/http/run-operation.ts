import type { IncomingMessage } from 'node:http';
import { closeSignalOf, contextOf } from './request-context.js';
import type { IfMatch } from '../domain/kernel/refusals.js';
import type { JobProgress } from '../domain/job/job.js';
import type { AwaitJobs } from '../pipeline/jobs.js';
import type { NewOperatorLogEntry } from './access/sign-in-log.js';
import type { Submit } from '../pipeline/submit.js';
import type { Request, Response } from 'express';
import type { PreviewCommand } from '../pipeline/preview.js';
import { readPrecondition } from './conditional.js';
import { dryRunResponse } from './dry-run.js';
import type { ResponseFormat } from './errors.js';
import { type Query as GivenQuery, readQuery } from './routing/read-query.js';
import { type HttpResponse, sendResponse } from './send-response.js';

/** How an operation of any interface reads its request. Each function throws RefusalError. */
export interface RequestReader<Params, Query, Body> {
  /** What the caller must be allowed to do. */
  readonly checkAccess: (request: Request) => void;
  readonly readParams: (request: Request) => Params;
  readonly readQuery: (
    given: GivenQuery,
    request: Request,
  ) => { readonly query: Query; readonly isDryRun: boolean };
  readonly readBody: (request: Request) => Body | Promise<Body>;
}

/** A request that its caller may make, and that is valid. */
export interface ReadRequest<Params, Query, Body> {
  readonly requestId: string;
  /** Of the path. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly isDryRun: boolean;
  /** From If-Match or If-None-Match; absent: no precondition. */
  readonly ifMatch?: IfMatch;
}

/**
 * Reads a request. The order is part of the contract: access, path, query, body. So a client without
 * the scope learns nothing about what else is wrong, and no library gets input that was not checked
 * (scimmy facts, 1).
 */
export const readRequest = async <Params, Query, Body>(
  request: Request,
  reader: RequestReader<Params, Query, Body>,
): Promise<ReadRequest<Params, Query, Body>> => {
  reader.checkAccess(request);
  const params = reader.readParams(request);
  const { query, isDryRun } = reader.readQuery(readQuery(request.url), request);
  const body = await reader.readBody(request);
  const ifMatch = readPrecondition(request.headers);
  const { requestId } = contextOf(request);
  return { requestId, params, query, body, isDryRun, ...(ifMatch !== undefined && { ifMatch }) };
};

/**
 * The signal of a response: aborts when the client disconnects or the gateway drains. Created on
 * first use, since most responses do not need it, and then shared.
 */
const responseSignal = (
  request: IncomingMessage,
  drainSignal: AbortSignal,
): (() => AbortSignal) => {
  let signal: AbortSignal | undefined;
  const create = (): AbortSignal => {
    const closeSignal = closeSignalOf(request);
    const controller = new AbortController();
    const abort = (): void => {
      drainSignal.removeEventListener('abort', abort);
      controller.abort();
    };
    if (drainSignal.aborted || closeSignal.aborted) abort();
    else for (const each of [drainSignal, closeSignal]) each.addEventListener('abort', abort);
    return controller.signal;
  };
  return () => (signal ??= create());
};

/** How responses wait for the jobs that their commands start. */
export interface JobWaitOptions {
  readonly awaitJobs: AwaitJobs;
  /** Aborted when the gateway drains or stops; ends all waits. */
  readonly drainSignal: AbortSignal;
}

/** What the response reports about the command of its request. */
export interface CommandStatus {
  /** The first of its jobs that is not done; absent if all are. */
  readonly job?: JobProgress;
  /** The outcome of an earlier request with the same Idempotency-Key. */
  readonly isReplay?: boolean;
}

/**
 * Wraps `submit` so that it resolves when the jobs of the command are done, or after the maximum
 * wait, or when the signal aborts. It waits after the commit, so the tenant's other commands are not blocked (decisions.md 3).
 */
const submitAndWait = (
  submit: Submit,
  awaitJobs: AwaitJobs,
  signal: () => AbortSignal,
): { readonly submit: Submit; readonly status: () => CommandStatus } => {
  let status: CommandStatus = {};
  return {
    submit: async (submission) => {
      const outcome = await submit(submission);
      if (!outcome.ok) return outcome;
      if (outcome.isReplay) status = { isReplay: true };
      if (outcome.jobs) {
        const job = await awaitJobs(submission.tenantId, outcome.jobs, signal());
        if (job) status = { ...status, job };
      }
      return outcome;
    },
    status: () => status,
  };
};

/** How the HTTP edge reaches the pipeline: to apply a command, or to preview it. */
export interface PipelinePorts {
  readonly submit: Submit;
  readonly preview: PreviewCommand;
  readonly waiting: JobWaitOptions;
  /** The base URL by which clients reach the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Writes to the operators' log. */
  readonly recordOperation: (entry: NewOperatorLogEntry) => Promise<void>;
}

interface Operation {
  readonly isDryRun: boolean;
  readonly format: ResponseFormat;
  /**
   * Submits its command, if any, by the given `submit`. The signal aborts when the client disconnects
   * or the gateway drains.
   */
  readonly handle: (submit: Submit, signal: () => AbortSignal) => Promise<HttpResponse>;
  /** Adds what the response reports about the command; not in a dry run. */
  readonly finish: (
    response: HttpResponse,
    status: CommandStatus,
  ) => Promise<HttpResponse> | HttpResponse;
}

/** Runs an operation of any interface, or previews it in a dry run. */
const run = async (
  { submit, preview, waiting }: PipelinePorts,
  request: Request,
  { isDryRun, format, handle, finish }: Operation,
): Promise<HttpResponse> => {
  const signal = responseSignal(request, waiting.drainSignal);
  if (isDryRun) return dryRunResponse(preview, request, format, (dryRun) => handle(dryRun, signal));
  const { bodyBytes: bytes = 0, traceparent } = contextOf(request);
  const submission = submitAndWait(submit, waiting.awaitJobs, signal);
  const response = await handle(
    (given) => submission.submit({ bytes, traceparent, ...given }),
    signal,
  );
  return finish(response, submission.status());
};

/** Runs an operation on a request that was read, and sends its response. */
export const runOperation = async (
  ports: PipelinePorts,
  request: Request,
  response: Response,
  operation: Operation,
): Promise<void> =>
  sendResponse(response, operation.format.mediaType, await run(ports, request, operation));

import type { Request } from 'express';
import type { PreviewCommand } from '../pipeline/preview.js';
import type { Submit } from '../pipeline/submit.js';
import { dryRunResponse } from './dry-run.js';
import { contextOf } from './request-context.js';
import type { ResponseFormat } from './response-format.js';
import { responseSignal } from './response-signal.js';
import type { HttpResponse } from './send-response.js';
import { type CommandStatus, type JobWaitOptions, submitAndWait } from './submit-and-wait.js';

/** How the HTTP edge reaches the pipeline: to apply a command, or to preview it. */
export interface PipelinePorts {
  readonly submit: Submit;
  readonly preview: PreviewCommand;
  readonly waiting: JobWaitOptions;
  /** The base URL by which clients reach the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
}

interface Operation {
  readonly isDryRun: boolean;
  readonly format: ResponseFormat;
  /**
   * Submits its command, if any, by the given `submit`. The signal aborts when the client disconnects
   * or the gateway drains.
   */
  readonly handle: (submit: Submit, signal: () => AbortSignal) => Promise<HttpResponse>;
}

/** Runs an operation of any interface, or previews it in a dry run. */
export const runOperation = async (
  { submit, preview, waiting }: PipelinePorts,
  request: Request,
  { isDryRun, format, handle }: Operation,
): Promise<{ readonly result: HttpResponse; readonly status: CommandStatus }> => {
  const signal = responseSignal(request, waiting.drainSignal);
  if (isDryRun) {
    const run = (dryRun: Submit): Promise<HttpResponse> => handle(dryRun, signal);
    return { result: await dryRunResponse(preview, request, format, run), status: {} };
  }
  const { bodyBytes: bytes = 0, traceparent } = contextOf(request);
  const submission = submitAndWait(submit, waiting.awaitJobs, signal);
  const result = await handle(
    (given) => submission.submit({ bytes, traceparent, ...given }),
    signal,
  );
  return { result, status: submission.status() };
};

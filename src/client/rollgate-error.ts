import type { components } from './generated/openapi.js';

/** The codes of the API, and those of responses that are not the gateway's. */
export type RollgateErrorCode =
  | components['schemas']['Error']['error']
  /** No response: the address, the network or the time limit. `cause` has the reason. */
  | 'UNREACHABLE'
  /** The response has no body of this API, for example because a proxy sent it. */
  | 'UNEXPECTED_RESPONSE';

interface Failure {
  readonly code: RollgateErrorCode | (string & {});
  readonly message: string;
  readonly status?: number;
  readonly details?: readonly components['schemas']['ErrorDetail'][];
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The body, unchanged. */
  readonly text?: string;
  readonly cause?: unknown;
}

/** A request that did not succeed. */
export class RollgateError extends Error {
  override readonly name = 'RollgateError';
  /** Stable; programs should decide by it. Codes may be added. */
  readonly code: RollgateErrorCode | (string & {});
  /** 0 if there was no response. */
  readonly status: number;
  /** Each invalid part of the request. */
  readonly details: readonly components['schemas']['ErrorDetail'][];
  /** Include it when you report a problem. */
  readonly requestId: string | undefined;
  /** How long the gateway asks you to wait; already waited for if the client retries. */
  readonly retryAfterSeconds: number | undefined;
  readonly text: string;

  constructor({ code, message, status, details, requestId, ...more }: Failure) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined);
    this.code = code;
    this.status = status ?? 0;
    this.details = details ?? [];
    this.requestId = requestId;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.text = more.text ?? '';
  }
}

interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly details?: readonly components['schemas']['ErrorDetail'][];
  readonly request_id?: string;
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  'message' in body &&
  typeof body.message === 'string';

/** The error of a response that is not 2xx. */
export const errorIn = ({ status, headers }: Response, text: string): RollgateError => {
  const body = parseJson(text);
  const retryAfter = Number(headers.get('retry-after') ?? NaN);
  const about = {
    status,
    text,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  };
  if (!isErrorBody(body))
    return new RollgateError({
      ...about,
      code: 'UNEXPECTED_RESPONSE',
      message: `The server returned status ${status} without an error of this API.`,
    });
  const { error: code, message, details = [], request_id: requestId = about.requestId } = body;
  return new RollgateError({ ...about, code, message, details, requestId });
};

/** Undefined if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

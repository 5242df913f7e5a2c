import type { IncomingMessage } from 'node:http';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { raise } from '../../domain/kernel/refusals.js';
import { sendContinue } from '../expect-continue.js';
import { checkMediaType } from '../json/check-media-type.js';
import { admitBody, announcedLength, collectBody, hasBody } from '../json/collect-body.js';
import { decodeUtf8 } from '../json/decode-utf8.js';
import { parseJson } from '../json/parse-json.js';
import type { JsonRules } from '../json/check-json.js';
import { closeSignalOf, contextOf } from '../request-context.js';

/** Largest body in bytes, unless an operation allows more (decisions.md 3). */
export const BODY_LIMIT = 1024 * 1024;
/** Of operations with long lists: 100,000 members take 6 to 8 MB. */
export const LONG_BODY_LIMIT = 8 * BODY_LIMIT;

/** How to read a body. */
export interface BodyOptions<Result> {
  /** In bytes. */
  readonly limit: number;
  readonly rules: JsonRules;
  /** False: without a body, the result is undefined. */
  readonly required: boolean;
  /** Names the media type of SCIM first where another one is refused. */
  readonly isScim?: boolean;
  /** Validates and converts the JSON value; throws RefusalError. */
  readonly check: (body: JsonValue) => Chunked<Result>;
}

const parse = function* (bytes: Uint8Array, rules: JsonRules): Chunked<JsonValue | undefined> {
  const text = decodeUtf8(bytes);
  return text === '' ? undefined : yield* parseJson(text, rules);
};

const refuseEmpty = (what: string): never =>
  raise('INVALID_JSON', `This operation requires a JSON body; ${what}.`);

/**
 * Reads the JSON body of a request. Cheap checks come first: headers, size, memory, encoding,
 * syntax. `100 Continue` is sent when the headers are accepted. Rejects with RefusalError
 * UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, UNAVAILABLE, INVALID_JSON or INVALID_REQUEST, and with
 * UNAUTHENTICATED if the API key was deleted, or the session has ended, before the body was complete.
 */
export const readJsonBody = async <Result>(
  request: IncomingMessage,
  { limit, rules, required, isScim, check }: BodyOptions<Result>,
): Promise<Result | undefined> => {
  if (!hasBody(request)) return required ? refuseEmpty('the request has none') : undefined;
  const isChunked = announcedLength(request) === undefined;
  if (required || !isChunked) checkMediaType(request.headers, { isScim });
  const context = contextOf(request);
  const { intake, caller, confirmCaller, confirmOperator } = context;
  const key = caller?.key.id ?? 'operators';
  const signal = closeSignalOf(request);
  signal.throwIfAborted();
  const reservation = intake.open(key);
  signal.addEventListener('abort', reservation.release);
  admitBody(request, { limit, reservation });
  sendContinue(request);
  const bytes = await collectBody(request, { limit, reservation });
  // The body may have taken 30 s; a deleted key stops working within 1 s (decisions.md 8).
  await confirmCaller?.();
  await confirmOperator?.();
  context.bodyBytes = bytes.length;
  context.onBody?.(bytes);
  // Proxies turn requests without a body into an empty chunked one.
  if (!required && bytes.length === 0) return undefined;
  if (isChunked) checkMediaType(request.headers, { isScim });
  const result = await intake.read({ key, bytes: bytes.length, signal }, function* () {
    const body = yield* parse(bytes, rules);
    if (body !== undefined) return { checked: yield* check(body) };
    return required ? refuseEmpty('the body is empty') : undefined;
  });
  // The client disconnected: do not run the operation.
  signal.throwIfAborted();
  return result?.checked;
};

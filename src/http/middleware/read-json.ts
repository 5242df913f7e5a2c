import type { IncomingMessage } from 'node:http';
import type { Pieces } from '../../domain/in-pieces.js';
import type { JsonValue } from '../../domain/json.js';
import { raise } from '../../domain/refusals.js';
import { sendContinue } from '../expect-continue.js';
import { checkMediaType } from '../json/check-media-type.js';
import {
  admitBody,
  announcedLength,
  collectBody,
  hasBody,
  incompleteBody,
} from '../json/collect-body.js';
import { decodeUtf8 } from '../json/decode-utf8.js';
import { parseJson } from '../json/parse-json.js';
import type { JsonRules } from '../json/screen-json.js';
import { contextOf } from '../request-context.js';

/** Largest body in bytes, unless an operation allows more (decisions.md 3). */
export const BODY_LIMIT = 1024 * 1024;

/** How a body is read that has this form. */
export interface BodyOptions<Result> {
  /** In bytes. */
  readonly limit: number;
  readonly rules: JsonRules;
  /** False: a request without a body passes, its body undefined. */
  readonly required: boolean;
  /** Makes of the JSON what the operation takes, and refuses what it does not. */
  readonly check: (body: JsonValue) => Pieces<Result>;
}

const parse = function* (bytes: Uint8Array, rules: JsonRules): Pieces<JsonValue | undefined> {
  const text = decodeUtf8(bytes);
  return text === '' ? undefined : yield* parseJson(text, rules);
};

const refuseEmpty = (what: string): never =>
  raise('INVALID_JSON', `This operation requires a JSON body; ${what}.`);

/** Aborted when the request is over: answered, or given up by the client. */
const endOf = (request: IncomingMessage): AbortSignal => {
  const end = new AbortController();
  contextOf(request).response.once('close', () => end.abort(incompleteBody()));
  return end.signal;
};

/**
 * The JSON body of a request, checked in the order of what is cheapest: headers, size, room for it,
 * encoding, form. Only when all has been checked that the headers tell is the body asked for (`100
 * Continue`) and read. Rejects with RefusalError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE,
 * UNAVAILABLE, INVALID_JSON or INVALID_REQUEST; and UNAUTHENTICATED where the caller's key was
 * deleted before the body was there.
 */
export const readJsonBody = async <Result>(
  request: IncomingMessage,
  { limit, rules, required, check }: BodyOptions<Result>,
): Promise<Result | undefined> => {
  if (!hasBody(request)) return required ? refuseEmpty('the request has none') : undefined;
  const isChunked = announcedLength(request) === undefined;
  if (required || !isChunked) checkMediaType(request.headers);
  const context = contextOf(request);
  const { intake, caller, response, confirmCaller } = context;
  const key = caller?.key.id ?? 'operators';
  const share = intake.open(key);
  response.once('close', share.release);
  const signal = endOf(request);
  admitBody(request, { limit, share });
  sendContinue(request);
  const bytes = await collectBody(request, { limit, share });
  // It may have been half a minute on its way, and a deleted key is dead in a second (decisions.md 8).
  await confirmCaller?.();
  context.bodyBytes = bytes.length;
  // Chunks that hold nothing are no body: proxies make them of requests that have none.
  if (!required && bytes.length === 0) return undefined;
  if (isChunked) checkMediaType(request.headers);
  const result = await intake.read({ key, bytes: bytes.length, signal }, function* () {
    const body = yield* parse(bytes, rules);
    if (body !== undefined) return { checked: yield* check(body) };
    return required ? refuseEmpty('the body is empty') : undefined;
  });
  // Who has left gets nothing, and keeps nothing busy: it is not even tried.
  signal.throwIfAborted();
  return result?.checked;
};

import type { IncomingMessage } from 'node:http';
import type { JsonValue } from '../../domain/json.js';
import { raise } from '../../domain/refusals.js';
import { inTurns } from '../../pipeline/in-turns.js';
import { checkMediaType } from '../json/check-media-type.js';
import { collectBody, hasBody } from '../json/collect-body.js';
import { decodeUtf8 } from '../json/decode-utf8.js';
import { parseJson } from '../json/parse-json.js';
import type { JsonRules } from '../json/screen-json.js';
import { contextOf } from '../request-context.js';

export interface BodyOptions {
  /** In bytes. */
  readonly limit: number;
  readonly rules: JsonRules;
  /** False: a request without a body passes, its body undefined. */
  readonly required: boolean;
}

/**
 * The JSON body of a request, checked in the order of what is cheapest: headers, size, encoding,
 * form. Rejects with RefusalError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON or
 * INVALID_REQUEST; and UNAUTHENTICATED where the caller's key was deleted before the body was there.
 */
export const readJsonBody = async (
  request: IncomingMessage,
  { limit, rules, required }: BodyOptions,
): Promise<JsonValue | undefined> => {
  if (!hasBody(request)) {
    return required
      ? raise('INVALID_JSON', 'This operation needs a JSON body; the request has none.')
      : undefined;
  }
  if (required) checkMediaType(request.headers);
  const bytes = await collectBody(request, limit);
  // It may have been half a minute on its way, and a deleted key is dead in a second (decisions.md 8).
  await contextOf(request).confirmCaller?.();
  // Chunks that hold nothing are no body: proxies make them of requests that have none.
  if (!required && bytes.length === 0) return undefined;
  if (!required) checkMediaType(request.headers);
  const text = decodeUtf8(bytes);
  if (text !== '') return inTurns(parseJson(text, rules));
  return required
    ? raise('INVALID_JSON', 'This operation needs a JSON body; it is empty.')
    : undefined;
};

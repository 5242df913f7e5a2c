import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { CapturedMessage } from '../../ports/command-log.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { maskJson, HIDDEN, maskText, maskUnknown } from '../../process/mask-json.js';

/** Deeper documents are refused by the API. */
const MAX_DEPTH = 100;

/**
 * Completes JSON that was cut off: leaves out its last, incomplete value and closes what is open.
 * Undefined if it is nested too deeply; the result need not be valid if the text was not.
 */
const closeJson = (cut: string): string | undefined => {
  const closers: string[] = [];
  /** Up to here, the text is complete but for its closers. */
  let end = 0;
  let isInString = false;
  for (let at = 0; at < cut.length; at += 1) {
    const character = cut.charAt(at);
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
      continue;
    }
    if (character === '"') isInString = true;
    else if (character === ',') end = at;
    else if (character === '{' || character === '[') {
      if (closers.push(character === '{' ? '}' : ']') > MAX_DEPTH) return undefined;
      end = at + 1;
    } else if (character === '}' || character === ']') {
      closers.pop();
      end = at + 1;
    }
  }
  return cut.slice(0, end) + closers.reverse().join('');
};

/** Bytes of a body that are kept; masking may lengthen them. */
export const MAX_BODY = 64 * 1_024;

/** The start of a body, and its whole length. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly length: number;
}

/** Headers whose values are shown. Programs put secrets into headers of their own. */
const SHOWN: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'date',
  'etag',
  'expect',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'last-modified',
  'location',
  'origin',
  'prefer',
  'preference-applied',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'referrer-policy',
  'retry-after',
  'rollgate-job',
  'strict-transport-security',
  'te',
  'traceparent',
  'transfer-encoding',
  'user-agent',
  'vary',
  'via',
  'www-authenticate',
  'x-content-type-options',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-frame-options',
  'x-request-id',
]);
const MAX_VALUE = 1_024;
const MAX_HEADERS = 100;

const SCHEME = /^(?:Bearer|Basic|Digest) /i;

const maskHeader = (name: string, value: string): string => {
  if (SHOWN.has(name)) return maskText(value.slice(0, MAX_VALUE));
  const [scheme = ''] = (name === 'authorization' && SCHEME.exec(value)) || [];
  return scheme + HIDDEN;
};

/** Headers with their values, if these are no secrets. */
export const maskHeaders = (
  headers: IncomingHttpHeaders | OutgoingHttpHeaders,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_HEADERS)
      .flatMap(([name, value]) =>
        value === undefined
          ? []
          : [[name.slice(0, MAX_VALUE), maskHeader(name.toLowerCase(), [value].flat().join(', '))]],
      ),
  );

/** A masked body, and why the request with it cannot be replayed. */
interface MaskedBody extends Pick<CapturedMessage, 'body' | 'isCut'> {
  readonly obstacle: string | null;
}

const parse = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};

/** Masks a body; one that is not JSON is left out if it may contain a secret. */
export const maskBody = function* ({ bytes, length }: RawBody): Chunked<MaskedBody> {
  const isCut = bytes.length < length;
  if (length === 0) return { body: null, isCut, obstacle: null };
  // JSON.parse would refuse a byte order mark.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const closed = closeJson(text);
  const json = closed === undefined ? undefined : parse(isCut ? closed : text);
  if (json === undefined) {
    return { body: maskUnknown(text), isCut, obstacle: 'its body is not JSON' };
  }
  yield;
  const { value, essential } = yield* maskJson(json, isCut);
  yield;
  const body = JSON.stringify(value);
  if (isCut) return { body, isCut, obstacle: 'its body was longer than 64 KiB' };
  if (essential !== undefined)
    return {
      body,
      isCut,
      obstacle: `${essential} was masked in its body, and decides what it does`,
    };
  return { body, isCut, obstacle: null };
};

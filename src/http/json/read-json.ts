import type { IncomingMessage, ServerResponse, IncomingHttpHeaders } from 'node:http';
import { raise } from '../../domain/kernel/refusals.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { admitBody, announcedLength, collectBody, hasBody } from './body-intake.js';
import { parseJson } from './parse-json.js';
import type { JsonRules } from './check-json.js';
import { closeSignalOf, contextOf, ownerOf } from '../request-context.js';

/**
 * Requests with `Expect: 100-continue` whose client waits before it sends the body (RFC 9110,
 * 10.1.1).
 */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Defers `100 Continue` until the body is read. If the client gets a final response instead, Node
 * closes the connection, because the next bytes may be the body or another request.
 */
export const deferContinue = (request: IncomingMessage, response: ServerResponse): void => {
  waiting.set(request, response);
};

/** Sends the deferred `100 Continue`. Call it before reading the body. */
const sendContinue = (request: IncomingMessage): void => {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
};

const JSON_TYPE = 'application/json';
/** The type of SCIM (RFC 7644, 8.1); every API accepts both. */
const SCIM_TYPE = 'application/scim+json';
const TYPES: ReadonlySet<string> = new Set([JSON_TYPE, SCIM_TYPE]);
const CSV_TYPE = 'text/csv';
const CSV_TYPES: ReadonlySet<string> = new Set([CSV_TYPE]);

/**
 * JSON is UTF-8 (RFC 8259, 8.1). Some Java clients label it as ISO-8859-1 (facts on identity
 * providers, 25): the label is accepted, and the body is read as UTF-8.
 */
const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'iso-8859-1']);

const charsetOf = (parameters: readonly string[]): string | undefined => {
  const charset = parameters
    .map((parameter) => parameter.trim().toLowerCase())
    .find((parameter) => parameter.startsWith('charset='));
  return charset?.slice('charset='.length).replace(/^"(.*)"$/, '$1');
};

/** Refuses a body with other headers than those of uncompressed JSON or CSV: 415. */
const checkMediaType = (
  headers: IncomingHttpHeaders,
  { isScim = false, isCsv = false }: Pick<BodyOptions<unknown>, 'isScim' | 'isCsv'>,
): void => {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  if (!(isCsv ? CSV_TYPES : TYPES).has(type.trim().toLowerCase())) {
    const jsonTypes = isScim ? `${SCIM_TYPE} or ${JSON_TYPE}` : JSON_TYPE;
    raise(
      'UNSUPPORTED_MEDIA_TYPE',
      `Send the body as Content-Type: ${isCsv ? CSV_TYPE : jsonTypes}.`,
    );
  }
  const charset = charsetOf(parameters);
  if (charset !== undefined && !CHARSETS.has(charset)) {
    raise('UNSUPPORTED_MEDIA_TYPE', 'The body must be encoded as UTF-8.');
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding && encoding !== 'identity') {
    raise(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Encoding is not supported. Send the body uncompressed.',
    );
  }
};

// Drops a byte order mark, as RFC 8259, 8.1 allows: Windows PowerShell sends one.
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Whether the text is UTF-16 or UTF-32: it starts with a mark, or with a zero byte beside an ASCII
 * character.
 */
const isWide = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) ||
  (first === 0xfe && second === 0xff) ||
  first === 0 ||
  second === 0;

/** Decodes a body, which must be well-formed UTF-8. */
const decodeUtf8 = (bytes: Uint8Array): string => {
  if (isWide(bytes)) raise('UNSUPPORTED_MEDIA_TYPE', 'The body must be encoded as UTF-8.');
  try {
    return decoder.decode(bytes);
  } catch {
    return raise('INVALID_JSON', 'The body is not well-formed UTF-8.');
  }
};

/** Largest body in bytes, unless an operation allows more (decisions.md 3). */
export const BODY_LIMIT = 1024 * 1024;
/** Of operations with long lists: 100,000 members take 6 to 8 MB. */
export const LONG_BODY_LIMIT = 8 * BODY_LIMIT;

const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORM_LIMIT = 8 * 1024;

/** The API key or the operator whose memory a body takes; undefined: anyone's. */
const bodyOwnerOf = (request: IncomingMessage): string | undefined =>
  contextOf(request).caller?.key.id ?? ownerOf(request);

/** Receives a body whose headers were accepted. Rejects with RefusalError. */
const receiveBody = (request: IncomingMessage, limit: number): Promise<Uint8Array> => {
  const { intake } = contextOf(request);
  const signal = closeSignalOf(request);
  signal.throwIfAborted();
  const owner = bodyOwnerOf(request);
  const reservation = owner === undefined ? intake.openPublic(request) : intake.open(owner);
  signal.addEventListener('abort', reservation.release);
  const options = { limit, reservation, mustBeginSoon: owner === undefined };
  admitBody(request, options);
  sendContinue(request);
  return collectBody(request, options);
};

/**
 * Reads the body of a small form; undefined if it is of another media type. Rejects with RefusalError
 * PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or UNAVAILABLE.
 */
export const readForm = async (request: IncomingMessage): Promise<string | undefined> => {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM_TYPE || !hasBody(request)) return undefined;
  return Buffer.from(await receiveBody(request, FORM_LIMIT)).toString();
};

/** How to read a body. */
interface BodyOptions<Result> {
  /** In bytes. */
  readonly limit: number;
  readonly rules: JsonRules;
  /** False: without a body, the result is undefined. */
  readonly required: boolean;
  /** Names the media type of SCIM first where another one is refused. */
  readonly isScim?: boolean;
  /** The body is a text in CSV instead of JSON. */
  readonly isCsv?: boolean | undefined;
  /** Validates and converts the JSON value or the text; throws RefusalError. */
  readonly check: (body: JsonValue) => Chunked<Result>;
}

const parse = function* (
  bytes: Uint8Array,
  { rules, isCsv }: Pick<BodyOptions<unknown>, 'rules' | 'isCsv'>,
): Chunked<JsonValue | undefined> {
  const text = decodeUtf8(bytes);
  if (text === '') return undefined;
  return isCsv ? text : yield* parseJson(text, rules);
};

const refuseEmpty = (what: string): never =>
  raise('INVALID_JSON', `This operation requires a JSON body; ${what}.`);

/**
 * Reads the JSON body of a request. Cheap checks come first: headers, size, memory, encoding,
 * syntax. `100 Continue` is sent when the headers are accepted. Rejects with RefusalError
 * UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, UNAVAILABLE, INVALID_JSON or INVALID_REQUEST, and with
 * UNAUTHENTICATED if the API key was deleted, or the session has ended, before the body was complete.
 */
export const readJsonBody = async <Result>(
  request: IncomingMessage,
  options: BodyOptions<Result>,
): Promise<Result | undefined> => {
  const { limit, required, check } = options;
  if (!hasBody(request)) return required ? refuseEmpty('the request has none') : undefined;
  const isChunked = announcedLength(request) === undefined;
  if (required || !isChunked) checkMediaType(request.headers, options);
  const context = contextOf(request);
  const { intake, confirmCaller, confirmOperator } = context;
  const signal = closeSignalOf(request);
  const bytes = await receiveBody(request, limit);
  // The body may have taken 30 s; a deleted key stops working within 1 s (decisions.md 8).
  await confirmCaller?.();
  await confirmOperator?.();
  context.bodyBytes = bytes.length;
  context.onBody?.(bytes);
  // Proxies turn requests without a body into an empty chunked one.
  if (!required && bytes.length === 0) return undefined;
  if (isChunked) checkMediaType(request.headers, options);
  const key = bodyOwnerOf(request) ?? '';
  const waiting = { key, owner: ownerOf(request), bytes: bytes.length, signal };
  const result = await intake.read(waiting, function* () {
    const body = yield* parse(bytes, options);
    if (body !== undefined) return { checked: yield* check(body) };
    return required ? refuseEmpty('the body is empty') : undefined;
  });
  // The client disconnected: do not run the operation.
  signal.throwIfAborted();
  return result?.checked;
};

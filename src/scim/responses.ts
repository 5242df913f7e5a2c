import type { JsonObject } from '../domain/kernel/json.js';
import { httpStatusOf } from '../routes/responses.js';
import {
  kindOf,
  type Refusal,
  type ScimType,
  type RefusalCode,
} from '../domain/kernel/refusals.js';
import { MESSAGE_URNS } from './scimmy.js';

/** The scimType that a code implies (RFC 7644, table 9). */
const IMPLIED_SCIM_TYPES: Partial<Record<RefusalCode, ScimType>> = {
  INVALID_FILTER: 'invalidFilter',
  INVALID_JSON: 'invalidSyntax',
};

const scimTypeOf = (refusal: Refusal): ScimType | undefined =>
  refusal.scimType ??
  IMPLIED_SCIM_TYPES[refusal.code as RefusalCode] ??
  (kindOf(refusal) === 'conflict' ? 'uniqueness' : undefined);

/** What an error body depends on besides the refusal. */
export interface ErrorForm {
  readonly requestId: string;
  /** Whether the tenant's `scim.strict_errors` is on. */
  readonly isStrict: boolean;
}

/**
 * The error body of RFC 7644, 3.12, plus code, details and request id (decisions.md 2). The Ping
 * SDK and strict pydantic models reject unknown attributes, so a tenant can turn the additions off;
 * the request id is also in a header.
 */
export const scimErrorBody = (refusal: Refusal, { requestId, isStrict }: ErrorForm): JsonObject => {
  const scimType = scimTypeOf(refusal);
  const rfc = {
    schemas: [MESSAGE_URNS.error],
    status: String(httpStatusOf(refusal)),
    ...(scimType && { scimType }),
    detail: refusal.message,
  };
  if (isStrict) return rfc;
  return {
    ...rfc,
    error: refusal.code,
    ...(refusal.details && {
      details: refusal.details.map(({ path, message }) => ({ path, message })),
    }),
    request_id: requestId,
  };
};

/** JSON that is too long to build in memory: chunks of its text, produced while they are sent. */
export class StreamedJson {
  constructor(readonly chunks: AsyncIterable<string>) {}
}

/** A JSON object, or the streamed text of one. */
export type JsonBody = JsonObject | StreamedJson;

const openingOf = (head: JsonObject, name: string): string => {
  const text = JSON.stringify(head).slice(0, -1);
  return `${text}${text === '{' ? '' : ','}${JSON.stringify(name)}:[`;
};

async function* joinParts(items: AsyncIterable<JsonBody>): AsyncGenerator<string, void, undefined> {
  let isFirst = true;
  for await (const item of items) {
    const comma = isFirst ? '' : ',';
    isFirst = false;
    if (item instanceof StreamedJson) {
      if (comma !== '') yield comma;
      yield* item.chunks;
    } else yield comma + JSON.stringify(item);
  }
}

/**
 * The text of an object whose last member is a long list. Yields nothing before the list's first
 * elements are read, so that until then a failure can still become an error response.
 */
async function* chunksOf(
  head: JsonObject,
  name: string,
  texts: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let opening = openingOf(head, name);
  for await (const text of texts) {
    yield opening + text;
    opening = '';
  }
  yield `${opening}]}`;
}

/** An object whose last member is a list of objects, each of which may itself be streamed. */
export const withParts = (
  head: JsonObject,
  name: string,
  parts: AsyncIterable<JsonBody>,
): StreamedJson => new StreamedJson(chunksOf(head, name, joinParts(parts)));

async function* joinBatches(
  batches: AsyncIterable<readonly JsonObject[]>,
): AsyncGenerator<string, void, undefined> {
  let comma = '';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield comma + JSON.stringify(batch).slice(1, -1);
    comma = ',';
  }
}

/** An object whose last member is a list that arrives in batches. */
export const withBatches = (
  head: JsonObject,
  name: string,
  batches: AsyncIterable<readonly JsonObject[]>,
): StreamedJson => new StreamedJson(chunksOf(head, name, joinBatches(batches)));

/**
 * Waits for the first chunk. A failure until then can still become an error response; a later one
 * can only break the connection.
 */
export const startStream = async ({ chunks }: StreamedJson): Promise<StreamedJson> => {
  const iterator = chunks[Symbol.asyncIterator]();
  const buffered = [await iterator.next()];
  // Not a generator: returning one before its first `next` would leave the database cursor open.
  const resumed: AsyncIterator<string> = {
    next: async () => buffered.shift() ?? iterator.next(),
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  };
  return new StreamedJson({ [Symbol.asyncIterator]: () => resumed });
};

/** The position of a page: its start index, or the cursors of the adjacent pages (RFC 9865, 2). */
export interface PagePosition {
  readonly total: number;
  readonly startIndex?: number;
  readonly nextCursor?: string;
  readonly previousCursor?: string;
}

/** A page without its resources. */
export const listEnvelope = (count: number, { total, ...position }: PagePosition): JsonObject => ({
  schemas: [MESSAGE_URNS.list],
  totalResults: total,
  itemsPerPage: count,
  ...position,
});

/**
 * A page (RFC 7644, 3.4.2). `itemsPerPage` is the number returned, as the RFC defines and Okta
 * expects. `Resources` is present even if empty, because Okta reads it unconditionally.
 */
export const listResponse = (
  resources: readonly JsonObject[],
  position: PagePosition,
): JsonObject => ({
  ...listEnvelope(resources.length, position),
  Resources: resources,
});

import type { CapturedMessage, CapturedRequest } from '../../ports/command-log.js';
import { createCodec, OF_TENANT } from './codec.js';
import { defineTenantCollection, type DocumentOf, EXPIRES } from './collection.js';
import { nullable, typed } from './fields.js';

/** The requests that were captured, masked. */
export const capturedRequests = defineTenantCollection({
  name: 'captured_requests',
  fields: {
    at: Date,
    method: String,
    path: String,
    status: Number,
    keyId: String,
    userAgent: nullable(String),
    durationMs: Number,
    requestId: String,
    bytes: Number,
    request: typed<CapturedMessage>(Object),
    response: typed<CapturedMessage>(Object),
    obstacle: nullable(String),
    /** Of its messages, for the limit of a tenant. */
    size: Number,
    expireAt: Date,
  },
  // With the size, so that the limit of a tenant is checked without reading documents.
  indexes: [{ key: { tenant: 1, at: -1, _id: -1, size: 1 } }, EXPIRES],
});

export type CapturedRequestDocument = DocumentOf<typeof capturedRequests>;

const DAY_MS = 24 * 3_600_000;

export const capturedCodec = createCodec<CapturedRequest, CapturedRequestDocument>({
  names: OF_TENANT,
  derived: {
    size: ({ request, response }) => Buffer.byteLength(JSON.stringify([request, response])),
    expireAt: ({ at }) => new Date(at.getTime() + DAY_MS),
  },
});

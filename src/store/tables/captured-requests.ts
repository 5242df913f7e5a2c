import type { CapturedRequest } from '../../ports/command-log.js';
import type { ApiKeyId, TenantId } from '../../domain/kernel/ids.js';
import { defineCollection, EXPIRES, MIXED } from './collection.js';

/** A request that was captured, masked. */
export interface CapturedRequestDocument extends Omit<
  CapturedRequest,
  'id' | 'tenantId' | 'keyId'
> {
  readonly _id: string;
  readonly tenant: string;
  readonly keyId: string;
  /** Of its messages, for the limit of a tenant. */
  readonly size: number;
  readonly expireAt: Date;
}

export const capturedRequests = defineCollection<CapturedRequestDocument>({
  name: 'captured_requests',
  fields: {
    _id: String,
    tenant: String,
    at: Date,
    method: String,
    path: String,
    status: Number,
    keyId: String,
    userAgent: String,
    durationMs: Number,
    requestId: String,
    bytes: Number,
    request: MIXED,
    response: MIXED,
    obstacle: String,
    size: Number,
    expireAt: Date,
  },
  // With the size, so that the limit of a tenant is checked without reading documents.
  indexes: [{ key: { tenant: 1, at: -1, _id: -1, size: 1 } }, EXPIRES],
  purge: 'by tenant',
});

const DAY_MS = 24 * 3_600_000;

export const toCapturedDocument = ({
  id,
  tenantId,
  ...request
}: CapturedRequest): CapturedRequestDocument => ({
  _id: id,
  tenant: tenantId,
  ...request,
  size: Buffer.byteLength(JSON.stringify([request.request, request.response])),
  expireAt: new Date(request.at.getTime() + DAY_MS),
});

export const fromCapturedDocument = ({
  _id,
  tenant,
  keyId,
  size: _size,
  expireAt: _expireAt,
  ...request
}: CapturedRequestDocument): CapturedRequest => ({
  id: _id,
  tenantId: tenant as TenantId,
  keyId: keyId as ApiKeyId,
  ...request,
});

import * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import { RESPONSE_TTL_MS, type StoredResponse } from '../../domain/kernel/stored-response.js';
import { defineTenantCollection, type DocumentOf, EXPIRES } from './collection.js';
import { defineTable } from './table.js';

/**
 * The first response to an Idempotency-Key, encrypted: it may contain a secret (pipeline-rules.md 13).
 * Its id is the SHA-256 of API key, method, path and Idempotency-Key.
 */
const storedResponses = defineTenantCollection({
  name: 'remembered_answers',
  fields: { fingerprint: String, sealed: String, at: Date, expireAt: Date },
  indexes: [{ key: { tenant: 1 } }, EXPIRES],
});

export type StoredResponseDocument = DocumentOf<typeof storedResponses>;

// Preserves dates, which JSON turns into texts.
const { EJSON } = mongo.BSON;

export const storedResponseTable = defineTable('rememberedAnswers', storedResponses, {
  keys: { id: '_id' },
  toDocument: ({ id, tenantId, fingerprint, result, jobs, at }, { seal }) => ({
    _id: id,
    tenant: tenantId,
    fingerprint,
    sealed: seal(EJSON.stringify({ result, jobs })),
    at,
    expireAt: new Date(at.getTime() + RESPONSE_TTL_MS),
  }),
  fromDocument: ({ _id, tenant, fingerprint, sealed, at }, { unseal }): StoredResponse => ({
    id: _id,
    tenantId: tenant as TenantId,
    fingerprint,
    ...(EJSON.parse(unseal(sealed)) as Pick<StoredResponse, 'result' | 'jobs'>),
    at,
  }),
});

import * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import { RESPONSE_TTL_MS, type StoredResponse } from '../../domain/kernel/stored-response.js';
import { defineCollection, EXPIRES, defineTable, type Seal } from './collection.js';

/** The first response to an Idempotency-Key, encrypted: it may contain a secret (pipeline-rules.md 13). */
export interface StoredResponseDocument {
  /** SHA-256 of API key, method, path and Idempotency-Key. */
  readonly _id: string;
  readonly tenant: string;
  readonly fingerprint: string;
  readonly sealed: string;
  readonly at: Date;
  readonly expireAt: Date;
}

export const storedResponses = defineCollection<StoredResponseDocument>({
  name: 'remembered_answers',
  fields: {
    _id: String,
    tenant: String,
    fingerprint: String,
    sealed: String,
    at: Date,
    expireAt: Date,
  },
  indexes: [{ key: { tenant: 1 } }, EXPIRES],
  purge: 'by tenant',
});

// Preserves dates, which JSON turns into texts.
const { EJSON } = mongo.BSON;

const toRememberedAnswerDocument = (
  { id, tenantId, fingerprint, result, jobs, at }: StoredResponse,
  { seal }: Seal,
): StoredResponseDocument => ({
  _id: id,
  tenant: tenantId,
  fingerprint,
  sealed: seal(EJSON.stringify({ result, jobs })),
  at,
  expireAt: new Date(at.getTime() + RESPONSE_TTL_MS),
});

const fromRememberedAnswerDocument = (
  { _id, tenant, fingerprint, sealed, at }: StoredResponseDocument,
  { unseal }: Seal,
): StoredResponse => ({
  id: _id,
  tenantId: tenant as TenantId,
  fingerprint,
  ...(EJSON.parse(unseal(sealed)) as Pick<StoredResponse, 'result' | 'jobs'>),
  at,
});

export const storedResponseTable = defineTable<'rememberedAnswers', StoredResponseDocument>(
  storedResponses,
  {
    keys: { id: '_id' },
    fromDocument: fromRememberedAnswerDocument,
    writes: { toDocument: toRememberedAnswerDocument },
  },
);

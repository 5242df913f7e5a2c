import mongoose from 'mongoose';
import type { TenantId } from '../domain/ids.js';
import { KEEP_ANSWER_MS, type RememberedAnswer } from '../domain/remembered-answer.js';
import type { RememberedAnswerDocument } from './documents.js';

/** Encrypts what is kept, decrypts what was. */
export interface Seal {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}

// Knows dates, which plain JSON turns into texts.
const { EJSON } = mongoose.mongo.BSON;

export const toRememberedAnswerDocument = (
  { id, tenantId, fingerprint, result, jobs, at }: RememberedAnswer,
  { seal }: Seal,
): RememberedAnswerDocument => ({
  _id: id,
  tenant: tenantId,
  fingerprint,
  sealed: seal(EJSON.stringify({ result, jobs })),
  at,
  expireAt: new Date(at.getTime() + KEEP_ANSWER_MS),
});

export const fromRememberedAnswerDocument = (
  { _id, tenant, fingerprint, sealed, at }: RememberedAnswerDocument,
  { unseal }: Seal,
): RememberedAnswer => ({
  id: _id,
  tenantId: tenant as TenantId,
  fingerprint,
  ...(EJSON.parse(unseal(sealed)) as Pick<RememberedAnswer, 'result' | 'jobs'>),
  at,
});

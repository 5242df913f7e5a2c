import mongoose from 'mongoose';
import type { TenantId } from '../domain/ids.js';
import type { RememberedAnswer } from '../domain/remembered-answer.js';
import type { RememberedAnswerDocument } from './documents.js';

/** Encrypts what is kept, decrypts what was. */
export interface Seal {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}

/** How long an answer is given again (decisions.md 3), in milliseconds. */
export const KEEP_MS = 24 * 3_600_000;

// Knows dates, which plain JSON turns into texts.
const { EJSON } = mongoose.mongo.BSON;

export const toRememberedAnswerDocument = (
  { id, tenantId, fingerprint, outcome, at }: RememberedAnswer,
  { seal }: Seal,
): RememberedAnswerDocument => ({
  _id: id,
  tenant: tenantId,
  fingerprint,
  sealed: seal(EJSON.stringify(outcome)),
  at,
  expireAt: new Date(at.getTime() + KEEP_MS),
});

export const fromRememberedAnswerDocument = (
  { _id, tenant, fingerprint, sealed, at }: RememberedAnswerDocument,
  { unseal }: Seal,
): RememberedAnswer => ({
  id: _id,
  tenantId: tenant as TenantId,
  fingerprint,
  outcome: EJSON.parse(unseal(sealed)) as RememberedAnswer['outcome'],
  at,
});

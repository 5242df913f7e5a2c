import type { OperatorId, PasskeyId } from '../kernel/ids.js';

/** A credential with which an operator signs in (WebAuthn). It contains no secret. */
export interface Passkey {
  readonly id: PasskeyId;
  /** The authenticator's id of the credential, base64url. */
  readonly credentialId: string;
  readonly operatorId: OperatorId;
  /** By which the operator recognises it. */
  readonly name: string;
  /** SubjectPublicKeyInfo, base64url. */
  readonly publicKey: string;
  /** Counts the signatures of one device; 0: the authenticator does not count. */
  readonly counter: number;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export const PASSKEY_LIMITS = {
  /** Of one operator. */
  count: 10,
  /** To answer a challenge. */
  challengeMs: 5 * 60_000,
} as const;

/**
 * Whether a signature count is that of the device that counted before (WebAuthn, 7.2, step 22): one that
 * does not grow belongs to a copy of the key. Synchronised passkeys always send 0.
 */
export const isNextCount = (before: number, count: number): boolean =>
  (before === 0 && count === 0) || count > before;

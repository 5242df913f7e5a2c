import type { Operator, OperatorSession, SignInLink } from '../../domain/operator/operator.js';
import type { Passkey } from '../../domain/operator/passkey.js';
import type { ApiKeyId, OperatorId, PasskeyId, SessionId } from '../../domain/kernel/ids.js';
import { defineCollection, EXPIRES, MIXED, uniqueWhereSet, whereSet } from './collection.js';

/** A person who operates the gateways of this database. */
export interface OperatorDocument extends Omit<Operator, 'id' | 'subject' | 'tenants'> {
  readonly _id: string;
  readonly tenants: readonly string[] | null;
  /** Absent: null. */
  readonly subject?: string;
  /** How many were ever added: what adds one writes it, so that of two at once one sees the other. */
  readonly passkeysAdded?: number;
}

export const operators = defineCollection<OperatorDocument>({
  name: 'operators',
  fields: {
    _id: String,
    name: String,
    email: String,
    role: String,
    tenants: MIXED,
    source: String,
    subject: String,
    createdAt: Date,
    disabledAt: Date,
    lastSignInAt: Date,
    passkeysAdded: Number,
  },
  indexes: [
    { key: { createdAt: 1, _id: 1 } },
    { key: { subject: 1 }, ...uniqueWhereSet('subject') },
  ],
  purge: 'never',
});

/** A signed-in browser, under the hash of its cookie. */
export interface SessionDocument extends Omit<OperatorSession, 'id' | 'hash'> {
  readonly _id: string;
  readonly id: string;
  /** Of the operator, if there is one. */
  readonly operator?: string;
  readonly expireAt: Date;
}

export const operatorSessions = defineCollection<SessionDocument>({
  name: 'operator_sessions',
  fields: {
    _id: String,
    id: String,
    operator: String,
    subject: MIXED,
    createdAt: Date,
    authenticatedAt: Date,
    lastSeenAt: Date,
    endsAt: Date,
    idleMs: Number,
    userAgent: String,
    expireAt: Date,
  },
  indexes: [{ key: { operator: 1 }, ...whereSet('operator') }, EXPIRES],
  purge: 'never',
});

/** A passkey of an operator, under the id of its credential. */
export interface PasskeyDocument extends Omit<Passkey, 'id' | 'credentialId' | 'operatorId'> {
  readonly _id: string;
  readonly id: string;
  readonly operator: string;
}

export const passkeys = defineCollection<PasskeyDocument>({
  name: 'passkeys',
  fields: {
    _id: String,
    id: String,
    operator: String,
    name: String,
    publicKey: String,
    counter: Number,
    createdAt: Date,
    lastUsedAt: Date,
  },
  indexes: [{ key: { operator: 1, createdAt: 1 } }],
  purge: 'never',
});

export const fromPasskeyDocument = ({
  _id,
  id,
  operator,
  ...passkey
}: PasskeyDocument): Passkey => ({
  id: id as PasskeyId,
  credentialId: _id,
  operatorId: operator as OperatorId,
  ...passkey,
});

/** A link that signs in, under the hash of its secret. */
export interface LinkDocument {
  readonly _id: string;
  /** `challenge`: no link, but a challenge of passkeys that was answered. */
  readonly kind: SignInLink['kind'] | 'challenge';
  readonly operator?: string;
  /** Not `tenant`, which is an id wherever it is stored. */
  readonly tenantSlug?: string;
  readonly provider?: string;
  readonly hasIntegrations?: boolean;
  readonly keyId?: string;
  /** How often it was opened. */
  readonly openings?: number;
  readonly expireAt: Date;
}

export const signInLinks = defineCollection<LinkDocument>({
  name: 'sign_in_links',
  fields: {
    _id: String,
    kind: String,
    operator: String,
    tenantSlug: String,
    provider: String,
    hasIntegrations: Boolean,
    keyId: String,
    openings: Number,
    expireAt: Date,
  },
  indexes: [
    { key: { operator: 1 }, ...whereSet('operator') },
    { key: { tenantSlug: 1 }, ...whereSet('tenantSlug') },
    EXPIRES,
  ],
  purge: 'never',
});

export const fromOperatorDocument = ({
  _id,
  subject,
  passkeysAdded: _added,
  ...operator
}: OperatorDocument): Operator => ({
  id: _id as OperatorId,
  subject: subject ?? null,
  ...operator,
});

export const toOperatorDocument = ({ id, subject, ...operator }: Operator): OperatorDocument => ({
  _id: id,
  ...operator,
  ...(subject !== null && { subject }),
});

export const fromSessionDocument = ({
  _id,
  id,
  operator: _operator,
  expireAt: _expireAt,
  ...session
}: SessionDocument): OperatorSession => ({ id: id as SessionId, hash: _id, ...session });

export const fromLinkDocument = (document: LinkDocument): SignInLink | undefined => {
  const { _id: hash, kind, operator = '', tenantSlug = '', provider = '', keyId } = document;
  const link = { hash, expiresAt: document.expireAt };
  if (kind === 'challenge') return undefined;
  if (kind === 'first-owner') return { ...link, kind };
  if (kind === 'operator') return { ...link, kind, operatorId: operator as OperatorId };
  return {
    ...link,
    kind,
    tenant: tenantSlug,
    provider,
    keyId: (keyId as ApiKeyId | undefined) ?? null,
    hasIntegrations: document.hasIntegrations ?? false,
  };
};

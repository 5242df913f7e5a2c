import {
  expiryOf,
  type Operator,
  type OperatorRole,
  type OperatorSession,
  type SessionSubject,
  type SignInLink,
} from '../../domain/operator/operator.js';
import type { Passkey } from '../../domain/operator/passkey.js';
import type { ApiKeyId, OperatorId } from '../../domain/kernel/ids.js';
import { createCodec } from './codec.js';
import {
  defineCollection,
  type DocumentOf,
  EXPIRES,
  uniqueWhereSet,
  whereSet,
} from './collection.js';
import { nullable, optional, typed } from './fields.js';

/** The people who operate the gateways of this database. */
export const operators = defineCollection({
  name: 'operators',
  fields: {
    _id: String,
    name: String,
    email: nullable(String),
    role: typed<OperatorRole>(String),
    tenants: typed<readonly string[] | null>(Object),
    source: typed<Operator['source']>(String),
    /** Absent where the operator has none. */
    subject: optional(nullable(String)),
    createdAt: Date,
    disabledAt: nullable(Date),
    lastSignInAt: nullable(Date),
    /** How many were ever added: what adds one writes it, so that of two at once one sees the other. */
    passkeysAdded: optional(Number),
  },
  indexes: [
    { key: { createdAt: 1, _id: 1 } },
    { key: { subject: 1 }, ...uniqueWhereSet('subject') },
  ],
});

export const operatorCodec = createCodec<Operator, DocumentOf<typeof operators>>({
  names: { id: '_id' },
  absent: ['subject'],
  derived: { passkeysAdded: () => undefined },
});

/** The signed-in browsers, under the hashes of their cookies. */
export const operatorSessions = defineCollection({
  name: 'operator_sessions',
  fields: {
    _id: String,
    id: String,
    /** Of the operator, if there is one. */
    operator: optional(String),
    subject: typed<SessionSubject>(Object),
    createdAt: Date,
    authenticatedAt: nullable(Date),
    lastSeenAt: Date,
    endsAt: Date,
    idleMs: Number,
    userAgent: nullable(String),
    expireAt: Date,
  },
  indexes: [{ key: { operator: 1 }, ...whereSet('operator') }, EXPIRES],
});

export const sessionCodec = createCodec<OperatorSession, DocumentOf<typeof operatorSessions>>({
  names: { hash: '_id' },
  derived: {
    operator: ({ subject }) => (subject.kind === 'operator' ? subject.operatorId : undefined),
    expireAt: expiryOf,
  },
});

/** The passkeys of operators, under the ids of their credentials. */
export const passkeys = defineCollection({
  name: 'passkeys',
  fields: {
    _id: String,
    id: String,
    operator: String,
    name: String,
    publicKey: String,
    counter: Number,
    createdAt: Date,
    lastUsedAt: nullable(Date),
  },
  indexes: [{ key: { operator: 1, createdAt: 1 } }],
});

export const passkeyCodec = createCodec<Passkey, DocumentOf<typeof passkeys>>({
  names: { credentialId: '_id', operatorId: 'operator' },
});

/** The links that sign in, under the hashes of their secrets. */
export const signInLinks = defineCollection({
  name: 'sign_in_links',
  fields: {
    _id: String,
    /** `challenge`: no link, but a challenge of passkeys that was answered. */
    kind: typed<SignInLink['kind'] | 'challenge'>(String),
    operator: optional(String),
    /** Not `tenant`, which is an id wherever it is stored. */
    tenantSlug: optional(String),
    provider: optional(String),
    hasIntegrations: optional(Boolean),
    keyId: optional(String),
    /** How often it was opened. */
    openings: optional(Number),
    expireAt: Date,
  },
  indexes: [
    { key: { operator: 1 }, ...whereSet('operator') },
    { key: { tenantSlug: 1 }, ...whereSet('tenantSlug') },
    EXPIRES,
  ],
});

type LinkDocument = DocumentOf<typeof signInLinks>;

export const toLinkDocument = (link: SignInLink): LinkDocument => ({
  _id: link.hash,
  kind: link.kind,
  ...(link.kind === 'operator' && { operator: link.operatorId }),
  ...(link.kind === 'setup' && {
    tenantSlug: link.tenant,
    provider: link.provider,
    ...(link.hasIntegrations && { hasIntegrations: true }),
  }),
  expireAt: link.expiresAt,
});

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

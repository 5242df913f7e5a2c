import { z } from 'zod';
import type { OperatorCaller } from '../../routes/caller.js';
import { idField, instantField, textLike } from '../../routes/fields.js';
import {
  expiryOf,
  OPERATOR_ROLES,
  type OperatorSession,
  SIGN_IN_WAYS,
  stepUpUntil,
  wayOf,
} from '../../domain/operator/operator.js';
import { csrfTokenOf } from '../access/sessions.js';
import type { RouteParts } from './route-parts.js';

/** Who is signed in. */
export const SessionView = z
  .strictObject({
    operator: z.strictObject({
      id: idField('Null for the admin token and setup links.').nullable(),
      name: textLike('Ada Lovelace'),
      email: z.string().nullable(),
      role: z.enum([...OPERATOR_ROLES, 'setup']),
      tenants: z
        .array(z.string())
        .nullable()
        .describe('Slugs of the tenants they may see; null: all.'),
    }),
    csrf_token: z
      .string()
      .nullable()
      .describe('Send it as `X-CSRF-Token` with every write. Null with the admin token.'),
    authenticated_at: instantField(
      'When they last proved who they are. Null with the admin token, and if the OpenID provider did not say.',
    ).nullable(),
    step_up_until: instantField(
      'Until then, operations that need a recent sign-in are allowed. Null like `authenticated_at`; with the admin token, they always are.',
    ).nullable(),
    expires_at: instantField('When the session ends unless it is used.').nullable(),
    by: z
      .enum(SIGN_IN_WAYS)
      .nullable()
      .describe('How they signed in; null with the admin token in a header.'),
    has_passkey: z.boolean().describe('The operator can sign in with a passkey.'),
    setup: z
      .strictObject({
        tenant: z.string(),
        provider: z.string(),
        key_id: idField('The API key made with this link; null: none yet.').nullable(),
      })
      .nullable()
      .describe('In a session of a setup link: what it is for.'),
    sign_out_url: z.string().nullable().describe('Where to sign out of the OpenID provider, too.'),
  })
  .meta({ id: 'OperatorSession' });

/** Where to sign out of the OpenID provider, too. */
const signOutUrl = (
  { operatorSignIn, publicUrl }: Pick<RouteParts, 'operatorSignIn' | 'publicUrl'>,
  session: OperatorSession | undefined,
): string | null =>
  session && wayOf(session.subject) === 'oidc'
    ? (operatorSignIn?.provider.signOutUrl(`${publicUrl()}/dashboard/sign-in`) ?? null)
    : null;

/** `cookie`: the value of the session's cookie; undefined with the admin token in a header. */
export const presentSession = async (
  parts: Pick<RouteParts, 'signIn' | 'operatorSignIn' | 'publicUrl'>,
  { actor, role, tenants, session, setup }: OperatorCaller,
  cookie: string | undefined,
): Promise<z.output<typeof SessionView>> => {
  const { operators, passkeys } = parts.signIn;
  const operator = actor.id === undefined ? undefined : await operators.find(actor.id);
  return {
    operator: {
      id: actor.id ?? null,
      name: actor.name,
      email: operator?.email ?? null,
      role,
      tenants: tenants && [...tenants],
    },
    csrf_token: cookie === undefined ? null : csrfTokenOf(cookie),
    authenticated_at: session?.authenticatedAt?.toISOString() ?? null,
    step_up_until: (session && stepUpUntil(session)?.toISOString()) ?? null,
    expires_at: session ? expiryOf(session).toISOString() : null,
    by: session ? wayOf(session.subject) : null,
    has_passkey: operator !== undefined && (await passkeys.listOf(operator.id)).length > 0,
    setup: setup
      ? { tenant: tenants?.[0] ?? '', provider: setup.provider, key_id: setup.keyId }
      : null,
    sign_out_url: signOutUrl(parts, session),
  };
};

import { z } from 'zod';
import type { OperatorCaller } from '../../routes/caller.js';
import { idField, identifierField, instantField, textLike } from '../../routes/fields.js';
import { operatorRoute, publicRoute, type Route, type RouteResponse } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import { parsePasskeyId, type PasskeyId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import { type Passkey, PASSKEY_LIMITS } from '../../domain/operator/passkey.js';
import type { Operator } from '../../domain/operator/operator.js';
import { newId } from '../../pipeline/submit.js';
import { browserIn } from '../access/sessions.js';
import {
  ALGORITHMS,
  NewCredential,
  PasskeyFault,
  type RelyingParty,
  relyingPartyOf,
  verifyNewCredential,
} from '../access/webauthn.js';
import { accountOf, OPERATOR_ID, record } from './operators.js';
import { createChallenges, handleOf, type Purpose } from './passkey-sign-in.js';
import type { RouteParts } from './route-parts.js';

const tag = 'Sign-in';
const MAX_FIELDS = 16_384;

const params = z.object(OPERATOR_ID);

const PasskeyView = z
  .strictObject({
    id: idField("The passkey's id."),
    name: textLike('Laptop'),
    created_at: instantField('When it was added.'),
    last_used_at: instantField('When it last signed in; null if never.').nullable(),
  })
  .meta({ id: 'Passkey' });

const NewPasskey = z
  .strictObject({
    name: identifierField(64).describe('By which the operator recognises it.'),
    credential: NewCredential,
  })
  .meta({ id: 'PasskeyInput' });

const present = (passkey: Passkey) => toWire(PasskeyView, passkey);

const relyingPartyIn = ({ publicUrl }: RouteParts): RelyingParty =>
  relyingPartyOf(publicUrl()) ??
  raise(
    'NOT_FOUND',
    'Browsers have passkeys for host names over HTTPS only. Set publicUrl to the https:// URL of ' +
      'a host name.',
  );

/** Only for oneself, and not for operators of the provider, which could no longer shut them out. */
const ownAccount = async (
  parts: RouteParts,
  caller: OperatorCaller,
  id: string,
): Promise<Operator> => {
  const operator = await accountOf(parts, caller, id, 'passkeys');
  if (caller.actor.id !== operator.id)
    raise('INSUFFICIENT_ROLE', 'Operators add passkeys to their own account only.');
  if (operator.source === 'oidc')
    raise(
      'OPERATOR_FROM_PROVIDER',
      'This operator signs in with the OpenID provider. Add the passkey there.',
    );
  return operator;
};

const challengeWith = (
  parts: RouteParts,
  purpose: Purpose,
  more: Readonly<Record<string, unknown>> = {},
): RouteResponse => {
  const { id: rpId } = relyingPartyIn(parts);
  const { challenge, header } = createChallenges(parts).begin(purpose);
  return {
    status: 200,
    body: { challenge, rp_id: rpId, timeout_ms: PASSKEY_LIMITS.challengeMs, ...more },
    headers: { 'Set-Cookie': header },
  };
};

const CHALLENGE = {
  challenge: z.string().describe('base64url; answered once, within 5 minutes.'),
  rp_id: z.string().describe('The host that passkeys are bound to.'),
  timeout_ms: z.int(),
};

const beginPasskeySignIn = (parts: RouteParts): Route =>
  publicRoute({
    method: 'POST',
    path: '/session/passkey-challenge',
    operationId: 'beginPasskeySignIn',
    tag,
    summary: 'Begin a sign-in with a passkey',
    description:
      'For browsers: the challenge that `navigator.credentials.get()` signs. It is also in a ' +
      'cookie; send the result to `POST /session` from the same browser.',
    responses: {
      200: {
        description: 'The challenge.',
        body: z.strictObject(CHALLENGE).meta({ id: 'PasskeyChallenge' }),
      },
    },
    refusals: ['NOT_FOUND'],
    handler: async () => Promise.resolve(challengeWith(parts, 'sign-in')),
  });

const listPasskeys = (parts: RouteParts): Route =>
  operatorRoute({
    method: 'GET',
    path: '/operators/{id}/passkeys',
    operationId: 'listPasskeys',
    isForBoundOperators: true,
    tag,
    summary: "List an operator's passkeys",
    description: 'Operators may list their own; owners also those of others.',
    params,
    responses: {
      200: {
        description: 'The passkeys, oldest first.',
        body: z.strictObject({ passkeys: z.array(PasskeyView) }).meta({ id: 'PasskeyList' }),
      },
    },
    refusals: ['OPERATOR_NOT_FOUND'],
    handler: async ({ params: { id }, caller }) => {
      const operator = await accountOf(parts, caller, id, 'passkeys');
      const passkeys = await parts.signIn.passkeys.listOf(operator.id);
      return { status: 200, body: { passkeys: passkeys.map(present) } };
    },
  });

const beginPasskey = (parts: RouteParts): Route =>
  operatorRoute({
    method: 'POST',
    path: '/operators/{id}/passkeys/challenge',
    operationId: 'beginPasskey',
    role: 'auditor',
    stepUp: true,
    isForBoundOperators: true,
    tag,
    summary: 'Begin to add a passkey',
    description:
      "For browsers, to one's own account: the challenge and the options of " +
      '`navigator.credentials.create()`. The challenge is also in a cookie.',
    params,
    responses: {
      200: {
        description: 'The challenge and the options.',
        body: z
          .strictObject({
            ...CHALLENGE,
            user_handle: z.string().describe('base64url: the id of the operator.'),
            algorithms: z.array(z.int()).describe('COSE algorithms, the preferred one first.'),
            existing: z.array(z.string()).describe('Credentials that the operator has, base64url.'),
          })
          .meta({ id: 'PasskeyOptions' }),
      },
    },
    refusals: ['NOT_FOUND', 'OPERATOR_NOT_FOUND', 'OPERATOR_FROM_PROVIDER'],
    handler: async ({ params: { id }, caller }) => {
      const operator = await ownAccount(parts, caller, id);
      const existing = await parts.signIn.passkeys.listOf(operator.id);
      return challengeWith(parts, operator.id, {
        user_handle: handleOf(operator.id),
        algorithms: ALGORITHMS,
        existing: existing.map(({ credentialId }) => credentialId),
      });
    },
  });

const createPasskey = (parts: RouteParts): Route =>
  operatorRoute({
    method: 'POST',
    path: '/operators/{id}/passkeys',
    operationId: 'createPasskey',
    audit: 'added the passkey',
    role: 'auditor',
    stepUp: true,
    isForBoundOperators: true,
    tag,
    summary: 'Add a passkey',
    description:
      "To one's own account, with the answer to `POST /operators/{id}/passkeys/challenge` in the " +
      `same browser. At most ${PASSKEY_LIMITS.count} for each operator.`,
    params,
    body: NewPasskey,
    bodyLimit: MAX_FIELDS,
    responses: { 201: { description: 'The passkey.', body: PasskeyView } },
    refusals: ['OPERATOR_NOT_FOUND', 'OPERATOR_FROM_PROVIDER', 'PASSKEY_NOT_ACCEPTED'],
    handler: async (request) => {
      const { params: of, caller, body } = request;
      const operator = await ownAccount(parts, caller, of.id);
      const challenges = createChallenges(parts);
      const refused = (reason: string): never => {
        parts.log.warn({ operator: operator.id, reason }, 'a new passkey was not accepted');
        return raise('PASSKEY_NOT_ACCEPTED', `The passkey was not accepted: ${reason}.`);
      };
      const counter = await challenges
        .answer(browserIn(request), operator.id, (expected) =>
          verifyNewCredential(body.credential, expected),
        )
        .catch((error: unknown) => {
          if (error instanceof PasskeyFault) return refused(error.message);
          throw error;
        });
      const passkey: Passkey = {
        id: newId<PasskeyId>(),
        credentialId: body.credential.id,
        operatorId: operator.id,
        name: body.name,
        publicKey: body.credential.public_key,
        counter,
        createdAt: parts.now(),
        lastUsedAt: null,
      };
      const created = await parts.signIn.passkeys.create(passkey);
      if (created === 'exists') return refused('it exists already');
      if (created === 'full')
        return refused(`an account has at most ${PASSKEY_LIMITS.count}; remove one first`);
      record(parts, request, 'passkey added', { operator: operator.id, passkey: passkey.id });
      return { status: 201, body: present(passkey), headers: { 'Set-Cookie': challenges.end() } };
    },
  });

const deletePasskey = (parts: RouteParts): Route =>
  operatorRoute({
    method: 'DELETE',
    path: '/operators/{id}/passkeys/{passkeyId}',
    operationId: 'deletePasskey',
    audit: 'removed a passkey of',
    role: 'auditor',
    stepUp: true,
    isForBoundOperators: true,
    tag,
    summary: 'Remove a passkey',
    description:
      'It no longer signs in, and the sessions that it began end, within 1 s on all gateways. ' +
      'Operators may remove their own; owners also those of others.',
    params: z.object({ ...OPERATOR_ID, passkeyId: idField("The passkey's id.") }),
    responses: { 204: { description: 'The passkey was removed.' } },
    refusals: ['OPERATOR_NOT_FOUND', 'PASSKEY_NOT_FOUND'],
    handler: async (request) => {
      const { id, passkeyId } = request.params;
      const operator = await accountOf(parts, request.caller, id, 'passkeys');
      const passkey = parsePasskeyId(passkeyId) ?? raise('PASSKEY_NOT_FOUND');
      if (!(await parts.signIn.passkeys.delete(operator.id, passkey))) raise('PASSKEY_NOT_FOUND');
      parts.sessionCache.invalidateOperator(operator.id);
      record(parts, request, 'passkey removed', { operator: operator.id, passkey });
      return { status: 204, about: operator.name };
    },
  });

/** Passkeys of operators, and the challenges that they answer (decision 0039). */
export const passkeyRoutes = (parts: RouteParts): readonly Route[] =>
  [beginPasskeySignIn, listPasskeys, beginPasskey, createPasskey, deletePasskey].map((declare) =>
    declare(parts),
  );

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Browser, OperatorCaller } from '../../routes/caller.js';
import { idField, identifierField, instantField } from '../../routes/fields.js';
import { operatorRoute, publicRoute, type Route, type RouteResponse } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import {
  type OperatorId,
  parseOperatorId,
  parsePasskeyId,
  type PasskeyId,
} from '../../domain/kernel/ids.js';
import { raise, refuse } from '../../domain/kernel/refusals.js';
import { isNextCount, type Passkey, PASSKEY_LIMITS } from '../../domain/operator/passkey.js';
import type { Operator } from '../../domain/operator/operator.js';
import { newId } from '../../pipeline/submit.js';
import { hashSecret } from '../access/credentials.js';
import { browserIn } from '../access/sessions.js';
import type { Assertion } from '../access/webauthn.js';
import {
  ALGORITHMS,
  NewCredential,
  PasskeyFault,
  type RelyingParty,
  relyingPartyOf,
  verifyAssertion,
  verifyNewCredential,
} from '../access/webauthn.js';
import type { RouteParts } from './route-parts.js';

type PasskeyParts = Pick<
  RouteParts,
  'signIn' | 'sessions' | 'sessionCache' | 'seal' | 'signInLog' | 'publicUrl' | 'log' | 'now'
>;

const tag = 'Sign-in';

const MAX_FIELDS = 16_384;
const CHALLENGE_BYTES = 32;

/** Who answers a challenge: an operator who adds a passkey, or anyone who signs in. */
type Purpose = OperatorId | 'sign-in';

const Flow = z.strictObject({
  passkey: z.string(),
  challenge: z.string(),
  until: z.number(),
});

const PASSKEY_INVALID = refuse(
  'UNAUTHENTICATED',
  'This passkey was not accepted: it was removed, it is of another gateway, or the request has ' +
    'expired. Try again, or ask an owner for a sign-in link.',
);

export const ACCOUNT_DISABLED = refuse(
  'UNAUTHENTICATED',
  'Your account is disabled. Ask an owner to enable it.',
);

/** The challenges of passkeys: sealed in a cookie of the browser, answered once, within 5 minutes. */
const createChallenges = ({ signIn, sessions, seal, now }: PasskeyParts) => {
  const cookieWith = (value: string): string =>
    sessions
      .cookies()
      .header('rg_passkey', value, value === '' ? 0 : PASSKEY_LIMITS.challengeMs / 1_000);

  return {
    /** A new challenge, and the header that gives it to the browser. Nothing is stored. */
    begin: (purpose: Purpose): { readonly challenge: string; readonly header: string } => {
      const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
      const until = now().getTime() + PASSKEY_LIMITS.challengeMs;
      const flow: z.output<typeof Flow> = { passkey: purpose, challenge, until };
      return { challenge, header: cookieWith(seal.seal(JSON.stringify(flow))) };
    },
    /** The challenge of this browser for this purpose; undefined if it has none, or it has expired. */
    find: (browser: Browser, purpose: Purpose): string | undefined => {
      const sealed = browser.cookie(sessions.cookies().name('rg_passkey'));
      if (sealed === undefined) return undefined;
      try {
        const { passkey, challenge, until } = Flow.parse(JSON.parse(seal.unseal(sealed)));
        return passkey === purpose && until > now().getTime() ? challenge : undefined;
      } catch {
        // Of another database, or damaged: as good as none.
        return undefined;
      }
    },
    /**
     * After the answer was verified, so that requests without credentials store nothing: false if the
     * challenge was answered before.
     */
    spend: (challenge: string): Promise<boolean> =>
      signIn.links.spend(
        hashSecret(challenge),
        new Date(now().getTime() + 2 * PASSKEY_LIMITS.challengeMs),
      ),
    ended: cookieWith(''),
  };
};

/** Who has signed in. */
interface PasskeySignIn {
  readonly operator: Operator;
  readonly passkey: Passkey;
}

/** Signs operators in with passkeys. Failures count as failed authentications. */
export const createPasskeySignIn =
  (parts: PasskeyParts) =>
  async (browser: Browser, given: z.output<typeof Assertion>): Promise<PasskeySignIn> => {
    const { signIn, signInLog, publicUrl, log, now } = parts;
    const challenges = createChallenges(parts);

    const fail = async (reason: string, passkey?: Passkey): Promise<never> => {
      const refusal = browser.refuse(PASSKEY_INVALID);
      log.warn(
        { reason, ...(passkey && { operator: passkey.operatorId, passkey: passkey.id }) },
        'a sign-in with a passkey has failed',
      );
      const operator = passkey && (await signIn.operators.find(passkey.operatorId));
      await signInLog.refused(operator, 'passkey', refusal.refusal.code);
      throw refusal;
    };

    const relyingParty = relyingPartyOf(publicUrl());
    const challenge = challenges.find(browser, 'sign-in');
    if (!relyingParty || challenge === undefined) return fail('it has no valid challenge');
    const passkey = await signIn.passkeys.find(given.id);
    if (!passkey) return fail('the passkey is not known');
    if (given.user_handle !== null && given.user_handle !== handleOf(passkey.operatorId))
      return fail('the passkey is of another operator', passkey);
    let counter: number;
    try {
      counter = verifyAssertion(given, passkey.publicKey, { relyingParty, challenge });
    } catch (error) {
      if (!(error instanceof PasskeyFault)) throw error;
      return fail(error.message, passkey);
    }
    if (!(await challenges.spend(challenge))) return fail('its challenge was answered', passkey);
    const operator = await signIn.operators.find(passkey.operatorId);
    if (!operator) return fail('the operator was deleted', passkey);
    if (operator.disabledAt !== null) {
      await signInLog.refused(operator, 'passkey', 'OPERATOR_DISABLED');
      throw browser.refuse(ACCOUNT_DISABLED);
    }
    if (
      !isNextCount(passkey.counter, counter) ||
      !(await signIn.passkeys.use(passkey, counter, now()))
    )
      return fail('its signature count did not grow: there may be a copy of the key', passkey);
    return { operator, passkey };
  };

/** The operator's id, as authenticators store it. It is no secret, and names nobody. */
const handleOf = (id: OperatorId): string => Buffer.from(id).toString('base64url');

const OPERATOR_ID = { id: idField("The operator's id.") };
const params = z.object(OPERATOR_ID);

const PasskeyView = z
  .strictObject({
    id: idField("The passkey's id."),
    name: z.string(),
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

const NO_STORE = { 'Cache-Control': 'no-store' } as const;

const notFound = (): never => raise('PASSKEY_NOT_FOUND');

/** Owners see and remove those of others, too. */
const requireSelf = ({ role, actor }: OperatorCaller, id: string): void => {
  if (role !== 'owner' && actor.id !== id)
    raise('INSUFFICIENT_ROLE', 'The passkeys of others require the role "owner".');
};

/** Passkeys of operators, and the challenges that they answer (decision 0052). */
export const passkeyRoutes = (parts: PasskeyParts): readonly Route[] => {
  const { signIn, sessionCache, publicUrl, log, now } = parts;

  const relyingParty = (): RelyingParty =>
    relyingPartyOf(publicUrl()) ??
    raise(
      'NOT_FOUND',
      'Browsers have passkeys for host names over HTTPS only. Set publicUrl to the https:// URL of ' +
        'a host name.',
    );

  const operatorWith = async (text: string): Promise<Operator> => {
    const id = parseOperatorId(text);
    const found = id === undefined ? undefined : await signIn.operators.find(id);
    return found ?? raise('OPERATOR_NOT_FOUND');
  };

  /** Only for oneself, and not for operators of the provider, which could no longer shut them out. */
  const ownAccount = async (caller: OperatorCaller, id: string): Promise<Operator> => {
    requireSelf(caller, id);
    const operator = await operatorWith(id);
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
    purpose: Purpose,
    more: Readonly<Record<string, unknown>> = {},
  ): RouteResponse => {
    const { id: rpId } = relyingParty();
    const { challenge, header } = createChallenges(parts).begin(purpose);
    return {
      status: 200,
      body: { challenge, rp_id: rpId, timeout_ms: PASSKEY_LIMITS.challengeMs, ...more },
      headers: { ...NO_STORE, 'Set-Cookie': header },
    };
  };

  const CHALLENGE = {
    challenge: z.string().describe('base64url; answered once, within 5 minutes.'),
    rp_id: z.string().describe('The host that passkeys are bound to.'),
    timeout_ms: z.int(),
  };

  return [
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
      handler: async () => Promise.resolve(challengeWith('sign-in')),
    }),
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
        requireSelf(caller, id);
        const operator = await operatorWith(id);
        const passkeys = await signIn.passkeys.listOf(operator.id);
        return { status: 200, body: { passkeys: passkeys.map(present) } };
      },
    }),
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
              existing: z
                .array(z.string())
                .describe('Credentials that the operator has, base64url.'),
            })
            .meta({ id: 'PasskeyOptions' }),
        },
      },
      refusals: ['NOT_FOUND', 'OPERATOR_NOT_FOUND', 'OPERATOR_FROM_PROVIDER'],
      handler: async ({ params: { id }, caller }) => {
        const operator = await ownAccount(caller, id);
        const existing = await signIn.passkeys.listOf(operator.id);
        return challengeWith(operator.id, {
          user_handle: handleOf(operator.id),
          algorithms: ALGORITHMS,
          existing: existing.map(({ credentialId }) => credentialId),
        });
      },
    }),
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
        const operator = await ownAccount(caller, of.id);
        const challenges = createChallenges(parts);
        const browser = browserIn(request);
        const refused = (reason: string): never => {
          log.warn({ operator: operator.id, reason }, 'a new passkey was not accepted');
          return raise('PASSKEY_NOT_ACCEPTED', `The passkey was not accepted: ${reason}.`);
        };
        const challenge = challenges.find(browser, operator.id);
        if (challenge === undefined) return refused('the request has expired; try again');
        let counter: number;
        try {
          counter = verifyNewCredential(body.credential, {
            relyingParty: relyingParty(),
            challenge,
          });
        } catch (error) {
          if (error instanceof PasskeyFault) return refused(error.message);
          throw error;
        }
        if (!(await challenges.spend(challenge))) return refused('its challenge was answered');
        const passkey: Passkey = {
          id: newId<PasskeyId>(),
          credentialId: body.credential.id,
          operatorId: operator.id,
          name: body.name,
          publicKey: body.credential.public_key,
          counter,
          createdAt: now(),
          lastUsedAt: null,
        };
        const created = await signIn.passkeys.create(passkey);
        if (created === 'exists') return refused('it exists already');
        if (created === 'full')
          return refused(`an account has at most ${PASSKEY_LIMITS.count}; remove one first`);
        log.info(
          { request_id: request.requestId, operator: operator.id, passkey: passkey.id },
          'passkey added',
        );
        return { status: 201, body: present(passkey), headers: { 'Set-Cookie': challenges.ended } };
      },
    }),
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
      handler: async ({ params: { id, passkeyId }, caller, requestId }) => {
        requireSelf(caller, id);
        const operator = await operatorWith(id);
        const passkey = parsePasskeyId(passkeyId) ?? notFound();
        if (!(await signIn.passkeys.delete(operator.id, passkey))) notFound();
        sessionCache.invalidateOperator(operator.id);
        log.info(
          { request_id: requestId, operator: operator.id, by: caller.actor.id, passkey },
          'passkey removed',
        );
        return { status: 204, about: operator.name };
      },
    }),
  ];
};

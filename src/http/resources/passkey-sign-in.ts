import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Browser } from '../../routes/caller.js';
import type { OperatorId } from '../../domain/kernel/ids.js';
import { refuse } from '../../domain/kernel/refusals.js';
import { isNextCount, type Passkey, PASSKEY_LIMITS } from '../../domain/operator/passkey.js';
import type { Operator } from '../../domain/operator/operator.js';
import { hashSecret } from '../access/credentials.js';
import {
  type Assertion,
  PasskeyFault,
  relyingPartyOf,
  verifyAssertion,
} from '../access/webauthn.js';
import type { RouteParts } from './route-parts.js';

export type PasskeyParts = Pick<
  RouteParts,
  'signIn' | 'sessions' | 'sessionCache' | 'seal' | 'signInLog' | 'publicUrl' | 'log' | 'now'
>;

const CHALLENGE_BYTES = 32;

/** Who answers a challenge: an operator who adds a passkey, or anyone who signs in. */
export type Purpose = OperatorId | 'sign-in';

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
export const createChallenges = ({ signIn, sessions, seal, now }: PasskeyParts) => {
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
export const signInByPasskey = async (
  parts: PasskeyParts,
  browser: Browser,
  given: z.output<typeof Assertion>,
): Promise<PasskeySignIn> => {
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

/** The operator's id, as authenticators store it. It is no secret, and does not contain a name. */
export const handleOf = (id: OperatorId): string => Buffer.from(id).toString('base64url');

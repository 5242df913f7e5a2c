import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Browser } from '../../routes/caller.js';
import type { OperatorId } from '../../domain/kernel/ids.js';
import { raise, refuse } from '../../domain/kernel/refusals.js';
import type { Operator } from '../../domain/operator/operator.js';
import { isNextCount, type Passkey, PASSKEY_LIMITS } from '../../domain/operator/passkey.js';
import { hashSecret } from '../access/credentials.js';
import type { RefusedSignIn } from '../access/sign-in-log.js';
import {
  type Assertion,
  type Expected,
  PasskeyFault,
  relyingPartyOf,
  verifyAssertion,
} from '../access/webauthn.js';
import { accountDisabled, callerIn, type Proven, SignInFault } from './begin-session.js';
import { createFlowCookie } from './flow-cookie.js';
import type { RouteParts } from './route-parts.js';

const CHALLENGE_BYTES = 32;

/** Who answers a challenge: an operator who adds a passkey, or anyone who signs in. */
export type Purpose = OperatorId | 'sign-in';

const FLOW = {
  cookie: 'rg_passkey',
  lifeMs: PASSKEY_LIMITS.challengeMs,
  content: z.object({ purpose: z.string(), challenge: z.string() }),
} as const;

/** The challenges of passkeys: in a cookie of the browser, answered once, within 5 minutes. */
export const createChallenges = (parts: RouteParts) => {
  const { signIn, publicUrl, now } = parts;
  const cookie = createFlowCookie(parts, FLOW);
  return {
    /** A new challenge, and the header that gives it to the browser. */
    begin: (purpose: Purpose): { readonly challenge: string; readonly header: string } => {
      const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
      return { challenge, header: cookie.begin({ purpose, challenge }) };
    },
    /**
     * Checks what answers the challenge of this browser for this purpose; returns its signature count.
     * Throws PasskeyFault. That it was answered is stored after `verify`, so that requests without
     * credentials store nothing.
     */
    answer: async (
      browser: Browser,
      purpose: Purpose,
      verify: (expected: Expected) => number,
    ): Promise<number> => {
      const relyingParty = relyingPartyOf(publicUrl());
      const flow = cookie.read(browser);
      if (!relyingParty || flow?.purpose !== purpose)
        throw new PasskeyFault('the request has expired; try again');
      const counter = verify({ relyingParty, challenge: flow.challenge });
      const until = new Date(now().getTime() + 2 * PASSKEY_LIMITS.challengeMs);
      if (!(await signIn.links.spend(hashSecret(flow.challenge), until)))
        throw new PasskeyFault('its challenge was answered');
      return counter;
    },
    end: cookie.end,
  };
};

const PASSKEY_INVALID = refuse(
  'UNAUTHENTICATED',
  'This passkey was not accepted: it was removed, it is of another gateway, or the request has ' +
    'expired. Try again, or ask an owner for a sign-in link.',
);

const invalid = (reason: string, about: Partial<RefusedSignIn> = {}): SignInFault =>
  new SignInFault(PASSKEY_INVALID, { ...about, reason });

/** Records the use of a passkey that signed the challenge of this browser. Also throws PasskeyFault. */
const usePasskey = async (
  parts: RouteParts,
  browser: Browser,
  { operator, passkey }: { readonly operator: Operator; readonly passkey: Passkey },
  assertion: z.output<typeof Assertion>,
): Promise<void> => {
  const counter = await createChallenges(parts).answer(browser, 'sign-in', (expected) => {
    const { user_handle: handle } = assertion;
    if (handle !== null && handle !== handleOf(operator.id))
      throw new PasskeyFault('the passkey is of another operator');
    return verifyAssertion(assertion, passkey.publicKey, expected);
  });
  if (operator.disabledAt) throw accountDisabled(operator);
  const { passkeys } = parts.signIn;
  if (
    !isNextCount(passkey.counter, counter) ||
    !(await passkeys.use(passkey, counter, parts.now()))
  )
    throw new PasskeyFault('its signature count did not grow: there may be a copy of the key');
};

/** By a passkey. In a step-up, it must be of the operator who is signed in. */
export const verifyPasskey = async (
  parts: RouteParts,
  browser: Browser,
  assertion: z.output<typeof Assertion>,
  isStepUp: boolean,
): Promise<Proven> => {
  const { operators, passkeys } = parts.signIn;
  const passkey = await passkeys.find(assertion.id);
  if (!passkey) throw invalid('the passkey is not known');
  const { id: passkeyId, operatorId } = passkey;
  const operator = await operators.find(operatorId);
  if (!operator) throw invalid('the operator was deleted', { passkey: passkeyId });
  try {
    await usePasskey(parts, browser, { operator, passkey }, assertion);
  } catch (error) {
    if (!(error instanceof PasskeyFault)) throw error;
    throw invalid(error.message, { person: operator, passkey: passkeyId });
  }
  if (isStepUp && (await callerIn(parts, browser))?.actor.id !== operatorId)
    raise('INSUFFICIENT_ROLE', 'This passkey is of another operator than the one signed in.');
  return { subject: { kind: 'operator', operatorId, by: 'passkey', passkeyId } };
};

/** The operator's id, as authenticators store it. It is no secret, and does not contain a name. */
export const handleOf = (id: OperatorId): string => Buffer.from(id).toString('base64url');

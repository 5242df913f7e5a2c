import type { Browser, OperatorCaller } from '../../routes/caller.js';
import { type Refusal, type RefusalError, refuse } from '../../domain/kernel/refusals.js';
import type { Operator, SessionSubject, SignInWay } from '../../domain/operator/operator.js';
import { SESSION_ENDED } from '../access/authenticate-operator.js';
import type { BeginOptions } from '../access/sessions.js';
import type { RefusedSignIn } from '../access/sign-in-log.js';
import type { RouteParts } from './route-parts.js';

/** A person who has proved who they are: whose session it is, and since and until when. */
export interface Proven extends BeginOptions {
  readonly subject: SessionSubject;
}

/** Why a person could not be signed in: the refusal for the client, and details for the logs. */
export class SignInFault extends Error {
  override readonly name = 'SignInFault';
  constructor(
    readonly refusal: Refusal,
    readonly details: Partial<RefusedSignIn> = {},
  ) {
    super(refusal.message);
  }
}

export const accountDisabled = (person: Operator): SignInFault =>
  new SignInFault(
    refuse('UNAUTHENTICATED', 'Your account is disabled. Ask an owner to enable it.'),
    { code: 'OPERATOR_DISABLED', person },
  );

/** Counts a failed sign-in of the client's address, and records it. Returns the error to send. */
export const refuseSignIn = async (
  { signInLog }: RouteParts,
  browser: Browser,
  way: SignInWay,
  { refusal, details }: SignInFault,
): Promise<RefusalError> => {
  const error = browser.refuse(refusal);
  await signInLog.refused(way, { code: error.refusal.code, ...details });
  return error;
};

/** Begins and records the session of a person who has proved who they are. Throws SignInFault. */
export const beginSession = async (
  { signIn, sessions, signInLog, now }: RouteParts,
  browser: Browser,
  way: SignInWay,
  { subject, ...options }: Proven,
) => {
  const { cookie, header } = await sessions.begin(browser, subject, options);
  const caller = await sessions.find(cookie);
  // Meanwhile, the operator was disabled, or the admin token replaced.
  if (!caller) throw new SignInFault(SESSION_ENDED);
  const { id = null, name } = caller.actor;
  await signInLog.done({ id, name }, way, subject.kind === 'setup' ? subject.tenant : null);
  // The session has begun: a database that is away now must not keep its cookie from the browser.
  if (id !== null)
    await signIn.operators.update(id, { lastSignInAt: now() }).catch(() => undefined);
  return { caller, cookie, header };
};

/** Whose session of the given kind the browser has. */
export const callerIn = async (
  { sessions }: RouteParts,
  { cookie }: Browser,
  isSetup = false,
): Promise<OperatorCaller | undefined> => {
  const value = sessions.cookieIn({ cookie, isSetup });
  const caller = value === undefined ? undefined : await sessions.find(value);
  return (caller?.role === 'setup') === isSetup ? caller : undefined;
};

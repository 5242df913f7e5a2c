import { z } from 'zod';
import type { Browser, OperatorCaller } from '../../routes/caller.js';
import { identifierField } from '../../routes/fields.js';
import type { RouteResponse } from '../../routes/route.js';
import type { OperatorId } from '../../domain/kernel/ids.js';
import { raise, type Refusal, type RefusalError, refuse } from '../../domain/kernel/refusals.js';
import { MAX_OPENINGS, type SessionSubject } from '../../domain/operator/operator.js';
import { newId } from '../../pipeline/submit.js';
import { hashSecret } from '../access/credentials.js';
import { Assertion } from '../access/webauthn.js';
import { ACCOUNT_DISABLED, signInByPasskey } from './passkey-sign-in.js';
import type { RouteParts } from './route-parts.js';
import { presentSession } from './session-view.js';

export const MAX_SECRET = 512;

export const NO_STORE = { 'Cache-Control': 'no-store' } as const;

export const SignIn = z
  .strictObject({
    admin_token: z.string().min(1).max(MAX_SECRET).optional(),
    step_up: z
      .literal(true)
      .optional()
      .describe(
        'With `admin_token`, in the session of an owner: they stay signed in as themselves. With ' +
          '`passkey`: it must be of the operator who is signed in.',
      ),
    link: z
      .string()
      .min(1)
      .max(MAX_SECRET)
      .optional()
      .describe('The part of a sign-in or setup link after `#`.'),
    passkey: Assertion.optional().describe(
      'The answer to `POST /session/passkey-challenge`, of the same browser.',
    ),
    name: identifierField(256)
      .optional()
      .describe('With the first setup link: the name of the owner.'),
    email: identifierField(254)
      .meta({ format: 'email' })
      .nullable()
      .optional()
      .describe('With the first setup link.'),
  })
  .refine(
    ({ admin_token, link, passkey }) =>
      [admin_token, link, passkey].filter((proof) => proof !== undefined).length === 1,
    'must contain one of admin_token, link and passkey',
  )
  .meta({ id: 'SignIn', examples: [{ admin_token: 'rgadm_…' }] });

type SignIn = z.output<typeof SignIn>;

const LINK_INVALID = refuse(
  'UNAUTHENTICATED',
  'This link is not valid: it was used or replaced, it has expired, or the account is disabled. ' +
    'Ask an owner for a new one.',
);
const LINK_USED_UP = refuse(
  'UNAUTHENTICATED',
  `This setup link was opened ${MAX_OPENINGS} times, which is its limit. Ask for a new one.`,
);
const TOKEN_INVALID = refuse('UNAUTHENTICATED', 'This is not the admin token.');

/** Before a link is used up. */
export const requireTls = ({ sessions }: RouteParts): void => {
  if (!sessions.cookies().areKept)
    raise(
      'INVALID_REQUEST',
      'Browsers sign in over HTTPS only. Serve the gateway over TLS and set publicUrl to its ' +
        'https:// URL.',
    );
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

const begin = async (
  parts: RouteParts,
  browser: Browser,
  subject: SessionSubject,
  { endsAt, proof }: { readonly endsAt?: Date; readonly proof?: 'admin-token' } = {},
): Promise<RouteResponse> => {
  const { signIn, sessions, signInLog, now } = parts;
  const { cookie, header } = await sessions.begin(browser, subject, endsAt && { endsAt });
  const caller = await sessions.find(cookie);
  if (!caller) throw browser.refuse(LINK_INVALID);
  const { kind } = subject;
  await signInLog.done(
    { id: caller.actor.id ?? null, name: caller.actor.name },
    kind === 'operator' ? (proof ?? subject.by) : kind,
    kind === 'setup' ? { tenant: subject.tenant } : {},
  );
  if (caller.actor.id !== undefined)
    await signIn.operators.update(caller.actor.id, { lastSignInAt: now() });
  return {
    status: 201,
    body: await presentSession(parts, caller, cookie),
    headers: { ...NO_STORE, 'Set-Cookie': header },
  };
};

/** Of a client that has not signed in. */
const refused = async (
  { signInLog }: RouteParts,
  browser: Browser,
  refusal: Refusal,
  way: 'link' | 'setup' | 'admin-token',
): Promise<RefusalError> => {
  const error = browser.refuse(refusal);
  await signInLog.refused(undefined, way, error.refusal.code);
  return error;
};

const ownerStepsUp = async (
  parts: RouteParts,
  browser: Browser,
): Promise<SessionSubject | undefined> => {
  const caller = await callerIn(parts, browser);
  return caller?.role === 'owner' ? caller.session?.subject : undefined;
};

export const signInByToken = async (
  parts: RouteParts,
  browser: Browser,
  { token, isStepUp }: { readonly token: string; readonly isStepUp: boolean },
): Promise<RouteResponse> => {
  const tokenHash = await parts.adminTokenCheck.check(token);
  if (tokenHash === undefined) throw await refused(parts, browser, TOKEN_INVALID, 'admin-token');
  const own = isStepUp ? await ownerStepsUp(parts, browser) : undefined;
  if (isStepUp && !own)
    raise('INSUFFICIENT_ROLE', 'Only an owner who is signed in steps up with the admin token.');
  // A token that was replaced since does not begin a session that ends at once.
  const subject =
    own && own.kind !== 'admin-token' ? own : ({ kind: 'admin-token', tokenHash } as const);
  return begin(parts, browser, subject, { proof: 'admin-token' });
};

export const signInWithPasskey = async (
  parts: RouteParts,
  browser: Browser,
  {
    assertion,
    isStepUp,
  }: { readonly assertion: z.output<typeof Assertion>; readonly isStepUp: boolean },
): Promise<RouteResponse> => {
  const { operator, passkey } = await signInByPasskey(parts, browser, assertion);
  if (isStepUp && (await callerIn(parts, browser))?.actor.id !== operator.id)
    raise('INSUFFICIENT_ROLE', 'This passkey is of another operator than the one signed in.');
  const subject = { kind: 'operator', operatorId: operator.id, by: 'passkey' } as const;
  return begin(parts, browser, { ...subject, passkeyId: passkey.id });
};

const createFirstOwner = async (
  { signIn, now }: RouteParts,
  name: string,
  email: string | null,
): Promise<OperatorId | undefined> => {
  const id = newId<OperatorId>();
  const isCreated = await signIn.operators.createFirst({
    id,
    name,
    email,
    role: 'owner',
    tenants: null,
    source: 'link',
    subject: null,
    createdAt: now(),
    disabledAt: null,
    lastSignInAt: null,
  });
  return isCreated ? id : undefined;
};

export const signInByLink = async (
  parts: RouteParts,
  browser: Browser,
  { link: secret = '', name, email = null }: SignIn,
): Promise<RouteResponse> => {
  const { signIn, signInLog } = parts;
  const link = await signIn.links.find(hashSecret(secret));
  if (!link || link.kind === 'setup') throw await refused(parts, browser, LINK_INVALID, 'link');
  if (link.kind === 'first-owner') {
    const ownersName =
      name ??
      raise('INVALID_REQUEST', 'The body is not valid: name is required by this link.', {
        details: [{ path: 'name', message: 'is required by this link' }],
      });
    const operatorId = await createFirstOwner(parts, ownersName, email);
    if (operatorId === undefined) throw browser.refuse(LINK_INVALID);
    return begin(parts, browser, { kind: 'operator', operatorId, by: 'link' });
  }
  const operator = await signIn.operators.find(link.operatorId);
  if (operator?.disabledAt) {
    await signInLog.refused(operator, 'link', 'OPERATOR_DISABLED');
    throw browser.refuse(ACCOUNT_DISABLED);
  }
  if (!(await signIn.links.use(link))) throw browser.refuse(LINK_INVALID);
  return begin(parts, browser, { kind: 'operator', operatorId: link.operatorId, by: 'link' });
};

export const openSetupLink = async (
  parts: RouteParts,
  browser: Browser,
  secret: string,
): Promise<RouteResponse> => {
  const { links } = parts.signIn;
  const link = await links.find(hashSecret(secret));
  if (link?.kind !== 'setup') throw await refused(parts, browser, LINK_INVALID, 'setup');
  if (!(await links.countOpening(link.hash))) throw browser.refuse(LINK_USED_UP);
  const subject = { kind: 'setup', tenant: link.tenant, linkHash: link.hash } as const;
  return begin(parts, browser, subject, { endsAt: link.expiresAt });
};

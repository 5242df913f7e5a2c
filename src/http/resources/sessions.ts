import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Browser } from '../../routes/caller.js';
import { identifierField, textLike } from '../../routes/fields.js';
import { operatorRoute, publicRoute, type Route, type RouteResponse } from '../../routes/route.js';
import { raise, RefusalError } from '../../domain/kernel/refusals.js';
import type { SignInWay } from '../../domain/operator/operator.js';
import { browserIn } from '../access/sessions.js';
import { Assertion, relyingPartyOf } from '../access/webauthn.js';
import { beginSession, callerIn, type Proven, refuseSignIn, SignInFault } from './begin-session.js';
import { OIDC_START } from './oidc.js';
import { emailField } from './operators.js';
import { verifyPasskey } from './passkey-sign-in.js';
import type { RouteParts } from './route-parts.js';
import { presentSession, SessionView } from './session-view.js';
import { verifyAdminToken, verifyLink, verifySetupLink } from './verify-sign-in.js';

const tag = 'Sign-in';
const LOGO = '/branding/logo';
const SVG = 'image/svg+xml';

const MAX_SECRET = 512;
const SIGN_IN_FIELDS = 16_384;

const SignIn = z
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
    email: emailField.optional().describe('With the first setup link.'),
  })
  .refine(
    ({ admin_token, link, passkey }) =>
      [admin_token, link, passkey].filter((proof) => proof !== undefined).length === 1,
    'must contain one of admin_token, link and passkey',
  )
  .meta({ id: 'SignIn', examples: [{ admin_token: 'rgadm_…' }] });

const WaysToSignIn = z
  .strictObject({
    oidc: z
      .strictObject({ name: z.string(), start_url: z.string() })
      .nullable()
      .describe('The OpenID provider, if one is configured.'),
    brand: z
      .strictObject({
        name: z.string().nullable(),
        logo_url: textLike('/admin/v1/branding/logo').nullable().describe('The address of an SVG.'),
        accent: z
          .strictObject({ light: textLike('#1a5fb4'), dark: textLike('#6a97ce') })
          .nullable()
          .describe('Accent colours of the light and the dark theme.'),
      })
      .describe('The organisation that operates this gateway; null: not configured.'),
    passkey_host: z
      .string()
      .nullable()
      .describe('The host that passkeys are bound to; null: browsers have none for `publicUrl`.'),
    session: SessionView.nullable().describe(
      "The operator's session of this request's cookie; null: signed out.",
    ),
    setup_open: z
      .boolean()
      .describe('A cookie of this request belongs to the session of a setup link.'),
    setup_pending: z
      .boolean()
      .describe('No operator was created yet: the setup link creates the first one.'),
    unavailable: z
      .string()
      .nullable()
      .describe(
        'Why signing in is not possible at the moment; null: it is. The other fields are then ' +
          'what the configuration says.',
      ),
  })
  .meta({ id: 'WaysToSignIn' });

/** Without the database, the page still shows which ways there are. */
const stateOf = async (parts: RouteParts, browser: Browser) => {
  const { sessions, signIn } = parts;
  try {
    const [own, setup, hasOperators] = await Promise.all([
      callerIn(parts, browser),
      callerIn(parts, browser, true),
      signIn.operators.exist(),
    ]);
    const cookie = sessions.cookieIn({ ...browser, isSetup: false });
    return {
      session: own ? await presentSession(parts, own, cookie) : null,
      setup_open: setup !== undefined,
      setup_pending: !hasOperators,
      unavailable: null,
    };
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code !== 'UNAVAILABLE') throw error;
    const unavailable = error.refusal.message;
    return { session: null, setup_open: false, setup_pending: false, unavailable };
  }
};

const getWays = (parts: RouteParts): Route =>
  publicRoute({
    method: 'GET',
    path: '/sign-in',
    operationId: 'getSignIn',
    tag,
    summary: 'Get the ways to sign in',
    responses: { 200: { description: 'The ways to sign in.', body: WaysToSignIn } },
    handler: async (request) => {
      const { operatorSignIn, branding, publicUrl } = parts;
      const { name, logo, accent } = branding;
      return {
        status: 200,
        body: {
          oidc: operatorSignIn
            ? { name: operatorSignIn.provider.name, start_url: OIDC_START }
            : null,
          brand: { name, logo_url: logo === null ? null : `/admin/v1${LOGO}`, accent },
          passkey_host: relyingPartyOf(publicUrl())?.id ?? null,
          ...(await stateOf(parts, browserIn(request))),
        },
      };
    },
  });

const getLogo = ({ branding }: RouteParts): Route =>
  publicRoute({
    method: 'GET',
    path: LOGO,
    operationId: 'getLogo',
    tag,
    summary: 'Get the logo of the organisation that operates the gateway',
    responses: { 200: { description: 'The logo.', mediaTypes: [SVG] } },
    refusals: ['NOT_FOUND'],
    handler: () => {
      if (branding.logo === null) return raise('NOT_FOUND', 'No logo is configured.');
      const chunks = Readable.from([branding.logo]);
      return Promise.resolve({ status: 200, file: { type: SVG, name: 'logo.svg', chunks } });
    },
  });

/** Before a link is used up. */
const requireTls = ({ sessions }: RouteParts): void => {
  if (!sessions.cookies().areKept)
    raise(
      'INVALID_REQUEST',
      'Browsers sign in over HTTPS only. Serve the gateway over TLS and set publicUrl to its ' +
        'https:// URL.',
    );
};

/** Signs in, and returns the session. */
const signInBy = async (
  parts: RouteParts,
  browser: Browser,
  way: SignInWay,
  verify: () => Promise<Proven>,
): Promise<RouteResponse> => {
  requireTls(parts);
  try {
    const { caller, cookie, header } = await beginSession(parts, browser, way, await verify());
    const body = await presentSession(parts, caller, cookie);
    return { status: 201, body, headers: { 'Set-Cookie': header } };
  } catch (error) {
    if (!(error instanceof SignInFault)) throw error;
    throw await refuseSignIn(parts, browser, way, error);
  }
};

const signIn = (parts: RouteParts): Route =>
  publicRoute({
    method: 'POST',
    path: '/session',
    operationId: 'signIn',
    tag,
    summary: 'Sign in',
    description:
      'Exchanges the admin token, the secret of a link or a passkey for a session, in a cookie that scripts ' +
      'cannot read. By default, a session ends after 30 minutes without a request, and after 12 hours.',
    body: SignIn,
    bodyLimit: SIGN_IN_FIELDS,
    responses: { 201: { description: 'The session.', body: SessionView } },
    refusals: ['INSUFFICIENT_ROLE'],
    handler: async (request) => {
      const browser = browserIn(request);
      const { admin_token: token, passkey, step_up: isStepUp = false } = request.body;
      if (passkey)
        return signInBy(parts, browser, 'passkey', () =>
          verifyPasskey(parts, browser, passkey, isStepUp),
        );
      if (token !== undefined)
        return signInBy(parts, browser, 'admin-token', () =>
          verifyAdminToken(parts, browser, token, isStepUp),
        );
      const { link = '', name, email = null } = request.body;
      return signInBy(parts, browser, 'link', () => verifyLink(parts, link, name, email));
    },
  });

const openSetupLink = (parts: RouteParts): Route =>
  publicRoute({
    method: 'POST',
    path: '/setup-session',
    operationId: 'openSetupLink',
    tag,
    summary: 'Open a setup link',
    description:
      "For the administrator of a customer: a session that shows the setup of the tenant's " +
      'identity provider, may make one API key for it, and nothing else. The link works until it ' +
      "expires. The session has a cookie of its own, beside that of an operator's session: " +
      'requests use it if they send `X-Rollgate-Session: setup`.',
    body: z
      .strictObject({
        link: z.string().min(1).max(MAX_SECRET).describe('The part of the link after `#`.'),
      })
      .meta({ id: 'SetupSignIn' }),
    bodyLimit: SIGN_IN_FIELDS,
    responses: { 201: { description: 'The session.', body: SessionView } },
    handler: (request) =>
      signInBy(parts, browserIn(request), 'setup', () => verifySetupLink(parts, request.body.link)),
  });

const getSession = (parts: RouteParts): Route =>
  operatorRoute({
    method: 'GET',
    path: '/session',
    operationId: 'getSession',
    tag,
    summary: 'Get the session',
    description: 'Who is signed in, and the token that writes need.',
    isForBoundOperators: true,
    forCustomers: {
      fields:
        'operator(id name email role tenants) csrf_token authenticated_at step_up_until expires_at ' +
        'by has_passkey setup(tenant provider key_id)',
    },
    responses: { 200: { description: 'The session.', body: SessionView } },
    handler: async (request) => {
      const { caller } = request;
      const cookie = caller.session && parts.sessions.cookieIn(browserIn(request));
      return { status: 200, body: await presentSession(parts, caller, cookie) };
    },
  });

const endSession = ({ sessions }: RouteParts): Route =>
  operatorRoute({
    method: 'DELETE',
    path: '/session',
    operationId: 'signOut',
    tag,
    summary: 'Sign out',
    description: 'Ends the session on all gateways within 1 s.',
    role: 'auditor',
    isForBoundOperators: true,
    forCustomers: { fields: '' },
    responses: { 204: { description: 'The session has ended.' } },
    handler: async ({ caller: { session } }) =>
      session
        ? { status: 204, headers: { 'Set-Cookie': await sessions.end(session) } }
        : { status: 204 },
  });

/** Signing in and out of the operators' API with a browser (decisions.md 8). */
export const sessionRoutes = (parts: RouteParts): readonly Route[] =>
  [getWays, getLogo, signIn, openSetupLink, getSession, endSession].map((declare) =>
    declare(parts),
  );

import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Browser, OperatorCaller } from '../../routes/caller.js';
import { idField, identifierField, instantField, textLike } from '../../routes/fields.js';
import { operatorRoute, publicRoute, type Route, type RouteResponse } from '../../routes/route.js';
import type { OperatorId } from '../../domain/kernel/ids.js';
import { raise, type Refusal, RefusalError, refuse } from '../../domain/kernel/refusals.js';
import {
  OPERATOR_ROLES,
  expiryOf,
  MAX_OPENINGS,
  type OperatorSession,
  type SessionSubject,
  stepUpUntil,
} from '../../domain/operator/operator.js';
import { newId } from '../../pipeline/submit.js';
import { browserIn, csrfTokenOf } from '../access/sessions.js';
import { hashSecret } from '../access/credentials.js';
import { Assertion, relyingPartyOf } from '../access/webauthn.js';
import { OIDC_START } from './oidc.js';
import { ACCOUNT_DISABLED, createPasskeySignIn } from './passkeys.js';
import type { RouteParts } from './route-parts.js';

const tag = 'Sign-in';
const LOGO = '/branding/logo';
const SVG = 'image/svg+xml';

const SIGN_IN_FIELDS = 16_384;
const MAX_SECRET = 512;

/** Who is signed in. */
const SessionView = z
  .strictObject({
    operator: z.strictObject({
      id: idField('Null for the admin token and setup links.').nullable(),
      name: z.string(),
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
      .enum(['link', 'oidc', 'passkey', 'admin-token', 'setup'])
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

const isByProvider = (session: OperatorSession | undefined): boolean =>
  session?.subject.kind === 'operator' && session.subject.by === 'oidc';

const waysOf = (session: OperatorSession | undefined) => {
  if (!session) return null;
  const { subject } = session;
  return subject.kind === 'operator' ? subject.by : subject.kind;
};

const NO_STORE = { 'Cache-Control': 'no-store' } as const;

/** Signing in and out of the operators' API with a browser (decisions.md 8). */
export const sessionRoutes = (parts: RouteParts): readonly Route[] => {
  const { signIn, sessions, adminTokenCheck, operatorSignIn, publicUrl, signInLog, now } = parts;
  const { branding } = parts;

  const present = async (
    { actor, role, tenants, session, setup }: OperatorCaller,
    cookie: string | undefined,
  ): Promise<z.output<typeof SessionView>> => {
    const operator = actor.id === undefined ? undefined : await signIn.operators.find(actor.id);
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
      by: waysOf(session),
      has_passkey: operator !== undefined && (await signIn.passkeys.listOf(operator.id)).length > 0,
      setup: setup
        ? { tenant: tenants?.[0] ?? '', provider: setup.provider, key_id: setup.keyId }
        : null,
      sign_out_url: isByProvider(session) ? (signOutUrl() ?? null) : null,
    };
  };

  const signOutUrl = (): string | null | undefined =>
    operatorSignIn?.provider.signOutUrl(`${publicUrl()}/dashboard/sign-in`);

  /** Before a link is used up. */
  const requireTls = (): void => {
    if (!sessions.cookies().areKept)
      raise(
        'INVALID_REQUEST',
        'Browsers sign in over HTTPS only. Serve the gateway over TLS and set publicUrl to its ' +
          'https:// URL.',
      );
  };

  const begin = async (
    browser: Browser,
    subject: SessionSubject,
    { endsAt, proof }: { readonly endsAt?: Date; readonly proof?: 'admin-token' } = {},
  ): Promise<RouteResponse> => {
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
      body: await present(caller, cookie),
      headers: { ...NO_STORE, 'Set-Cookie': header },
    };
  };

  /** Of somebody who is not known. */
  const refused = async (
    browser: Browser,
    refusal: Refusal,
    way: 'link' | 'setup' | 'admin-token',
  ): Promise<RefusalError> => {
    const error = browser.refuse(refusal);
    await signInLog.refused(undefined, way, error.refusal.code);
    return error;
  };

  /** Whose session of the given kind the browser has. */
  const callerIn = async (
    { cookie }: Browser,
    isSetup = false,
  ): Promise<OperatorCaller | undefined> => {
    const value = sessions.cookieIn({ cookie, isSetup });
    const caller = value === undefined ? undefined : await sessions.find(value);
    return (caller?.role === 'setup') === isSetup ? caller : undefined;
  };

  /** Without the database, the page still shows which ways there are. */
  const stateOf = async (browser: Browser) => {
    try {
      const [own, setup, hasOperators] = await Promise.all([
        callerIn(browser),
        callerIn(browser, true),
        signIn.operators.exist(),
      ]);
      return {
        session: own ? await present(own, sessions.cookieIn({ ...browser, isSetup: false })) : null,
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

  const ownerStepsUp = async (browser: Browser): Promise<SessionSubject | undefined> => {
    const caller = await callerIn(browser);
    return caller?.role === 'owner' ? caller.session?.subject : undefined;
  };

  const byToken = async (
    browser: Browser,
    token: string,
    isStepUp: boolean,
  ): Promise<RouteResponse> => {
    const tokenHash = await adminTokenCheck.check(token);
    if (tokenHash === undefined) throw await refused(browser, TOKEN_INVALID, 'admin-token');
    const own = isStepUp ? await ownerStepsUp(browser) : undefined;
    if (isStepUp && !own)
      raise('INSUFFICIENT_ROLE', 'Only an owner who is signed in steps up with the admin token.');
    // A token that was replaced since does not begin a session that ends at once.
    const subject =
      own && own.kind !== 'admin-token' ? own : ({ kind: 'admin-token', tokenHash } as const);
    return begin(browser, subject, { proof: 'admin-token' });
  };

  const signInByPasskey = createPasskeySignIn(parts);

  const byPasskey = async (
    browser: Browser,
    assertion: z.output<typeof Assertion>,
    isStepUp: boolean,
  ): Promise<RouteResponse> => {
    const { operator, passkey } = await signInByPasskey(browser, assertion);
    if (isStepUp && (await callerIn(browser))?.actor.id !== operator.id)
      raise('INSUFFICIENT_ROLE', 'This passkey is of another operator than the one signed in.');
    const subject = { kind: 'operator', operatorId: operator.id, by: 'passkey' } as const;
    return begin(browser, { ...subject, passkeyId: passkey.id });
  };

  const createFirstOwner = async (
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

  const byLink = async (
    browser: Browser,
    { link: secret = '', name, email = null }: z.output<typeof SignIn>,
  ): Promise<RouteResponse> => {
    const link = await signIn.links.find(hashSecret(secret));
    if (!link || link.kind === 'setup') throw await refused(browser, LINK_INVALID, 'link');
    if (link.kind === 'first-owner') {
      const ownersName =
        name ??
        raise('INVALID_REQUEST', 'The body is not valid: name is required by this link.', {
          details: [{ path: 'name', message: 'is required by this link' }],
        });
      const operatorId = await createFirstOwner(ownersName, email);
      if (operatorId === undefined) throw browser.refuse(LINK_INVALID);
      return begin(browser, { kind: 'operator', operatorId, by: 'link' });
    }
    const operator = await signIn.operators.find(link.operatorId);
    if (operator?.disabledAt) {
      await signInLog.refused(operator, 'link', 'OPERATOR_DISABLED');
      throw browser.refuse(ACCOUNT_DISABLED);
    }
    if (!(await signIn.links.use(link))) throw browser.refuse(LINK_INVALID);
    return begin(browser, { kind: 'operator', operatorId: link.operatorId, by: 'link' });
  };

  const bySetupLink = async (browser: Browser, secret: string): Promise<RouteResponse> => {
    const link = await signIn.links.find(hashSecret(secret));
    if (link?.kind !== 'setup') throw await refused(browser, LINK_INVALID, 'setup');
    if (!(await signIn.links.countOpening(link.hash))) throw browser.refuse(LINK_USED_UP);
    const subject = { kind: 'setup', tenant: link.tenant, linkHash: link.hash } as const;
    return begin(browser, subject, { endsAt: link.expiresAt });
  };

  return [
    publicRoute({
      method: 'GET',
      path: '/sign-in',
      operationId: 'getSignIn',
      tag,
      summary: 'Get the ways to sign in',
      responses: {
        200: {
          description: 'The ways to sign in.',
          body: z
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
                .describe(
                  'The host that passkeys are bound to; null: browsers have none for `publicUrl`.',
                ),
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
                  'Why nobody can sign in at the moment; null: they can. The other fields are then ' +
                    'what the configuration says.',
                ),
            })
            .meta({ id: 'WaysToSignIn' }),
        },
      },
      handler: async (request) => ({
        status: 200,
        body: {
          oidc: operatorSignIn
            ? { name: operatorSignIn.provider.name, start_url: OIDC_START }
            : null,
          brand: {
            name: branding.name,
            logo_url: branding.logo === null ? null : `/admin/v1${LOGO}`,
            accent: branding.accent,
          },
          passkey_host: relyingPartyOf(publicUrl())?.id ?? null,
          ...(await stateOf(browserIn(request))),
        },
        headers: NO_STORE,
      }),
    }),
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
    }),
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
        requireTls();
        const browser = browserIn(request);
        const { admin_token: token, passkey, step_up: isStepUp = false } = request.body;
        if (passkey) return byPasskey(browser, passkey, isStepUp);
        return token === undefined
          ? byLink(browser, request.body)
          : byToken(browser, token, isStepUp);
      },
    }),
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
      handler: async (request) => {
        requireTls();
        return bySetupLink(browserIn(request), request.body.link);
      },
    }),
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
        const cookie = caller.session && sessions.cookieIn(browserIn(request));
        return { status: 200, body: await present(caller, cookie), headers: NO_STORE };
      },
    }),
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
    }),
  ];
};

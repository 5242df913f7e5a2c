import { z } from 'zod';
import type { Browser } from '../../routes/caller.js';
import { type OpenIdFlow, type OpenIdPerson, OpenIdFault } from '../../ports/operators.js';
import { publicRoute, type Route, type RouteResponse } from '../../routes/route.js';
import type { OperatorId } from '../../domain/kernel/ids.js';
import { raise, refuse } from '../../domain/kernel/refusals.js';
import type { Operator, GroupRole } from '../../domain/operator/operator.js';
import { newId } from '../../pipeline/submit.js';
import { browserIn } from '../access/sessions.js';
import type { OperatorSignIn, RouteParts } from './route-parts.js';

const tag = 'Sign-in';

/** Enough to sign in at the provider, with a second factor. */
const FLOW_MS = 10 * 60_000;
const HOME = '/dashboard/';
const CALLBACK = '/admin/v1/oidc/callback';
export const OIDC_START = '/admin/v1/oidc/start';

/** Why a sign-in has failed, for the page that explains it. */
type SignInFault =
  | 'SIGN_IN_EXPIRED'
  | 'PROVIDER_REFUSED'
  | 'PROVIDER_FAILED'
  | 'NO_RECENT_SIGN_IN'
  | 'NO_ROLE'
  | 'OPERATOR_DISABLED';

const CODES = {
  refused: 'PROVIDER_REFUSED',
  failed: 'PROVIDER_FAILED',
  'not-recent': 'NO_RECENT_SIGN_IN',
} as const satisfies Record<OpenIdFault['kind'], SignInFault>;

class SignInFailed extends Error {
  constructor(
    readonly code: SignInFault,
    /** Whom the provider has named. */
    readonly person?: { readonly id: OperatorId | null; readonly name: string },
  ) {
    super(code);
  }
}

const Flow = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  maxAge: z.number().optional(),
  returnTo: z.string(),
  until: z.number(),
});

/** A page of the dashboard; anything else would let a link send people elsewhere. */
const pageOf = (returnTo: string | undefined, publicUrl: string): string => {
  if (returnTo === undefined || !URL.canParse(returnTo, publicUrl)) return HOME;
  const { origin, pathname, search } = new URL(returnTo, publicUrl);
  const isOwn = origin === new URL(publicUrl).origin && pathname.startsWith(HOME);
  return isOwn ? pathname + search : HOME;
};

const redirect = (to: string, cookies: readonly string[]): RouteResponse => ({
  status: 303,
  headers: { Location: to, 'Set-Cookie': cookies, 'Cache-Control': 'no-store' },
});

const REFUSED = refuse('UNAUTHENTICATED', 'The sign-in has failed.');

const REDIRECT = { 303: { description: 'To the next page.' } };

/** The first entry whose group the person is in. */
const roleOf = (
  roles: readonly GroupRole[],
  { groups }: OpenIdPerson,
): Pick<GroupRole, 'role' | 'tenants'> | undefined =>
  roles.find(({ group }) => groups.includes(group));

const requireProvider = ({ operatorSignIn }: RouteParts): OperatorSignIn =>
  operatorSignIn ?? raise('NOT_FOUND', 'No OpenID provider is configured (operators.oidc).');

const flowCookie = ({ sessions }: RouteParts, value: string): string =>
  sessions.cookies().header('rg_oidc', value, value === '' ? 0 : FLOW_MS / 1_000);

const readFlow = ({ sessions, seal, now }: RouteParts, browser: Browser): z.output<typeof Flow> => {
  const sealed = browser.cookie(sessions.cookies().name('rg_oidc'));
  if (sealed === undefined) throw new SignInFailed('SIGN_IN_EXPIRED');
  try {
    const flow = Flow.parse(JSON.parse(seal.unseal(sealed)));
    if (flow.until > now().getTime()) return flow;
  } catch {
    // Of another database, or damaged: as good as none.
  }
  throw new SignInFailed('SIGN_IN_EXPIRED');
};

/** Creates the operator at the first sign-in; later ones take over what the provider says. */
const admit = async (parts: RouteParts, person: OpenIdPerson): Promise<OperatorId> => {
  const { operators, sessions: stored } = parts.signIn;
  const { name, email, subject } = person;
  const rights = roleOf(requireProvider(parts).roles, person);
  const known = await operators.findBySubject(subject);
  if (!rights) {
    // They have left the group: nothing of them may go on elsewhere.
    if (known) await stored.deleteOf(known.id);
    throw new SignInFailed('NO_ROLE', { id: known?.id ?? null, name });
  }
  if (known?.disabledAt) throw new SignInFailed('OPERATOR_DISABLED', known);
  const { role, tenants } = rights;
  const current = { name, email, role, tenants, lastSignInAt: parts.now() };
  if (known) {
    await operators.update(known.id, current);
    return known.id;
  }
  const operator: Operator = {
    id: newId<OperatorId>(),
    ...current,
    source: 'oidc',
    subject,
    createdAt: parts.now(),
    disabledAt: null,
  };
  // Two tabs may sign the same person in for the first time.
  if (await operators.create(operator)) return operator.id;
  return admit(parts, person);
};

const finish = async (
  parts: RouteParts,
  browser: Browser,
  query: string,
): Promise<RouteResponse> => {
  const { returnTo, until: _until, maxAge, ...flow } = readFlow(parts, browser);
  const wanted: OpenIdFlow = { ...flow, ...(maxAge !== undefined && { maxAge }) };
  const returned = new URL(`${parts.publicUrl()}${CALLBACK}${query}`);
  const person = await requireProvider(parts).provider.finish(returned, wanted);
  const operatorId = await admit(parts, person);
  const { header } = await parts.sessions.begin(
    browser,
    { kind: 'operator', operatorId, by: 'oidc' },
    { authenticatedAt: person.authenticatedAt },
  );
  await parts.signInLog.done({ id: operatorId, name: person.name }, 'oidc');
  return redirect(returnTo, [header, flowCookie(parts, '')]);
};

const codeOf = (error: unknown): SignInFault | undefined => {
  if (error instanceof SignInFailed) return error.code;
  return error instanceof OpenIdFault ? CODES[error.kind] : undefined;
};

/** To the page that explains it; guesses are limited like other failed authentications. */
const fail = async (
  parts: RouteParts,
  browser: Browser,
  error: unknown,
): Promise<RouteResponse> => {
  const code = codeOf(error);
  if (code === undefined) throw error;
  const refusal = browser.refuse(REFUSED);
  const person = error instanceof SignInFailed ? error.person : undefined;
  await parts.signInLog.refused(person, 'oidc', code);
  if (refusal.refusal.code === 'RATE_LIMITED') throw refusal;
  const reason = error instanceof OpenIdFault ? error.message : code;
  parts.log.warn({ code, reason }, 'a sign-in with the OpenID provider has failed');
  return redirect(`${HOME}sign-in?error=${code}`, [flowCookie(parts, '')]);
};

const startOpenIdSignIn = (parts: RouteParts): Route =>
  publicRoute({
    method: 'GET',
    path: '/oidc/start',
    operationId: 'startOpenIdSignIn',
    tag,
    summary: 'Sign in with the OpenID provider',
    description: 'For browsers: redirects to the provider.',
    query: z.strictObject({
      return_to: z.string().max(2_048).optional().describe('A page of the dashboard.'),
      step_up: z
        .literal('1')
        .optional()
        .describe(
          'Requires a recent proof of identity, for operations that need one. Without it, the ' +
            'session is recent only as far as the provider says so (`auth_time`).',
        ),
    }),
    responses: REDIRECT,
    refusals: ['NOT_FOUND'],
    handler: async (request) => {
      const { return_to: returnTo, step_up: stepUp } = request.query;
      const { provider } = requireProvider(parts);
      const browser = browserIn(request);
      try {
        const { url, flow } = await provider.begin({
          redirectUri: parts.publicUrl() + CALLBACK,
          isStepUp: stepUp !== undefined,
        });
        const carried: z.output<typeof Flow> = {
          ...flow,
          returnTo: pageOf(returnTo, parts.publicUrl()),
          until: parts.now().getTime() + FLOW_MS,
        };
        return redirect(url, [flowCookie(parts, parts.seal.seal(JSON.stringify(carried)))]);
      } catch (error) {
        return await fail(parts, browser, error);
      }
    },
  });

const finishOpenIdSignIn = (parts: RouteParts): Route =>
  publicRoute({
    method: 'GET',
    path: '/oidc/callback',
    operationId: 'finishOpenIdSignIn',
    tag,
    summary: 'Return from the OpenID provider',
    description:
      'For browsers: begins a session and redirects to the dashboard, or to its sign-in page with ' +
      '`error`: `SIGN_IN_EXPIRED`, `PROVIDER_REFUSED`, `PROVIDER_FAILED`, `NO_RECENT_SIGN_IN`, ' +
      '`NO_ROLE` or `OPERATOR_DISABLED`.',
    // Providers add parameters of their own.
    query: z.looseObject({}),
    responses: REDIRECT,
    refusals: ['NOT_FOUND'],
    handler: async (request) => {
      const browser = browserIn(request);
      requireProvider(parts);
      const query = new URLSearchParams(request.query as Record<string, string>).toString();
      return finish(parts, browser, `?${query}`).catch((error: unknown) =>
        fail(parts, browser, error),
      );
    },
  });

/** Signing in with the OpenID provider (decisions.md 8). */
export const oidcRoutes = (parts: RouteParts): readonly Route[] =>
  [startOpenIdSignIn, finishOpenIdSignIn].map((declare) => declare(parts));

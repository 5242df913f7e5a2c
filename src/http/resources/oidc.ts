import { z } from 'zod';
import type { Browser } from '../../routes/caller.js';
import { OpenIdFault, type OpenIdFlow, type OpenIdPerson } from '../../ports/operators.js';
import { publicRoute, type Route, type RouteResponse } from '../../routes/route.js';
import type { OperatorId } from '../../domain/kernel/ids.js';
import { raise, refuse } from '../../domain/kernel/refusals.js';
import type { GroupRole } from '../../domain/operator/operator.js';
import { browserIn } from '../access/sessions.js';
import type { RefusedSignIn } from '../access/sign-in-log.js';
import {
  accountDisabled,
  beginSession,
  type Proven,
  refuseSignIn,
  SignInFault,
} from './begin-session.js';
import { createFlowCookie } from './flow-cookie.js';
import { newOperator } from './operators.js';
import type { OperatorSignIn, RouteParts } from './route-parts.js';

const tag = 'Sign-in';

/** Enough to sign in at the provider, with a second factor. */
const FLOW_MS = 10 * 60_000;
const HOME = '/dashboard/';
const CALLBACK = '/admin/v1/oidc/callback';
export const OIDC_START = '/admin/v1/oidc/start';

/** Why a sign-in has failed, for the page that explains it. */
type SignInFaultCode =
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
} as const satisfies Record<OpenIdFault['kind'], SignInFaultCode>;

/** What is carried to the provider and back. */
const FLOW = {
  cookie: 'rg_oidc',
  lifeMs: FLOW_MS,
  content: z.object({
    flow: z.object({
      state: z.string(),
      nonce: z.string(),
      codeVerifier: z.string(),
      maxAge: z.number().exactOptional(),
    }),
    returnTo: z.string(),
  }),
} as const;

/** A page of the dashboard; anything else would let a link send people elsewhere. */
const pageOf = (returnTo: string | undefined, publicUrl: string): string => {
  if (returnTo === undefined || !URL.canParse(returnTo, publicUrl)) return HOME;
  const { origin, pathname, search } = new URL(returnTo, publicUrl);
  const isOwn = origin === new URL(publicUrl).origin && pathname.startsWith(HOME);
  return isOwn ? pathname + search : HOME;
};

const redirect = (to: string, cookies: readonly string[]): RouteResponse => ({
  status: 303,
  headers: { Location: to, 'Set-Cookie': cookies },
});

const REFUSED = refuse('UNAUTHENTICATED', 'The sign-in has failed.');

const refused = (code: SignInFaultCode, details: Omit<RefusedSignIn, 'code'> = {}): SignInFault =>
  new SignInFault(REFUSED, { code, ...details });

const REDIRECT = { 303: { description: 'To the next page.' } };

/** The first entry whose group the person is in. */
const roleOf = (
  roles: readonly GroupRole[],
  { groups }: OpenIdPerson,
): Pick<GroupRole, 'role' | 'tenants'> | undefined =>
  roles.find(({ group }) => groups.includes(group));

const requireProvider = ({ operatorSignIn }: RouteParts): OperatorSignIn =>
  operatorSignIn ?? raise('NOT_FOUND', 'No OpenID provider is configured (operators.oidc).');

/** Creates the operator at the first sign-in; later ones take over what the provider says. */
const admit = async (parts: RouteParts, person: OpenIdPerson): Promise<OperatorId> => {
  const { operators, sessions: stored } = parts.signIn;
  const { name, email, subject } = person;
  const rights = roleOf(requireProvider(parts).roles, person);
  const known = await operators.findBySubject(subject);
  if (!rights) {
    // They have left the group: nothing of them may go on elsewhere.
    if (known) await stored.deleteOf(known.id);
    throw refused('NO_ROLE', { person: { id: known?.id ?? null, name } });
  }
  if (known?.disabledAt) throw accountDisabled(known);
  const { role, tenants } = rights;
  const current = { name, email, role, tenants };
  if (known) {
    await operators.update(known.id, current);
    return known.id;
  }
  const operator = newOperator(current, parts.now(), subject);
  // Two tabs may sign the same person in for the first time.
  if (await operators.create(operator)) return operator.id;
  return admit(parts, person);
};

/** By the provider, which sent the browser back to this URL. */
const verifyReturn = async (parts: RouteParts, url: URL, flow: OpenIdFlow): Promise<Proven> => {
  const person = await requireProvider(parts).provider.finish(url, flow);
  const operatorId = await admit(parts, person);
  const { authenticatedAt } = person;
  return { subject: { kind: 'operator', operatorId, by: 'oidc' }, authenticatedAt };
};

const faultOf = (error: unknown): SignInFault | undefined => {
  if (error instanceof SignInFault) return error;
  if (!(error instanceof OpenIdFault)) return undefined;
  return refused(CODES[error.kind], { reason: error.message });
};

/** A sign-in that fails leads to the page that explains it. */
const orExplain = async (
  parts: RouteParts,
  browser: Browser,
  work: () => Promise<RouteResponse>,
): Promise<RouteResponse> => {
  try {
    return await work();
  } catch (error) {
    const fault = faultOf(error);
    if (!fault) throw error;
    const refusal = await refuseSignIn(parts, browser, 'oidc', fault);
    if (refusal.refusal.code === 'RATE_LIMITED') throw refusal;
    const { code = 'SIGN_IN_EXPIRED' } = fault.details;
    return redirect(`${HOME}sign-in?error=${code}`, [createFlowCookie(parts, FLOW).end()]);
  }
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
      return orExplain(parts, browserIn(request), async () => {
        const { url, flow } = await provider.begin({
          redirectUri: parts.publicUrl() + CALLBACK,
          isStepUp: stepUp !== undefined,
        });
        const carried = { flow, returnTo: pageOf(returnTo, parts.publicUrl()) };
        return redirect(url, [createFlowCookie(parts, FLOW).begin(carried)]);
      });
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
      return orExplain(parts, browser, async () => {
        const cookie = createFlowCookie(parts, FLOW);
        const carried = cookie.read(browser);
        if (!carried) throw refused('SIGN_IN_EXPIRED');
        const { flow, returnTo } = carried;
        const url = new URL(`${parts.publicUrl()}${CALLBACK}?${query}`);
        const proven = await verifyReturn(parts, url, flow);
        const { header } = await beginSession(parts, browser, 'oidc', proven);
        return redirect(returnTo, [header, cookie.end()]);
      });
    },
  });

/** Signing in with the OpenID provider (decisions.md 8). */
export const oidcRoutes = (parts: RouteParts): readonly Route[] =>
  [startOpenIdSignIn, finishOpenIdSignIn].map((declare) => declare(parts));

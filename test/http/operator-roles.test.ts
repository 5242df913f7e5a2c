import { readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeExtensions } from '../../tools/shared/describe-extensions.js';
import { requiredRoleOf, type Route } from '../../src/routes/route.js';
import type { OperatorId, SessionId } from '../../src/domain/kernel/ids.js';
import {
  OPERATOR_ROLES,
  type OperatorRole,
  type SessionSubject,
} from '../../src/domain/operator/operator.js';
import { hashSecret, newSecret } from '../../src/http/access/credentials.js';
import { csrfTokenOf } from '../../src/http/access/sessions.js';
import { newId } from '../../src/pipeline/submit.js';
import { type PendingResponse, requestTo } from '../support/ask.js';
import { openEdge } from '../support/edge.js';
import { routesWith, sendBody, pathOf, titleOf, verbOf } from '../support/route-requests.js';

const ORIGIN = 'http://127.0.0.1:8080';
const MINUTE = 60_000;

const described = await describeExtensions();
const isOfWebhooks = ({ path }: Pick<Route, 'path'>): boolean =>
  /\/(webhooks|deliveries)/.test(path);

// With the routes of the built-in plugins. Those of webhooks need a running plugin: they only confirm
// that the request has come to them.
const extensions = {
  ...described,
  routes: described.routes.map((route) =>
    isOfWebhooks(route) ? { ...route, handler: () => Promise.resolve({ status: 204 }) } : route,
  ),
};
const fake = await openEdge({
  extensions,
  publicUrl: () => ORIGIN,
  failedAuthenticationsPerMinute: 10_000,
});
await fake.addTenant();
const { signIn } = fake.store;

const ROUTES = routesWith(extensions).filter(({ api }) => api === 'operators');
const PROTECTED = ROUTES.filter(({ scope }) => scope !== 'public');
const isOfTenant = ({ path }: Route): boolean => path.includes('{slug}');

/** What operator-roles.txt says of a route: the role, then notes in brackets. */
const DOCUMENTED = new Map(
  readFileSync(new URL('operator-roles.txt', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, role, title, notes = ''] = /^(\w+) (\w+ \S+)(.*)$/.exec(line) ?? [];
      return role && title ? [[title, { role: role as OperatorRole, notes }] as const] : [];
    }),
);

const documented = (route: Route) => {
  const found = DOCUMENTED.get(titleOf(route));
  if (!found) throw new Error(`operator-roles.txt does not have ${titleOf(route)}.`);
  return {
    needed: found.role,
    needsRecentSignIn: found.notes.includes('(recent sign-in)'),
    isForBoundOperators: found.notes.includes('(bound operators)'),
    isForCustomers: found.notes.includes('(setup links'),
  };
};

/** What is not found, by the part of the path with the made-up id. */
const NOT_FOUND = {
  '/setup-links/{id}': 'NOT_FOUND',
  '/connectors/{connector}': 'CONNECTOR_NOT_FOUND',
  '/targets/{target}': 'NOTIFICATION_TARGET_NOT_FOUND',
  '/operators/{id}': 'OPERATOR_NOT_FOUND',
  '/connections/{keyId}': 'API_KEY_NOT_FOUND',
  '/users/{id}': 'USER_NOT_FOUND',
  '/rooms/{id}': 'ROOM_NOT_FOUND',
  '/groups/{id}': 'GROUP_NOT_FOUND',
  '/role-mappings/{id}': 'ROLE_MAPPING_NOT_FOUND',
  '/commands/{commandId}': 'COMMAND_NOT_FOUND',
  '/requests/{id}': 'REQUEST_NOT_FOUND',
  '/sms-lists/{id}': 'SMS_LIST_NOT_FOUND',
  '/jobs/{id}': 'JOB_NOT_FOUND',
  // Operators have no setup link to make a key for.
  '/setup/key': 'NOT_FOUND',
} as const;

/** Statuses other than 200 of routes that find what they need. */
const STATUSES: Readonly<Record<string, number>> = {
  'DELETE /session': 204,
  'DELETE /tenants/{slug}/setup-links': 204,
  'POST /operators': 201,
  'POST /tenants/{slug}/setup-links': 201,
};

/** What routes with a required query are asked. */
const QUERIES: Readonly<Record<string, string>> = {
  'GET /tenants/{slug}/search': '?q=ada',
  'GET /tenants/{slug}/explain': '?room=general',
};

/** A dry run: the requests that follow find the same tenant. */
const isDryRun = (route: Route): boolean => route.command !== undefined && !isOfWebhooks(route);

/** What a route answers to those who may use it. */
const answerOf = (route: Route): { readonly status: number; readonly error?: string } => {
  if (isOfWebhooks(route)) return { status: 204 };
  if (isDryRun(route)) return { status: 200 };
  const absent = Object.entries(NOT_FOUND).find(([part]) => route.path.includes(part));
  if (absent) return { status: 404, error: absent[1] };
  return { status: STATUSES[titleOf(route)] ?? 200 };
};

interface Rights {
  readonly role: OperatorRole;
  readonly tenants?: readonly string[];
  /** Minutes since they proved who they are. */
  readonly minutes?: number;
}

const addSession = async (subject: SessionSubject, minutes = 0): Promise<string> => {
  const cookie = newSecret();
  const at = new Date();
  await signIn.sessions.create({
    id: newId<SessionId>(),
    hash: hashSecret(cookie),
    subject,
    createdAt: at,
    authenticatedAt: new Date(at.getTime() - minutes * MINUTE),
    lastSeenAt: at,
    idleMs: 1_800_000,
    endsAt: new Date(at.getTime() + 60 * MINUTE),
    userAgent: null,
  });
  return cookie;
};

/** Their cookies, by rights: all tests share them. */
const cookies = new Map<string, Promise<string>>();

const signInAs = (rights: Rights): Promise<string> => {
  const key = JSON.stringify(rights);
  const known = cookies.get(key) ?? beginSession(rights);
  cookies.set(key, known);
  return known;
};

const beginSession = async ({ role, tenants, minutes = 0 }: Rights): Promise<string> => {
  const operatorId = newId<OperatorId>();
  await signIn.operators.create({
    id: operatorId,
    name: `an ${role}`,
    email: null,
    role,
    tenants: tenants ?? null,
    source: 'link',
    subject: null,
    createdAt: new Date(),
    disabledAt: null,
    lastSignInAt: null,
  });
  return addSession({ kind: 'operator', operatorId, by: 'link' }, minutes);
};

const SETUP_LINK = {
  kind: 'setup',
  tenant: 'acme',
  provider: 'okta',
  keyId: null,
  hasIntegrations: true,
  expiresAt: new Date(Date.now() + 60 * MINUTE),
} as const;

interface Outcome {
  readonly status: number;
  readonly error: string | undefined;
  readonly message: string | undefined;
}

/** A stream of events does not end by itself: leave it when it begins. */
const endStream = (request: PendingResponse): void =>
  void request.buffer(true).parse((response, done) => {
    if (!(response instanceof IncomingMessage)) throw new Error('Not a response of node:http.');
    if (response.headers['content-type']?.startsWith('text/event-stream')) {
      response.destroy();
      done(null, {});
    } else void json(response).then((body) => done(null, body));
  });

const send = async (route: Route, cookie: string, name = 'rg_sid'): Promise<Outcome> => {
  const agent = requestTo(fake.app);
  const query = isDryRun(route) ? '?dry_run=true' : (QUERIES[titleOf(route)] ?? '');
  const request = agent[verbOf(route)](pathOf(route, 'acme') + query);
  if (route.path.endsWith('/live')) endStream(request);
  if (name === 'rg_setup') request.set('X-Rollgate-Session', 'setup');
  const sent = request
    .set('Cookie', `${name}=${cookie}`)
    .set('X-CSRF-Token', csrfTokenOf(cookie))
    .set('Origin', ORIGIN);
  const { status, body } = await sendBody(sent, route);
  const { error, message } = body as { readonly error?: string; readonly message?: string };
  return { status, error, message };
};

/** The operator of its path never signs in here, and only owners see the sessions of others. */
const isOfAnotherOperator = ({ path }: Route): boolean => /(sessions|passkeys)/.test(path);

const expectAllowed = (route: Route, { status, error }: Outcome): void =>
  expect({ status, error }).toEqual({ error: undefined, ...answerOf(route) });

const expectRefused = ({ status, error }: Outcome, expected = 'INSUFFICIENT_ROLE'): void => {
  expect({ status, error }).toEqual({ status: 403, error: expected });
  expectNothingDone();
};

/** No command was submitted or previewed. */
const expectNothingDone = (): void => expect([fake.submissions, fake.previews]).toEqual([[], []]);

describe('roles', () => {
  it('needed by every operation are listed, so that a change is seen', async () => {
    const lines = ROUTES.map((route) =>
      [
        route.scope === 'public' ? 'public' : requiredRoleOf(route),
        titleOf(route),
        ...(route.stepUp ? ['(recent sign-in)'] : []),
        ...(route.isForBoundOperators ? ['(bound operators)'] : []),
        ...(route.forCustomers?.needs === 'integrations'
          ? ['(setup links with integrations)']
          : route.forCustomers
            ? ['(setup links)']
            : []),
      ].join(' '),
    );
    await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('operator-roles.txt');
  });
});

describe.each(PROTECTED.map((route) => [titleOf(route), route] as const))('%s', (_title, route) => {
  const { needed, needsRecentSignIn, isForBoundOperators, isForCustomers } = documented(route);

  // Signing out ends it.
  if (titleOf(route) === 'DELETE /session') afterEach(() => cookies.clear());

  beforeEach(() => {
    fake.submissions.splice(0);
    fake.previews.splice(0);
  });

  it.each(OPERATOR_ROLES)('decides whether it is allowed for the role %s', async (role) => {
    const outcome = await send(route, await signInAs({ role }));
    if (OPERATOR_ROLES.indexOf(role) < OPERATOR_ROLES.indexOf(needed)) {
      expectRefused(outcome);
      expect(outcome.message).toContain(`"${needed}"`);
    } else if (isOfAnotherOperator(route) && role !== 'owner') expectRefused(outcome);
    else expectAllowed(route, outcome);
  });

  it('treats the tenants of others as absent', async () => {
    const cookie = await signInAs({ role: 'admin', tenants: ['globex'] });
    const outcome = await send(route, cookie);
    if (needed === 'owner') expectRefused(outcome);
    else if (isOfTenant(route)) {
      expect(outcome).toEqual({
        status: 404,
        error: 'TENANT_NOT_FOUND',
        message: 'No tenant has this slug.',
      });
      expectNothingDone();
    } else if (isForBoundOperators && !isOfAnotherOperator(route)) expectAllowed(route, outcome);
    else expectRefused(outcome);
  });

  if (isOfTenant(route))
    it('is allowed for the own tenant', async () => {
      const cookie = await signInAs({ role: needed, tenants: ['acme'] });
      expectAllowed(route, await send(route, cookie));
    });

  it('requires a recent sign-in if it declares so', async () => {
    const outcome = await send(route, await signInAs({ role: 'owner', minutes: 16 }));
    if (needsRecentSignIn) expectRefused(outcome, 'STEP_UP_REQUIRED');
    else expectAllowed(route, outcome);
  });

  it('is refused to setup links unless it is theirs', async () => {
    const linkHash = newSecret();
    await signIn.links.create({ ...SETUP_LINK, hash: linkHash });
    const cookie = await addSession({ kind: 'setup', tenant: 'acme', linkHash });
    const outcome = await send(route, cookie, 'rg_setup');
    if (titleOf(route) === 'POST /tenants/{slug}/setup/key') expect(outcome.status).toBe(201);
    else if (isForCustomers) expectAllowed(route, outcome);
    else expectRefused(outcome);
  });

  if (route.method !== 'GET')
    it('needs the CSRF token', async () => {
      const cookie = await signInAs({ role: 'owner' });
      const agent = requestTo(fake.app);
      const request = agent[verbOf(route)](pathOf(route));
      const { status, body } = await request
        .set('Cookie', `rg_sid=${cookie}`)
        .set('Origin', ORIGIN);
      expect([status, body]).toMatchObject([403, { error: 'CSRF_REJECTED' }]);
      expectNothingDone();
    });
});

describe('an operator bound to tenants', () => {
  it('sees only these in the list', async () => {
    const cookie = await signInAs({ role: 'auditor', tenants: ['globex', 'gone'] });
    const { body } = await requestTo(fake.app)
      .get('/admin/v1/tenants')
      .set('Cookie', `rg_sid=${cookie}`);
    expect(body).toMatchObject({ tenants: [{ slug: 'globex' }], total: 1 });
  });
});

describe('an operator', () => {
  it('is named by commands', async () => {
    fake.submissions.splice(0);
    const cookie = await signInAs({ role: 'owner' });
    await requestTo(fake.app)
      .post('/admin/v1/tenants')
      .set('Cookie', `rg_sid=${cookie}`)
      .set('X-CSRF-Token', csrfTokenOf(cookie))
      .set('Origin', ORIGIN)
      .send({ slug: 'initech', name: 'Initech' })
      .expect(201);
    expect(fake.submissions).toMatchObject([
      {
        source: 'dashboard',
        actor: { kind: 'operator', name: 'an owner', id: expect.any(String) as unknown },
      },
    ]);
  });
});

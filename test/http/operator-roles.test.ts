import { describe, expect, it } from 'vitest';
import { describeExtensions } from '../../tools/shared/describe-extensions.js';
import { requiredRoleOf, type Route } from '../../src/routes/route.js';
import type { OperatorId, SessionId } from '../../src/domain/kernel/ids.js';
import {
  OPERATOR_ROLES,
  type OperatorRole,
  type SessionSubject,
} from '../../src/domain/operator/operator.js';
import { routeTable } from '../../src/http/resources/route-table.js';
import { hashSecret, newSecret } from '../../src/http/access/credentials.js';
import { csrfTokenOf } from '../../src/http/access/sessions.js';
import { newId } from '../../src/pipeline/submit.js';
import { requestTo } from '../support/ask.js';
import { createFakeApp } from '../support/fake-app.js';
import { memorySignInStores } from '../support/memory-sign-in.js';
import { sendBody, pathOf, titleOf, verbOf } from '../support/route-requests.js';

const ORIGIN = 'http://127.0.0.1:8080';
const MINUTE = 60_000;

// With the routes of the built-in plugins.
const extensions = await describeExtensions();
const signIn = memorySignInStores();
const fake = createFakeApp({
  extensions,
  signIn,
  publicUrl: () => ORIGIN,
  failedAuthenticationsPerMinute: 10_000,
});
fake.backend.addTenant({ slug: 'globex' });

// Handlers are not called.
const ROUTES = routeTable({ extensions } as unknown as Parameters<typeof routeTable>[0]).filter(
  ({ api }) => api === 'operators',
);
const PROTECTED = ROUTES.filter(({ scope }) => scope !== 'public');
const isOfTenant = ({ path }: Route): boolean => path.includes('{slug}');

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

const signInAs = async ({ role, tenants, minutes = 0 }: Rights): Promise<string> => {
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
  hash: 'the hash of a setup link',
  expiresAt: new Date(Date.now() + 60 * MINUTE),
} as const;

interface Outcome {
  readonly status: number;
  readonly error: string | undefined;
  readonly message: string | undefined;
}

const send = async (route: Route, cookie: string, name = 'rg_sid'): Promise<Outcome> => {
  const agent = requestTo(fake.app);
  const request = agent[verbOf(route)](pathOf(route, 'acme'));
  if (name === 'rg_setup') request.set('X-Rollgate-Session', 'setup');
  const sent = request
    .set('Cookie', `${name}=${cookie}`)
    .set('X-CSRF-Token', csrfTokenOf(cookie))
    .set('Origin', ORIGIN);
  const { status, body } = await sendBody(sent, route);
  const { error, message } = body as { readonly error?: string; readonly message?: string };
  return { status, error, message };
};

/** What the edge itself refuses; what handlers make of made-up ids does not matter here. */
const REFUSALS = ['UNAUTHENTICATED', 'INSUFFICIENT_ROLE', 'STEP_UP_REQUIRED', 'CSRF_REJECTED'];

/** The operator of its path never signs in here, and only owners see the sessions of others. */
const isOfAnotherOperator = ({ path }: Route): boolean => /(sessions|passkeys)/.test(path);

const isAllowed = ({ status, error }: Outcome): boolean =>
  status < 500 && (error === undefined || !REFUSALS.includes(error));

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
  const needed = requiredRoleOf(route);

  it.each(OPERATOR_ROLES)('decides whether it is allowed for the role %s', async (role) => {
    const outcome = await send(route, await signInAs({ role }));
    if (OPERATOR_ROLES.indexOf(role) < OPERATOR_ROLES.indexOf(needed)) {
      expect(outcome).toMatchObject({ status: 403, error: 'INSUFFICIENT_ROLE' });
      expect(outcome.message).toContain(`"${needed}"`);
    } else if (isOfAnotherOperator(route) && role !== 'owner') {
      expect(outcome.error).toBe('INSUFFICIENT_ROLE');
    } else expect(isAllowed(outcome)).toBe(true);
  });

  it('treats the tenants of others as absent', async () => {
    const cookie = await signInAs({ role: 'admin', tenants: ['globex'] });
    const outcome = await send(route, cookie);
    if (needed === 'owner') expect(outcome.error).toBe('INSUFFICIENT_ROLE');
    else if (isOfTenant(route)) {
      expect(outcome).toEqual({
        status: 404,
        error: 'TENANT_NOT_FOUND',
        message: 'No tenant has this slug.',
      });
    } else if (route.isForBoundOperators && !isOfAnotherOperator(route)) {
      expect(isAllowed(outcome)).toBe(true);
    } else expect(outcome.error).toBe('INSUFFICIENT_ROLE');
  });

  if (isOfTenant(route))
    it('is allowed for the own tenant', async () => {
      const cookie = await signInAs({ role: needed, tenants: ['acme'] });
      expect(isAllowed(await send(route, cookie))).toBe(true);
    });

  it('requires a recent sign-in if it declares so', async () => {
    const outcome = await send(route, await signInAs({ role: 'owner', minutes: 16 }));
    if (route.stepUp) expect(outcome).toMatchObject({ status: 403, error: 'STEP_UP_REQUIRED' });
    else expect(isAllowed(outcome)).toBe(true);
  });

  it('is refused to setup links unless it is theirs', async () => {
    await signIn.links.create(SETUP_LINK);
    const cookie = await addSession({ kind: 'setup', tenant: 'acme', linkHash: SETUP_LINK.hash });
    const outcome = await send(route, cookie, 'rg_setup');
    if (route.forCustomers) expect(isAllowed(outcome)).toBe(true);
    else expect(outcome).toMatchObject({ status: 403, error: 'INSUFFICIENT_ROLE' });
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
    fake.backend.submissions.splice(0);
    const cookie = await signInAs({ role: 'owner' });
    await requestTo(fake.app)
      .post('/admin/v1/tenants')
      .set('Cookie', `rg_sid=${cookie}`)
      .set('X-CSRF-Token', csrfTokenOf(cookie))
      .set('Origin', ORIGIN)
      .send({ slug: 'initech', name: 'Initech' })
      .expect(201);
    expect(fake.backend.submissions).toMatchObject([
      {
        source: 'dashboard',
        actor: { kind: 'operator', name: 'an owner', id: expect.any(String) as unknown },
      },
    ]);
  });
});

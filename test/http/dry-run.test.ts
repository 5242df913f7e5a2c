import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeExtensions } from '../../tools/shared/describe-extensions.js';
import { NO_EXTENSIONS } from '../../src/routes/extensions.js';
import { type Route, nativeRoute, runCommand } from '../../src/routes/route.js';
import { refuse } from '../../src/domain/kernel/refusals.js';
import type { CommandOf } from '../../src/domain/commands.js';
import type { UserId } from '../../src/domain/kernel/ids.js';
import { requestTo } from '../support/ask.js';
import { idOf } from '../support/builders.js';
import { ADMIN_TOKEN, type TestApp, openEdge } from '../support/edge.js';
import {
  pathOf,
  ALL_ROUTES,
  routesWith,
  sendBody,
  titleOf,
  verbOf,
} from '../support/route-requests.js';

let fake: TestApp;
beforeAll(async () => {
  fake = await openEdge();
});

const send = (route: Route, query = '?dry_run=true') => {
  const token = route.api === 'native' ? fake.key : ADMIN_TOKEN;
  const sent = requestTo(fake.app)[verbOf(route)](pathOf(route) + query);
  return sent.set('Authorization', `Bearer ${token}`);
};

const users = () => fake.collections.users.find({ tenant: fake.tenant.id }).toArray();

const isWrite = ({ method }: Route): boolean => method !== 'GET';
const named = (routes: readonly Route[]) => routes.map((route) => [titleOf(route), route] as const);

describe.each(named(ALL_ROUTES.filter(({ command }) => command)))('%s', (_title, route) => {
  it('supports dry runs, which change nothing', async () => {
    const sent = send(route);
    const { status, body } = await sendBody(sent, route);
    expect(status).toBe(200);
    expect(body).toMatchObject({ dry_run: true, status: expect.any(Number) as number });
    expect(fake.submissions).toEqual([]);
  });
});

describe.each(named(ALL_ROUTES.filter((route) => isWrite(route) && !route.command)))(
  '%s, which has no command',
  (_title, route) => {
    it('refuses dry runs', async () => {
      expect((await send(route)).status).toBe(400);
    });
  },
);

it('every write supports dry runs, except sign-in, operators, links and what changes nothing', async () => {
  const routes = routesWith(await describeExtensions());
  const without = routes.filter((route) => isWrite(route) && !route.command);
  expect(without.map(titleOf)).toMatchInlineSnapshot(`
    [
      "POST /webhooks/{id}/deliveries/{deliveryId}/redeliver",
      "POST /webhooks/{id}/recover",
      "POST /webhooks/{id}/test",
      "POST /tenants/{slug}/connectors/{connector}/check",
      "POST /tenants/{slug}/connectors/{connector}/mapping/preview",
      "POST /tenants/{slug}/connectors/{connector}/runs",
      "POST /tenants/{slug}/connectors/{connector}/runs/{run}/approve",
      "POST /tenants/{slug}/connectors/{connector}/runs/{run}/reject",
      "POST /tenants/{slug}/connectors/{connector}/runs/{run}/cancel",
      "POST /tenants/{slug}/connectors/{connector}/quarantine/retry",
      "POST /tenants/{slug}/connectors/{connector}/quarantine/ignore",
      "POST /tenants/{slug}/connectors/{connector}/pause",
      "POST /tenants/{slug}/connectors/{connector}/resume",
      "POST /connectors/{connector}/bulkUpload",
      "POST /notifications/targets/{target}/test",
      "POST /tenants/{slug}/role-mappings/test",
      "POST /tenants/{slug}/requests/{id}/replay",
      "POST /admin-token/rotate",
      "POST /session",
      "POST /setup-session",
      "DELETE /session",
      "POST /session/passkey-challenge",
      "POST /operators/{id}/passkeys/challenge",
      "POST /operators/{id}/passkeys",
      "DELETE /operators/{id}/passkeys/{passkeyId}",
      "POST /tenants/{slug}/setup-links",
      "DELETE /tenants/{slug}/setup-links/{id}",
      "DELETE /tenants/{slug}/setup-links",
      "POST /tenants/{slug}/setup/key",
      "POST /operators",
      "PATCH /operators/{id}",
      "DELETE /operators/{id}",
      "POST /operators/{id}/link",
      "DELETE /operators/{id}/sessions/{sessionId}",
      "POST /tenants/{slug}/webhooks/{id}/deliveries/{deliveryId}/redeliver",
      "POST /tenants/{slug}/webhooks/{id}/recover",
      "POST /tenants/{slug}/webhooks/{id}/test",
    ]
  `);
});

describe('a dry run', () => {
  beforeEach(async () => {
    fake = await openEdge();
  });
  const path = '/v1/acme/users';
  const post = (query: string, body: object = { email: 'ada@example.com' }) =>
    requestTo(fake.app)
      .post(path + query)
      .set('Authorization', `Bearer ${fake.key}`)
      .send(body);

  it('returns the status, body and events that the request would have', async () => {
    const { status, body, headers } = await post('?dry_run=true');
    const user = { id: expect.any(String) as string, email: 'ada@example.com', active: true };
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dry_run: true,
      status: 201,
      body: user,
      events: [{ event: 'user.created', data: { user } }],
      event_count: 1,
      role_changes: [],
      role_change_count: 0,
      role_change_summary: [],
      seats: { capacity: null, before: 0, after: 1 },
      remaining: 0,
    });
    expect(await users()).toEqual([]);
    expect([headers['etag'], headers['preference-applied']]).toEqual([undefined, undefined]);
  });

  it('returns the status and body of a refusal', async () => {
    await post('').expect(201);
    const { status, body } = await post('?dry_run=true');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 409,
      body: { error: 'EMAIL_TAKEN', request_id: expect.any(String) as string },
      events: [],
    });
  });

  it('returns a refusal that comes before the command', async () => {
    const sent = requestTo(fake.app).delete(`${path}/nonsense?dry_run=true`);
    const { body } = await sent.set('Authorization', `Bearer ${fake.key}`);
    expect(body).toMatchObject({ dry_run: true, status: 404, body: { error: 'USER_NOT_FOUND' } });
  });

  it('returns a null body if the response would have none', async () => {
    const { id } = (await post('').expect(201)).body as { id: string };
    const sent = requestTo(fake.app).delete(`${path}/${id}?dry_run=true`);
    const { body } = await sent.set('Authorization', `Bearer ${fake.key}`);
    expect(body).toMatchObject({ status: 204, body: null, event_count: 1 });
    expect(await users()).toMatchObject([{ profile: { active: true } }]);
  });

  it.each(['dry-run', 'Dry-Run', 'respond-async, dry-run', 'wait=5, dry-run; x=1'])(
    'is requested by Prefer: %s, and confirmed by Preference-Applied',
    async (prefer) => {
      const { body, headers } = await post('').set('Prefer', prefer);
      expect(body).toMatchObject({ dry_run: true });
      expect(headers['preference-applied']).toBe('dry-run');
      expect(fake.submissions).toEqual([]);
    },
  );

  it.each(['respond-async', 'dry-running', 'x=dry-run'])(
    'is not requested by Prefer: %s',
    async (prefer) => {
      await post('').set('Prefer', prefer).expect(201);
    },
  );

  it('is off with dry_run=false, and 400 with any other value', async () => {
    await post('?dry_run=false').expect(201);
    const { status, body } = await post('?dry_run=1', { email: 'b@example.com' });
    expect([status, body]).toMatchObject([400, { details: [{ path: 'dry_run' }] }]);
    expect(await users()).toHaveLength(1);
  });

  it('stores no response for an Idempotency-Key', async () => {
    await post('?dry_run=true').set('Idempotency-Key', 'once');
    expect(fake.submissions).toEqual([]);
    await post('').set('Idempotency-Key', 'once').expect(201);
  });

  it('is refused like the request itself: by syntax, scope and key', async () => {
    expect((await post('?dry_run=true', { email: 'x' })).status).toBe(400);
    const { key } = await fake.addKey(fake.tenant, ['usage']);
    const weak = requestTo(fake.app)
      .post(`${path}?dry_run=true`)
      .set('Authorization', `Bearer ${key}`);
    expect((await weak.send({ email: 'a@b.c' })).status).toBe(403);
    await fake.run({ type: 'tenant.delete' });
    expect((await post('?dry_run=true')).status).toBe(401);
  });

  it('is 503 if the gateway is unavailable', async () => {
    fake = fake.with({
      preview: () =>
        Promise.resolve({
          outcome: { ok: false, refusal: refuse('UNAVAILABLE', 'Not now.', { retryAfter: 2 }) },
          events: [],
          eventCount: 0,
          roleChanges: [],
          roleChangeCount: 0,
          roleChangeSummary: [],
          seats: { capacity: null, before: 0, after: 0 },
          remaining: 0,
        }),
    });
    const { status, headers } = await post('?dry_run=true');
    expect([status, headers['retry-after']]).toEqual([503, '2']);
  });

  it('is not supported by reads', async () => {
    const sent = requestTo(fake.app)
      .get(`${path}?dry_run=true`)
      .set('Authorization', `Bearer ${fake.key}`);
    expect((await sent).status).toBe(400);
    const preferring = requestTo(fake.app).get(path).set('Prefer', 'dry-run');
    await preferring.set('Authorization', `Bearer ${fake.key}`).expect(200);
  });
});

describe('a route', () => {
  beforeAll(async () => {
    fake = await openEdge();
  });
  const serve = (more: Partial<Parameters<typeof nativeRoute>[0]>) => {
    fake = fake.with({
      extensions: {
        ...NO_EXTENSIONS,
        routes: [
          nativeRoute({
            method: 'POST',
            path: '/things',
            scope: 'any key',
            operationId: 'thing',
            tag: 'Test',
            summary: 'Test',
            responses: { 204: { description: 'Done.' } },
            handler: () => Promise.resolve({ status: 204 }),
            ...more,
          }),
        ],
      },
    });
    return (query: string, prefer = 'none') =>
      requestTo(fake.app)
        .post(`/v1/acme/things${query}`)
        .set('Authorization', `Bearer ${fake.key}`)
        .set('Prefer', prefer);
  };
  const created: CommandOf<'user.create'> = {
    type: 'user.create',
    userId: idOf<UserId>(1),
    profile: { userName: 'ada', active: true },
  };

  it('without a command refuses both ways to request a dry run', async () => {
    let done = 0;
    const call = serve({ handler: () => Promise.resolve({ status: (done += 1) && 204 }) });
    const byQuery = await call('?dry_run=true');
    expect([byQuery.status, byQuery.body]).toMatchObject([400, { details: [{ path: 'dry_run' }] }]);
    const byHeader = await call('', 'dry-run');
    expect([byHeader.status, byHeader.body]).toMatchObject([
      400,
      { details: [{ path: 'Prefer' }] },
    ]);
    expect(done).toBe(0);
    await call('').expect(204);
  });

  it('that submits two commands, or none although it declares one, is an internal error', async () => {
    const twice = serve({
      command: 'user.create',
      handler: async (request) => {
        await runCommand(request, request.caller.tenant.id, created);
        await runCommand(request, request.caller.tenant.id, created);
        return { status: 204 };
      },
    });
    expect((await twice('?dry_run=true')).status).toBe(500);
    expect((await serve({ command: 'user.create' })('?dry_run=true')).status).toBe(500);
    expect(fake.submissions).toEqual([]);
  });
});

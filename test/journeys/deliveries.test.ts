import { randomUUID } from 'node:crypto';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReceivedRequest } from '../../tools/shared/https-receiver.js';
import { createResource, TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';
import { createGate } from '../support/gate.js';
import { eventually } from '../support/eventually.js';

const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(() => ({ ...env(), ROLLGATE_WEBHOOKS_RETRY: '' }));
let tenant: TestTenant;
let hook: string;
let secret: string;
let path: string;

interface Attempt {
  readonly status: number | null;
  readonly fault: string | null;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly request?: { readonly url: string; readonly headers: Record<string, string> };
  readonly response?: { readonly headers: Record<string, string>; readonly body: string | null };
}
interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly seq: number;
  readonly state: string;
  readonly error: string | null;
  readonly attempts: readonly Attempt[];
}

beforeAll(async () => {
  await open();
  await gateway.open();
});

beforeEach(async () => {
  receiver().setBehaviour({ kind: 'answer', status: 200 });
  tenant = await gateway.tenant();
  path = `/${randomUUID()}`;
  const webhook = await tenant.native<{ id: string; secret: string }>('POST', '/webhooks', {
    url: receiver().url + path,
    events: ['user.*'],
    headers: { 'X-Team': 'identity', Authorization: 'Bearer of-the-receiver' },
  });
  expect(webhook.status).toBe(201);
  ({ id: hook, secret } = webhook.body);
});

const received = async (count: number): Promise<readonly ReceivedRequest[]> => {
  const ours = (): readonly ReceivedRequest[] =>
    receiver().requests.filter((request) => request.path === path);
  await eventually(() => expect(ours().length).toBeGreaterThanOrEqual(count));
  return ours();
};

const createUsers = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at += 1) {
    const body = { email: `${randomUUID()}@example.com`, display_name: 'Ada' };
    expect((await tenant.native('POST', '/users', body)).status).toBe(201);
  }
};

const list = async (query = ''): Promise<readonly Delivery[]> => {
  const { body } = await tenant.native<{ deliveries: Delivery[] }>(
    'GET',
    `/webhooks/${hook}/deliveries${query}`,
  );
  return body.deliveries;
};

/**
 * Waits for deliveries in this state, with this number of attempts, which are written a moment
 * later.
 */
const untilEnded = async (
  state: string,
  count: number,
  attempts = 1,
): Promise<readonly Delivery[]> => {
  let found: readonly Delivery[] = [];
  await eventually(async () => {
    found = await list(`?state=${state}`);
    expect(found.map((each) => each.attempts.length)).toEqual(Array(count).fill(attempts));
  });
  return found;
};

const read = async (id: string): Promise<Delivery> =>
  (await tenant.native<Delivery>('GET', `/webhooks/${hook}/deliveries/${id}`)).body;

const post = (rest: string, body?: unknown, headers?: Record<string, string>) =>
  tenant.native('POST', `/webhooks/${hook}/${rest}`, body, headers);

describe('a delivery', () => {
  it('is shown with its attempts, requests and responses, without secrets', async () => {
    receiver().setBehaviour({
      kind: 'answer',
      status: 503,
      body: `busy ${'x'.repeat(5_000)}`,
      headers: { 'x-node': 'a7', 'set-cookie': 'session=theirs' },
    });
    await createUsers(1);
    const [failed] = await untilEnded('failed', 1);
    expect(failed).toMatchObject({
      webhook_id: hook,
      event: 'user.created',
      seq: 1,
      subject: 'Ada',
      error: 'The receiver responded with 503.',
      attempts: [{ status: 503, fault: 'status', error: 'The receiver responded with 503.' }],
    });
    expect(failed!.attempts[0]).not.toHaveProperty('response');
    const { attempts } = await read(failed!.id);
    const [{ request, response }] = attempts as [Required<Attempt>];
    expect(request.url).toBe(receiver().url + path);
    expect(request.headers).toMatchObject({
      'X-Team': '***',
      Authorization: '***',
      'X-Service-Event': 'user.created',
      'X-Service-Delivery': failed!.id,
      'X-Service-Signature': '***',
      'webhook-signature': '***',
    });
    expect(response.headers).toMatchObject({ 'x-node': 'a7', 'set-cookie': '***' });
    expect(response.body).toHaveLength(4_096);
    const [sent] = await received(1);
    expect(sent!.headers).toMatchObject({
      'x-team': 'identity',
      authorization: 'Bearer of-the-receiver',
    });
  });

  it('is listed with those of other webhooks, and counted by the hour', async () => {
    const second = await tenant.native<{ id: string }>('POST', '/webhooks', {
      url: `${receiver().url}/${randomUUID()}`,
      events: ['room.*'],
    });
    const operator = await gateway.operator();
    const base = `/tenants/${tenant.slug}`;
    const room = await createResource(operator, `${base}/rooms`, { name: 'Dispatch' });
    const body = { email: 'ada@example.com', display_name: 'Ada Lovelace' };
    const { id: user } = (await tenant.native<{ id: string }>('POST', '/users', body)).body;
    await tenant.native('POST', `/rooms/${room}/members`, { user_id: user });
    await eventually(async () => {
      const all = await operator<{ deliveries: unknown }>('GET', `${base}/deliveries`);
      expect(all.body.deliveries).toMatchObject([
        { webhook_id: second.body.id, subject: 'Ada Lovelace → Dispatch', state: 'delivered' },
        { webhook_id: hook, subject: 'Ada Lovelace', state: 'delivered' },
      ]);
    });
    const failed = await operator<{ total: number }>('GET', `${base}/deliveries?state=failed`);
    expect(failed.body.total).toBe(0);

    receiver().setBehaviour({ kind: 'answer', status: 503 });
    await createUsers(1);
    const [ended] = await untilEnded('failed', 1);
    const reason = 'The receiver responded with 503.';
    await eventually(async () => {
      const { body: activity } = await tenant.native<{
        readonly days: readonly { readonly attempts: number; readonly failed: number }[];
      }>('GET', `/webhooks/${hook}/activity`);
      expect(activity).toMatchObject({ last_failure: { delivery_id: ended!.id, reason } });
      const sum = (of: 'attempts' | 'failed') =>
        activity.days.reduce((total, day) => total + day[of], 0);
      expect([sum('attempts'), sum('failed')]).toEqual([2, 1]);
    });
  });

  it('is sent again with the same id by redeliver', async () => {
    receiver().setBehaviour({ kind: 'answer', status: 500 });
    await createUsers(1);
    const [failed] = await untilEnded('failed', 1);
    receiver().setBehaviour({ kind: 'answer', status: 204 });
    const again = await post(`deliveries/${failed!.id}/redeliver`);
    expect([again.status, again.body.state]).toEqual([202, 'pending']);
    const [delivered] = await untilEnded('delivered', 1, 2);
    expect(delivered).toMatchObject({ id: failed!.id, error: null });
    expect(delivered!.attempts.map(({ status }) => status)).toEqual([500, 204]);
    const requests = await received(2);
    expect(new Set(requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
    expect(requests[1]!.body.equals(requests[0]!.body)).toBe(true);
  });

  it('is sent again if that is requested while it is being sent', async () => {
    const gate = createGate();
    receiver().setBehaviour({ kind: 'answer', status: 200, after: gate.opened });
    await createUsers(1);
    const [{ headers }] = (await received(1)) as [ReceivedRequest];
    const id = String(headers['x-service-delivery']);
    const again = await post(`deliveries/${id}/redeliver`);
    expect([again.status, again.body.state]).toEqual([202, 'pending']);
    gate.open();
    const requests = await received(2);
    expect(requests.map((request) => request.headers['x-service-delivery'])).toEqual([id, id]);
    const [delivered] = await untilEnded('delivered', 1, 2);
    expect(delivered!.id).toBe(id);
  });

  it('is not redelivered while the registration is disabled', async () => {
    await createUsers(1);
    const [delivery] = await untilEnded('delivered', 1);
    await tenant.native('PATCH', `/webhooks/${hook}`, { status: 'disabled' });
    const refusal = await post(`deliveries/${delivery!.id}/redeliver`);
    expect([refusal.status, refusal.body.error]).toEqual([409, 'WEBHOOK_DISABLED']);
    expect((await post('recover', { since: '2026-01-01T00:00:00Z' })).status).toBe(409);
    await tenant.native('PATCH', `/webhooks/${hook}`, { status: 'active' });
    expect((await post(`deliveries/${delivery!.id}/redeliver`)).status).toBe(202);
    await received(2);
    await untilEnded('delivered', 1, 2);
  });

  it('returns 404 if it does not exist or belongs to another registration', async () => {
    await createUsers(1);
    const [delivery] = await untilEnded('delivered', 1);
    const other = await tenant.native<{ id: string }>('POST', '/webhooks', {
      url: receiver().url,
      events: ['sms_list.*'],
    });
    for (const id of [randomUUID(), 'nonsense']) {
      const { status, body } = await tenant.native('GET', `/webhooks/${hook}/deliveries/${id}`);
      expect([status, body.error]).toEqual([404, 'DELIVERY_NOT_FOUND']);
    }
    const others = `/webhooks/${other.body.id}/deliveries/${delivery!.id}`;
    for (const [method, url] of [
      ['GET', others],
      ['POST', `${others}/redeliver`],
    ] as const)
      expect((await tenant.native(method, url)).body.error).toBe('DELIVERY_NOT_FOUND');
    expect((await tenant.native('GET', `/webhooks/${randomUUID()}/deliveries`)).body.error).toBe(
      'WEBHOOK_NOT_FOUND',
    );
  });

  it.each(['?state=lost', '?event=user.made', '?since=yesterday', '?offset=10001', '?colour=red'])(
    'refuses the invalid list parameter %s',
    async (query) => {
      const { status } = await tenant.native('GET', `/webhooks/${hook}/deliveries${query}`);
      expect(status).toBe(400);
    },
  );
});

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });

  it('is refused with 409 while its test call is running', async () => {
    const gate = createGate();
    receiver().setBehaviour({ kind: 'answer', status: 200, after: gate.opened });
    const same = key();
    const first = post('test', undefined, same);
    await received(1);
    const { status, body, headers } = await post('test', undefined, same);
    expect([status, body.error]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    expect(headers.get('retry-after')).toBe('2');
    gate.open();
    expect((await first).body).toMatchObject({ delivered: true });
    expect(await received(1)).toHaveLength(1);
  });

  it('makes a repeated rotation return the same secret', async () => {
    const same = key();
    const first = await post('rotate-secret', undefined, same);
    expect((await post('rotate-secret', undefined, same)).body).toEqual(first.body);
    const other = await post('rotate-secret', undefined, key());
    expect(other.body.secret).not.toBe(first.body.secret);
    await post('test');
    const [{ headers, body }] = (await received(1)) as [ReceivedRequest];
    const text = body.toString('utf8');
    expect(
      await verify(other.body.secret as string, text, String(headers['x-service-signature'])),
    ).toBe(true);
    expect(String(headers['x-service-signature-previous']).split(', ')).toHaveLength(2);
  });
});

describe('a recovery', () => {
  it('sends all failed deliveries again, and reports when it is done', async () => {
    receiver().setBehaviour({ kind: 'answer', status: 410 });
    await createUsers(3);
    await untilEnded('failed', 3);
    receiver().setBehaviour({ kind: 'answer', status: 200 });
    const key = { 'idempotency-key': randomUUID() };
    const body = { since: new Date(Date.now() - 60_000).toISOString() };
    const [started, repeated] = [
      await post('recover', body, key),
      await post('recover', body, key),
    ];
    expect([started.status, repeated.status]).toEqual([202, 202]);
    expect(repeated.body.id).toBe(started.body.id);
    const other = await post('recover', { since: '2026-01-01T00:00:00Z' }, key);
    expect([other.status, other.body.error]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    await untilEnded('delivered', 3, 2);
    await eventually(async () => {
      const recovery = `/webhooks/${hook}/recoveries/${started.body.id as string}`;
      const found = await tenant.native('GET', recovery);
      expect(found.body).toMatchObject({ state: 'done', recovered: 3 });
      expect(found.body.finished_at).not.toBeNull();
    });
    const upper = (started.body.id as string).toUpperCase();
    const known = await tenant.native('GET', `/webhooks/${hook}/recoveries/${upper}`);
    expect([known.status, known.body.id]).toEqual([200, started.body.id]);
    const unknown = await tenant.native('GET', `/webhooks/${hook}/recoveries/${randomUUID()}`);
    expect([unknown.status, unknown.body.error]).toEqual([404, 'JOB_NOT_FOUND']);
  });
});

describe('a rotation of the secret', () => {
  it('under load, leaves every delivery verifiable with the old or the new secret', async () => {
    const creating = createUsers(40);
    await received(5);
    const rotated = await post('rotate-secret');
    expect(rotated.status).toBe(200);
    const rotatedAt = new Date();
    const fresh = rotated.body.secret as string;
    expect(fresh).not.toBe(secret);
    await creating;
    await createUsers(2);
    const requests = await received(42);
    for (const { headers, body, at } of requests) {
      const text = body.toString('utf8');
      const header = (name: string): string => String(headers[name] ?? 'sha256=');
      const isOld = async (name: string) => verify(secret, text, header(name));
      expect(
        (await isOld('x-service-signature')) || (await isOld('x-service-signature-previous')),
      ).toBe(true);
      expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toBeDefined();
      if (at <= rotatedAt) continue;
      expect(await verify(fresh, text, header('x-service-signature'))).toBe(true);
      expect(new Webhook(fresh).verify(text, headers as Record<string, string>)).toBeDefined();
    }
    expect(requests.filter(({ at }) => at > rotatedAt).length).toBeGreaterThan(1);
    expect(JSON.stringify((await tenant.native('GET', `/webhooks/${hook}`)).body)).not.toContain(
      fresh,
    );
  });
});

describe('a rotation with switch after_overlap', () => {
  it.each([
    { overlap_hours: 169 },
    { overlap_hours: -1 },
    { overlap_hours: 1.5 },
    { switch: 'later' },
    { secret: 'short' },
    { other: 1 },
  ])('is refused for %j', async (invalid) => {
    const refused = await post('rotate-secret', invalid);
    expect([refused.status, refused.body.error]).toEqual([400, 'INVALID_REQUEST']);
    await createUsers(1);
    const [{ headers, body }] = (await received(1)) as [ReceivedRequest];
    const given = String(headers['x-service-signature']);
    expect(await verify(secret, body.toString('utf8'), given)).toBe(true);
  });
});

import { randomUUID } from 'node:crypto';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReceivedRequest } from '../../scripts/receiver/https-receiver.js';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';

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
  receiver().behave({ kind: 'answer', status: 200 });
  tenant = await gateway.tenant();
  path = `/${randomUUID()}`;
  const made = await tenant.native<{ id: string; secret: string }>('POST', '/webhooks', {
    url: receiver().url + path,
    events: ['user.*'],
    headers: { 'X-Team': 'identity', Authorization: 'Bearer of-the-receiver' },
  });
  expect(made.status).toBe(201);
  ({ id: hook, secret } = made.body);
});

const arrived = async (count: number): Promise<readonly ReceivedRequest[]> => {
  const ours = (): readonly ReceivedRequest[] =>
    receiver().requests.filter((request) => request.path === path);
  await vi.waitFor(() => expect(ours().length).toBeGreaterThanOrEqual(count), 10_000);
  return ours();
};

const provision = async (count: number): Promise<void> => {
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

/** As soon as they have ended so, after so many attempts each; these are written a moment later. */
const ended = async (state: string, count: number, attempts = 1): Promise<readonly Delivery[]> => {
  let found: readonly Delivery[] = [];
  await vi.waitFor(async () => {
    found = await list(`?state=${state}`);
    expect(found.map((each) => each.attempts.length)).toEqual(Array(count).fill(attempts));
  }, 10_000);
  return found;
};

const read = async (id: string): Promise<Delivery> =>
  (await tenant.native<Delivery>('GET', `/webhooks/${hook}/deliveries/${id}`)).body;

const post = (rest: string, body?: unknown, headers?: Record<string, string>) =>
  tenant.native('POST', `/webhooks/${hook}/${rest}`, body, headers);

describe('a delivery', () => {
  it('is shown with its attempts: what was sent, what came back, and no secret', async () => {
    receiver().behave({
      kind: 'answer',
      status: 503,
      body: `busy ${'x'.repeat(5_000)}`,
      headers: { 'x-node': 'a7', 'set-cookie': 'session=theirs' },
    });
    await provision(1);
    const [failed] = await ended('failed', 1);
    expect(failed).toMatchObject({
      event: 'user.created',
      seq: 1,
      error: 'The receiver answered 503.',
      attempts: [{ status: 503, fault: 'status', error: 'The receiver answered 503.' }],
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
    const [sent] = await arrived(1);
    expect(sent!.headers).toMatchObject({
      'x-team': 'identity',
      authorization: 'Bearer of-the-receiver',
    });
  });

  it('is sent again under its id when that is asked for', async () => {
    receiver().behave({ kind: 'answer', status: 500 });
    await provision(1);
    const [failed] = await ended('failed', 1);
    receiver().behave({ kind: 'answer', status: 204 });
    const again = await post(`deliveries/${failed!.id}/redeliver`);
    expect([again.status, again.body.state]).toEqual([202, 'pending']);
    const [delivered] = await ended('delivered', 1, 2);
    expect(delivered).toMatchObject({ id: failed!.id, error: null });
    expect(delivered!.attempts.map(({ status }) => status)).toEqual([500, 204]);
    const requests = await arrived(2);
    expect(new Set(requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
    expect(requests[1]!.body.equals(requests[0]!.body)).toBe(true);
  });

  it('is not sent again while the registration is disabled, and is once it is enabled', async () => {
    await provision(1);
    const [delivery] = await ended('delivered', 1);
    await tenant.native('PATCH', `/webhooks/${hook}`, { status: 'disabled' });
    const refusal = await post(`deliveries/${delivery!.id}/redeliver`);
    expect([refusal.status, refusal.body.error]).toEqual([409, 'WEBHOOK_DISABLED']);
    expect((await post('recover', { since: '2026-01-01T00:00:00Z' })).status).toBe(409);
    await tenant.native('PATCH', `/webhooks/${hook}`, { status: 'active' });
    expect((await post(`deliveries/${delivery!.id}/redeliver`)).status).toBe(202);
    await arrived(2);
    await ended('delivered', 1, 2);
  });

  it('that nobody has is 404, and so is another registration’s', async () => {
    await provision(1);
    const [delivery] = await ended('delivered', 1);
    const other = await tenant.native<{ id: string }>('POST', '/webhooks', {
      url: receiver().url,
      events: ['sms_list.*'],
    });
    for (const id of [randomUUID(), 'nonsense']) {
      const { status, body } = await tenant.native('GET', `/webhooks/${hook}/deliveries/${id}`);
      expect([status, body.error]).toEqual([404, 'DELIVERY_NOT_FOUND']);
    }
    const others = `/webhooks/${other.body.id}/deliveries/${delivery!.id}`;
    for (const [method, where] of [
      ['GET', others],
      ['POST', `${others}/redeliver`],
    ] as const)
      expect((await tenant.native(method, where)).body.error).toBe('DELIVERY_NOT_FOUND');
    expect((await tenant.native('GET', `/webhooks/${randomUUID()}/deliveries`)).body.error).toBe(
      'WEBHOOK_NOT_FOUND',
    );
  });

  it.each(['?state=lost', '?event=user.made', '?since=yesterday', '?offset=10001', '?colour=red'])(
    'is not listed by %s',
    async (query) => {
      const { status } = await tenant.native('GET', `/webhooks/${hook}/deliveries${query}`);
      expect(status).toBe(400);
    },
  );
});

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });

  it('makes a test call one, answered alike, and a call without it another', async () => {
    const same = key();
    const [first, again] = [
      await post('test', undefined, same),
      await post('test', undefined, same),
    ];
    expect(first).toMatchObject({ status: 200, body: { delivered: true } });
    expect(again.body).toEqual(first.body);
    expect(await arrived(1)).toHaveLength(1);
    await post('test', undefined, key());
    await post('test');
    expect(await arrived(3)).toHaveLength(3);
  });

  it('is refused while its test call is under way', async () => {
    receiver().behave({ kind: 'hang' });
    const same = key();
    const first = post('test', undefined, same);
    await arrived(1);
    const { status, body, headers } = await post('test', undefined, same);
    expect([status, body.error]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    expect(headers.get('retry-after')).toBe('2');
    expect((await first).body).toMatchObject({ delivered: false, status: null });
    expect(await arrived(1)).toHaveLength(1);
  }, 30_000);

  it('is not used up by a registration that is not there', async () => {
    const same = key();
    const absent = `/webhooks/${randomUUID()}/test`;
    for (let time = 0; time < 2; time += 1)
      expect((await tenant.native('POST', absent, undefined, same)).status).toBe(404);
  });

  it('makes a redelivery one', async () => {
    await provision(1);
    const [delivered] = await ended('delivered', 1);
    const again = `deliveries/${delivered!.id}/redeliver`;
    const same = key();
    const first = await post(again, undefined, same);
    expect(first.status).toBe(202);
    await ended('delivered', 1, 2);
    const repeated = await post(again, undefined, same);
    expect([repeated.status, repeated.body]).toEqual([202, first.body]);
    await post(again, undefined, key());
    await ended('delivered', 1, 3);
  });

  it('makes a rotation one, and shows its secret again', async () => {
    const same = key();
    const first = await post('rotate-secret', undefined, same);
    expect((await post('rotate-secret', undefined, same)).body).toEqual(first.body);
    const other = await post('rotate-secret', undefined, key());
    expect(other.body.secret).not.toBe(first.body.secret);
    await post('test');
    const [{ headers, body }] = (await arrived(1)) as [ReceivedRequest];
    const text = body.toString('utf8');
    expect(
      await verify(other.body.secret as string, text, String(headers['x-service-signature'])),
    ).toBe(true);
    expect(String(headers['x-service-signature-previous']).split(', ')).toHaveLength(2);
  });
});

describe('a recovery', () => {
  it('sends again all that failed, and says when it is through', async () => {
    receiver().behave({ kind: 'answer', status: 410 });
    await provision(3);
    await ended('failed', 3);
    receiver().behave({ kind: 'answer', status: 200 });
    const key = { 'idempotency-key': randomUUID() };
    const body = { since: new Date(Date.now() - 60_000).toISOString() };
    const [begun, again] = [await post('recover', body, key), await post('recover', body, key)];
    expect([begun.status, again.status]).toEqual([202, 202]);
    expect(again.body.id).toBe(begun.body.id);
    const other = await post('recover', { since: '2026-01-01T00:00:00Z' }, key);
    expect([other.status, other.body.error]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    await ended('delivered', 3, 2);
    await vi.waitFor(async () => {
      const recovery = `/webhooks/${hook}/recoveries/${begun.body.id as string}`;
      const found = await tenant.native('GET', recovery);
      expect(found.body).toMatchObject({ state: 'done', recovered: 3 });
      expect(found.body.finished_at).not.toBeNull();
    }, 10_000);
    const upper = (begun.body.id as string).toUpperCase();
    const known = await tenant.native('GET', `/webhooks/${hook}/recoveries/${upper}`);
    expect([known.status, known.body.id]).toEqual([200, begun.body.id]);
    const strange = await tenant.native('GET', `/webhooks/${hook}/recoveries/${randomUUID()}`);
    expect([strange.status, strange.body.error]).toEqual([404, 'JOB_NOT_FOUND']);
  });
});

describe('a rotation of the secret', () => {
  it('leaves no delivery that neither the old nor the new secret verifies, under load', async () => {
    const provisioning = provision(40);
    await arrived(5);
    const rotated = await post('rotate-secret');
    expect(rotated.status).toBe(200);
    const answeredAt = new Date();
    const fresh = rotated.body.secret as string;
    expect(fresh).not.toBe(secret);
    await provisioning;
    await provision(2);
    const requests = await arrived(42);
    for (const { headers, body, at } of requests) {
      const text = body.toString('utf8');
      const header = (name: string): string => String(headers[name] ?? 'sha256=');
      const isOld = async (name: string) => verify(secret, text, header(name));
      expect(
        (await isOld('x-service-signature')) || (await isOld('x-service-signature-previous')),
      ).toBe(true);
      expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toBeDefined();
      if (at <= answeredAt) continue;
      expect(await verify(fresh, text, header('x-service-signature'))).toBe(true);
      expect(new Webhook(fresh).verify(text, headers as Record<string, string>)).toBeDefined();
    }
    expect(requests.filter(({ at }) => at > answeredAt).length).toBeGreaterThan(1);
    expect(JSON.stringify((await tenant.native('GET', `/webhooks/${hook}`)).body)).not.toContain(
      fresh,
    );
  });
});

describe('a rotation whose secret takes over later', () => {
  it('signs with the old secret first, and announces the new one', async () => {
    const fresh = 'a-secret-that-we-have-made';
    const asked = { secret: fresh, overlap_hours: 1, switch: 'after_overlap' };
    const rotated = await post('rotate-secret', asked);
    expect([rotated.status, rotated.body]).toEqual([200, { id: hook, secret: fresh }]);
    await provision(1);
    const [{ headers, body, json }] = (await arrived(1)) as [ReceivedRequest];
    const text = body.toString('utf8');
    expect(await verify(secret, text, String(headers['x-service-signature']))).toBe(true);
    expect(await verify(fresh, text, String(headers['x-service-signature-next']))).toBe(true);
    expect(headers).not.toHaveProperty('x-service-signature-previous');
    const raw = new Webhook(new TextEncoder().encode(fresh), { format: 'raw' });
    for (const webhook of [new Webhook(secret), raw])
      expect(webhook.verify(text, headers as Record<string, string>)).toEqual(json);
    expect(headers['webhook-id']).toBe((json as { id: string }).id);
  });

  it('leaves the old secret no signature where there is to be no overlap', async () => {
    const rotated = await post('rotate-secret', { overlap_hours: 0 });
    await provision(1);
    const [{ headers, body }] = (await arrived(1)) as [ReceivedRequest];
    const text = body.toString('utf8');
    const fresh = rotated.body.secret as string;
    expect(await verify(fresh, text, String(headers['x-service-signature']))).toBe(true);
    for (const name of ['x-service-signature-previous', 'x-service-signature-next'])
      expect(headers).not.toHaveProperty(name);
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it.each([
    { overlap_hours: 169 },
    { overlap_hours: -1 },
    { overlap_hours: 1.5 },
    { switch: 'later' },
    { secret: 'short' },
    { other: 1 },
  ])('is refused for %j, and changes nothing', async (asked) => {
    const refused = await post('rotate-secret', asked);
    expect([refused.status, refused.body.error]).toEqual([400, 'INVALID_REQUEST']);
    await provision(1);
    const [{ headers, body }] = (await arrived(1)) as [ReceivedRequest];
    const given = String(headers['x-service-signature']);
    expect(await verify(secret, body.toString('utf8'), given)).toBe(true);
  });
});

describe('the standard’s id', () => {
  it('is the event’s, the same for every registration; a delivery’s own id is another', async () => {
    const other = await tenant.native('POST', '/webhooks', {
      url: receiver().url + path,
      events: ['user.created'],
    });
    expect(other.status).toBe(201);
    await provision(1);
    const requests = await arrived(2);
    const { id } = requests[0]!.json as { id: string };
    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    const deliveries = requests.map(({ headers }) => headers['x-service-delivery']);
    expect(new Set([...deliveries, id]).size).toBe(3);
  });
});

describe('static headers', () => {
  it('are shown by their names, and changed one by one', async () => {
    const get = async () => (await tenant.native('GET', `/webhooks/${hook}`)).body.header_names;
    expect(await get()).toEqual(['X-Team', 'Authorization']);
    await tenant.native('PATCH', `/webhooks/${hook}`, {
      headers: { authorization: null, 'x-team': 'people', 'X-New': '1' },
    });
    expect(await get()).toEqual(['x-team', 'X-New']);
    await provision(1);
    const [{ headers }] = (await arrived(1)) as [ReceivedRequest];
    expect(headers).toMatchObject({ 'x-team': 'people', 'x-new': '1' });
    expect(headers).not.toHaveProperty('authorization');
  });
});

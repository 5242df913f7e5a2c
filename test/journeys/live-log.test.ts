import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN_TOKEN,
  type Client,
  createResource,
  TestGateway,
  type TestTenant,
} from '../support/gateway.js';
import { eventually } from '../support/eventually.js';

/** Two gateways on one database. */
let uri = '';
const gateway = TestGateway.use((given) => {
  uri = given;
  return {};
});
const second = TestGateway.use(() => ({ ROLLGATE_MONGODB_URI: uri }));
let operator: Client;
let tenant: TestTenant;
let base: string;

beforeAll(async () => {
  operator = await gateway.operator();
  await second.open();
  tenant = await gateway.tenant();
  base = `/tenants/${tenant.slug}`;
});

interface Received {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const open: AbortController[] = [];
afterEach(() => {
  for (const controller of open.splice(0)) controller.abort();
});

const parse = (block: string): Received => {
  const fields = new Map(
    block
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    id: fields.get('id') ?? '',
    event: fields.get('event') ?? '',
    data: JSON.parse(fields.get('data') ?? 'null') as Received['data'],
  };
};

/** Follows the log; resolves when the stream is open. */
const follow = async (query = '', headers: Record<string, string> = {}): Promise<Received[]> => {
  const controller = new AbortController();
  open.push(controller);
  const { url } = await gateway.open();
  const response = await fetch(`${url}/admin/v1${base}/live${query}`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
    signal: controller.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const received: Received[] = [];
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      received.push(...blocks.filter((block) => block.includes('data:')).map(parse));
    }
  };
  void read().catch(() => undefined);
  await eventually(() => expect(received[0]).toMatchObject({ event: 'heartbeat' }));
  return received;
};

const commandsIn = (received: readonly Received[]) =>
  received.filter(({ event }) => event === 'command');

describe('the live log', () => {
  it('has the commands of all gateways, refused ones too, as the log shows them', async () => {
    // Given a client that follows the log on one gateway
    const received = await follow();
    // When commands are sent to both gateways
    const there = await second.tenantWithKey(tenant.slug, tenant.key);
    await createResource(tenant.native, '/users', { email: 'one@example.com' });
    await createResource(there.native, '/users', { email: 'two@example.com' });
    await there.native('POST', '/users', { email: 'two@example.com' });
    // Then it receives each of them once
    await eventually(() => expect(commandsIn(received)).toHaveLength(3));
    const { body } = await operator<{ commands: object[] }>('GET', `${base}/commands?limit=3`);
    const ids = (list: readonly object[]) => list.map((one) => (one as { id: string }).id).sort();
    expect(ids(commandsIn(received).map(({ data }) => data))).toEqual(ids(body.commands));
    for (const { data } of commandsIn(received)) expect(body.commands).toContainEqual(data);
  });

  it('continues where the client left, and can be filtered', async () => {
    const received = await follow();
    await createResource(tenant.native, '/users', { email: 'three@example.com' });
    await eventually(() => expect(commandsIn(received)).toHaveLength(1));
    // Given a client that disconnected, and missed two commands
    open.pop()!.abort();
    await createResource(tenant.native, '/users', { email: 'four@example.com' });
    await tenant.native('POST', '/users', { email: 'four@example.com' });
    // When it continues
    const headers = { 'last-event-id': commandsIn(received)[0]!.id };
    const [all, refused] = [await follow('', headers), await follow('?outcome=refused', headers)];
    // Then it receives them, and nothing that it has
    await eventually(() => {
      expect(commandsIn(all).map(({ data }) => data['outcome'])).toEqual(['applied', 'refused']);
      expect(commandsIn(refused).map(({ data }) => data['error'])).toEqual(['EMAIL_TAKEN']);
    });
  });

  it('is limited per operator: an auditor with all their streams leaves some to others', async () => {
    // given an auditor who opens more streams than one operator may
    const { url } = await gateway.open();
    const auditor = { name: 'Auditor', role: 'auditor', tenants: [tenant.slug] };
    const created = await operator<{ readonly id: string }>('POST', '/operators', auditor);
    const link = await operator<{ readonly url: string }>(
      'POST',
      `/operators/${created.body.id}/link`,
    );
    const signedIn = await fetch(`${url}/admin/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link: link.body.url.split('#')[1] }),
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const start = async () => {
      const controller = new AbortController();
      open.push(controller);
      const { signal } = controller;
      return fetch(`${url}/admin/v1${base}/live`, { headers: { cookie }, signal });
    };
    const streams = await Promise.all(Array.from({ length: 15 }, start));
    const refused = streams.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(5);
    for (const { status, headers } of refused)
      expect([status, headers.get('retry-after')]).toEqual([429, '30']);

    // when another operator follows the log, then it opens
    await follow();

    // and when the auditor closes one, then another one opens
    for (const controller of open.splice(0)) controller.abort();
    await eventually(async () => expect((await start()).status).toBe(200));
  });

  it('refuses unknown filters, positions and tenants', async () => {
    expect((await operator('GET', `${base}/live?outcome=none`)).status).toBe(400);
    const wrong = { 'last-event-id': 'nonsense' };
    expect(await operator('GET', `${base}/live`, undefined, wrong)).toMatchObject({
      status: 400,
      body: {
        details: [{ path: 'Last-Event-ID', message: 'must be the `id` of an event, unchanged' }],
      },
    });
    expect((await operator('GET', '/tenants/none/live')).status).toBe(404);
  });
});

describe('an export of the log', () => {
  const download = async (query: string) => {
    const { url } = await gateway.open();
    const response = await fetch(`${url}/admin/v1${base}/commands/export?${query}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    return { response, text: await response.text() };
  };

  it('has every entry as a line of JSON, and can be filtered', async () => {
    const { response, text } = await download('format=ndjson');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="provisioning-log-${tenant.slug}.ndjson"`,
    );
    const lines = text.trimEnd().split('\n');
    const { body } = await operator<{ commands: object[] }>('GET', `${base}/commands?limit=500`);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(body.commands);
    const { text: refused } = await download('format=ndjson&outcome=refused');
    expect(refused.trimEnd().split('\n').length).toBeLessThan(lines.length);
  });

  it('is of any length', async () => {
    // Given more entries than are read at once
    const big = await gateway.tenant();
    const Operations = Array.from({ length: 600 }, (_, at) => ({
      method: 'POST',
      path: '/Users',
      bulkId: `${at}`,
      data: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: `u-${at}` },
    }));
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'];
    expect((await big.scim('POST', '/Bulk', { schemas, Operations })).status).toBe(200);
    const { url } = await gateway.open();
    const path = `/admin/v1/tenants/${big.slug}/commands/export?type=user.create`;
    const response = await fetch(url + path, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect((await response.text()).trimEnd().split('\r\n')).toHaveLength(601);
  });
});

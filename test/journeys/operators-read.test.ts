import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createResource,
  type Identified,
  TestGateway,
  type TestTenant,
  useReceiver,
} from '../support/gateway.js';
import { GROUP_URN } from '../support/scim-urns.js';
import { eventually } from '../support/eventually.js';

const NUMBER = '+4915123456789';
const MASKED = '+49•••••••89';

const receiver = useReceiver();
const gateway = TestGateway.use(() => receiver.env());
let operator: Client;
let tenant: TestTenant;
let base: string;
/** The ids of the tenant's entities. */
let ids: Readonly<Record<'user' | 'room' | 'group' | 'list' | 'webhook' | 'delivery', string>>;

beforeAll(async () => {
  await receiver.open();
  operator = await gateway.operator();
  tenant = await gateway.tenant();
  base = `/tenants/${tenant.slug}`;
  const webhook = await createResource(tenant.native, '/webhooks', {
    url: `${receiver.receiver().url}/read?token=T0KEN`,
    events: ['user.created'],
    headers: { Authorization: 'Bearer H3ADER' },
    secret: 'S3CRET-of-sixteen',
  });
  const room = await createResource(operator, `${base}/rooms`, { name: 'Dispatch' });
  await operator('POST', `${base}/role-mappings`, {
    group_display_name: 'Dispatch',
    role: 'dispatcher',
  });
  const user = await createResource(tenant.native, '/users', { email: 'ada@example.com' });
  const group = await createResource(tenant.scim, '/Groups', {
    schemas: [GROUP_URN],
    displayName: 'Dispatch',
    externalId: 'g-1',
    members: [{ value: user }],
  });
  const list = await createResource(tenant.native, '/sms-lists', { name: 'Night shift' });
  const body = { members: [{ phone_number: NUMBER, display_name: 'Ada' }] };
  expect((await tenant.native('POST', `/sms-lists/${list}/members`, body)).status).toBe(200);
  // The attempt and the webhook's status are written shortly after the delivery ends.
  const delivery = await eventually(async () => {
    const path = `/webhooks/${webhook}`;
    const page = await tenant.native<{ deliveries: (Identified & { attempts: object[] })[] }>(
      'GET',
      `${path}/deliveries?state=delivered`,
    );
    expect(page.body.deliveries).toMatchObject([{ attempts: [{ status: 200 }] }]);
    const { body: registration } = await tenant.native('GET', path);
    expect(registration).toMatchObject({ last_trigger_status: 'success' });
    return page.body.deliveries[0]!.id;
  });
  ids = { user, room, group, list, webhook, delivery };
});

/** The text as operators see it. */
const masked = (text: string): string =>
  text.replaceAll(NUMBER, MASKED).replaceAll('?token=T0KEN', '?***');

describe('operators', () => {
  it('read the same responses as the tenant, with numbers and tokens masked', async () => {
    const paths = [
      '/users',
      '/users?email=ada@example.com',
      `/users/${ids.user}`,
      `/rooms/${ids.room}/members`,
      `/rooms/${ids.room}/members?limit=1`,
      '/sms-lists',
      `/sms-lists/${ids.list}`,
      `/sms-lists/${ids.list}/members`,
      `/sms-lists/${ids.list}/recipients`,
      '/webhooks',
      `/webhooks/${ids.webhook}`,
      `/webhooks/${ids.webhook}/deliveries`,
      `/webhooks/${ids.webhook}/deliveries/${ids.delivery}`,
      '/events?limit=10',
    ];
    for (const path of paths) {
      const tenants = await tenant.native('GET', path);
      const operators = await operator('GET', base + path);
      expect([path, tenants.status, operators.status]).toEqual([path, 200, 200]);
      expect(operators.body).toEqual(JSON.parse(masked(JSON.stringify(tenants.body))));
      expect(operators.headers.get('etag')).toBe(tenants.headers.get('etag'));
      expect(JSON.stringify(operators.body)).not.toMatch(/15123456789|T0KEN|H3ADER|S3CRET/);
    }
  });

  it('read groups with their rooms, roles and members', async () => {
    const expected = {
      id: ids.group,
      display_name: 'Dispatch',
      external_id: 'g-1',
      room_id: ids.room,
      role: 'dispatcher',
      member_count: 1,
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
    };
    for (const query of ['', '?display_name=dispatch', '?external_id=g-1']) {
      const { body } = await operator('GET', `${base}/groups${query}`);
      expect(body).toEqual({ groups: [expected], total: 1, limit: 100, offset: 0 });
    }
    expect((await operator('GET', `${base}/groups?display_name=other`)).body).toMatchObject({
      groups: [],
      total: 0,
    });
    const one = await operator('GET', `${base}/groups/${ids.group}`);
    expect(one.body).toEqual(expected);
    const known = { 'if-none-match': one.headers.get('etag')! };
    expect((await operator('GET', `${base}/groups/${ids.group}`, undefined, known)).status).toBe(
      304,
    );
    const members = await operator('GET', `${base}/groups/${ids.group}/members`);
    expect(members.body).toMatchObject({
      members: [{ user_id: ids.user, email: 'ada@example.com', tx_permission: false }],
      total: 1,
    });
  });
});

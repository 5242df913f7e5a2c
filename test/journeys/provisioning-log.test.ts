import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createResource,
  type Identified,
  TestGateway,
  type TestTenant,
  useReceiver,
} from '../support/gateway.js';
import { GROUP_URN, USER_URN } from '../support/scim-urns.js';
import { eventually } from '../support/eventually.js';

interface Entity {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
}

interface Line {
  readonly id: string;
  readonly at: string;
  readonly actor: Entity;
  readonly source: string;
  readonly type: string;
  readonly subject: Entity | null;
  readonly affected: readonly Entity[];
  readonly affected_count: number;
  readonly changes: readonly { path: string; before?: unknown; after?: unknown }[];
  readonly outcome: string;
  readonly error: string | null;
  readonly events: { first_seq: number; last_seq: number } | null;
  readonly deliveries: number;
  readonly request_id: string;
}

interface Page {
  readonly commands: readonly Line[];
  readonly next: string | null;
}

const receiver = useReceiver();
const gateway = TestGateway.use(() => receiver.env());
let operator: Client;
let tenant: TestTenant;

beforeAll(async () => {
  await receiver.open();
  operator = await gateway.operator();
  tenant = await gateway.tenant();
});

const read = async (query = ''): Promise<Page> => {
  const { status, body } = await operator<Page>('GET', `/tenants/${tenant.slug}/commands?${query}`);
  expect([status, body]).toMatchObject([200, {}]);
  return body;
};

/** Lines of commands without changes are written a moment after the response. */
const lines = async (query: string, count: number): Promise<readonly Line[]> =>
  eventually(async () => {
    const { commands } = await read(query);
    expect(commands).toHaveLength(count);
    return commands;
  });

const createUser = (userName: string, more: object = {}): Promise<string> =>
  createResource(tenant.scim, '/Users', { schemas: [USER_URN], userName, ...more });

describe('the provisioning log', () => {
  it('shows actor, subject and affected users, with the values before and after', async () => {
    const id = await createUser('ada@example.com', { displayName: 'Ada', title: 'Countess' });
    await tenant.native('PATCH', `/users/${id}`, { display_name: 'Ada Lovelace', active: false });
    const subject = { kind: 'user', id, name: 'ada@example.com' };
    const [changed, created] = await lines(`subject=${id}`, 2);
    expect(changed).toMatchObject({
      type: 'user.update',
      source: 'rest',
      actor: { kind: 'api-key', id: tenant.keyId, name: 'test' },
      subject,
      outcome: 'applied',
      error: null,
      changes: [
        { path: 'display_name', before: 'Ada', after: 'Ada Lovelace' },
        { path: 'active', before: true, after: false },
      ],
    });
    expect(changed!.events!.last_seq - changed!.events!.first_seq).toBe(1);
    expect(created).toMatchObject({ type: 'user.create', source: 'scim', subject });
    expect(created!.changes).toContainEqual({ path: 'active', before: null, after: true });
    expect(JSON.stringify(created)).not.toContain('Countess');
    // Also by name, case-insensitively.
    expect(await lines('subject=ADA@example.com', 2)).toEqual([changed, created]);
    expect(await lines('affected=ada+lovelace', 2)).toEqual([changed, created]);
    // A key by its description.
    expect(await lines(`actor=Test&affected=${id}`, 2)).toEqual([changed, created]);
    expect((await read(`actor=unknown&affected=${id}`)).commands).toEqual([]);
  });

  it("names the subject of a refused command by the client's name for it", async () => {
    await createUser('taken@example.com');
    const refused = await tenant.scim(
      'POST',
      '/Users',
      { schemas: [USER_URN], userName: 'Taken@example.com' },
      { 'x-request-id': 'refused-by-name' },
    );
    expect(refused.status).toBe(409);
    const [line] = await lines('request_id=refused-by-name', 1);
    expect(line).toMatchObject({
      type: 'user.create',
      subject: { kind: 'user', id: null, name: 'Taken@example.com' },
      outcome: 'refused',
      error: expect.stringMatching(/_TAKEN$/) as string,
      changes: [],
      events: null,
      deliveries: 0,
    });
    await tenant.scim('POST', '/Groups', { schemas: [GROUP_URN], displayName: 'No such room' });
    const [group] = await lines('subject=no%20such%20room', 1);
    expect(group).toMatchObject({
      subject: { kind: 'group', id: null, name: 'No such room' },
      error: 'ROOM_NOT_FOUND',
    });
    const byOutcome = await lines('outcome=refused', 2);
    expect(byOutcome.map(({ id }) => id)).toEqual([group!.id, line!.id]);
  });

  it('finds commands on other entities by an affected user', async () => {
    const rooms = `/tenants/${tenant.slug}/rooms`;
    const room = await createResource(operator, rooms, { name: 'Dispatch' });
    const id = await createUser('member@example.com');
    const add = { user_id: id, tx_permission: true };
    await tenant.native('POST', `/rooms/${room}/members`, add);
    for (const affected of [id, id.toUpperCase(), 'member@EXAMPLE.com']) {
      const [added, created] = await lines(`affected=${affected}`, 2);
      expect(created!.type).toBe('user.create');
      expect(added).toMatchObject({
        type: 'member.add',
        subject: { kind: 'room', id: room, name: 'Dispatch' },
        affected: [{ kind: 'user', id, name: 'member@example.com' }],
        affected_count: 1,
        changes: [
          { path: 'members', before: 0, after: 1 },
          { path: `members[${id}].tx_permission`, before: null, after: true },
        ],
      });
    }
    expect((await lines(`affected=${id}&subject=dispatch`, 1))[0]?.type).toBe('member.add');
    expect(await lines(`affected=${id}&source=scim`, 1)).toHaveLength(1);
    expect(await lines('affected=unknown@example.com', 0)).toEqual([]);
  });

  it('shows changes to settings, API keys, SMS lists and webhooks, without secrets', async () => {
    const path = `/tenants/${tenant.slug}`;
    await operator('PATCH', path, { seat_capacity: 500 });
    const scopes = ['usage'];
    const created = await operator<{ key: string; key_id: string }>('POST', `${path}/api-keys`, {
      description: 'Badge printer',
      scopes,
    });
    const list = await tenant.native<Identified>('POST', '/sms-lists', { name: 'Night shift' });
    const number = '+4915123456789';
    const members = `/sms-lists/${list.body.id}/members`;
    await tenant.native('POST', members, { members: [{ phone_number: number }] });
    const secret = 'a-secret-of-sixteen';
    const hook = await tenant.native<Identified>('POST', '/webhooks', {
      url: 'https://hooks.example.com/in/T0KEN?token=T0KEN',
      events: ['user.created'],
      description: 'Badges',
      secret,
    });

    const [settings] = await lines('type=tenant.update', 1);
    expect(settings).toMatchObject({
      actor: { kind: 'operator', id: null, name: 'admin-token' },
      subject: { kind: 'tenant', name: tenant.slug },
      changes: [{ path: 'seat_capacity', before: null, after: 500 }],
    });
    const [key] = await lines(`subject=${created.body.key_id}`, 1);
    expect(key).toMatchObject({
      type: 'api-key.create',
      subject: { kind: 'api_key', name: 'Badge printer' },
      changes: [
        { path: 'description', after: 'Badge printer' },
        { path: 'prefix' },
        { path: 'scopes', after: scopes },
      ],
    });
    const [added] = await lines(`subject=${list.body.id}`, 2);
    expect(added).toMatchObject({
      subject: { kind: 'sms_list', name: 'Night shift' },
      changes: [{ path: 'members', before: 0, after: 1 }],
    });
    const [webhook] = await lines('subject=badges', 1);
    expect(webhook).toMatchObject({
      type: 'plugin.change',
      subject: { kind: 'webhook', id: hook.body.id, name: 'Badges' },
    });
    expect(webhook!.changes).toContainEqual({
      path: 'url',
      before: null,
      after: 'https://hooks.example.com',
    });
    const all = JSON.stringify(await read('limit=500'));
    for (const hidden of [secret, created.body.key, number.slice(1), 'T0KEN'])
      expect(all).not.toContain(hidden);
    await tenant.native('DELETE', `/webhooks/${hook.body.id}`);
  });

  it("counts the deliveries of a command's events", async () => {
    const url = `${receiver.receiver().url}/log`;
    const hooks = await Promise.all(
      ['one', 'two'].map((description) =>
        tenant.native<Identified>('POST', '/webhooks', { url, events: ['user.*'], description }),
      ),
    );
    const id = await createUser('delivered@example.com');
    await eventually(async () => {
      const [line] = await lines(`subject=${id}`, 1);
      expect(line).toMatchObject({ deliveries: 2 });
    });
    for (const { body } of hooks) await tenant.native('DELETE', `/webhooks/${body.id}`);
  });

  it('can be read to its end page by page without duplicates, with any filter', async () => {
    const all = (await read('limit=500')).commands.map(({ id }) => id);
    for (const filter of ['', '&source=scim', '&q=EXAMPLE.com', '&type=user.create']) {
      const { commands } = await read(`limit=500${filter}`);
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const page: Page = await read(`limit=2${filter}${next && `&cursor=${next}`}`);
        seen.push(...page.commands.map(({ id }) => id));
        next = page.next;
      }
      expect(seen).toEqual(commands.map(({ id }) => id));
      expect(new Set(seen).size).toBe(seen.length);
      if (filter === '') expect(seen).toEqual(all);
    }
  });

  it("contains only the tenant's own commands", async () => {
    const other = await gateway.tenant();
    const { body } = await operator<Page>('GET', `/tenants/${other.slug}/commands?q=example.com`);
    expect(body).toEqual({ commands: [], next: null });
  });
});

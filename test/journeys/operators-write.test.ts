import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createResource,
  type Identified,
  TestGateway,
  type TestTenant,
  useReceiver,
} from '../support/gateway.js';

const receiver = useReceiver();
const gateway = TestGateway.use(() => receiver.env());
let operator: Client;
let tenant: TestTenant;
let base: string;

beforeAll(async () => {
  await receiver.open();
  operator = await gateway.operator();
  tenant = await gateway.tenant();
  base = `/tenants/${tenant.slug}`;
});

/** The newest entry of the provisioning log. */
const lastCommand = async (): Promise<object | undefined> => {
  const { body } = await operator<{ commands: object[] }>('GET', `${base}/commands?limit=1`);
  return body.commands[0];
};

const BY_OPERATOR = { actor: { kind: 'operator', name: 'admin-token' }, source: 'admin' };

describe('operators write to a tenant as its own keys do', () => {
  it('change and deactivate users, and the log names the operator', async () => {
    // Given a user
    const user = await createResource(tenant.native, '/users', { email: 'ada@example.com' });
    // When an operator renames and deactivates the user
    const renamed = await operator('PATCH', `${base}/users/${user}`, { display_name: 'Ada' });
    expect([renamed.status, renamed.body]).toMatchObject([200, { display_name: 'Ada' }]);
    expect(await lastCommand()).toMatchObject({ ...BY_OPERATOR, type: 'user.update' });
    const preview = await operator('DELETE', `${base}/users/${user}`, undefined, {
      prefer: 'dry-run',
    });
    expect(preview.body).toMatchObject({ dry_run: true, status: 204, event_count: 1 });
    expect((await operator('DELETE', `${base}/users/${user}`)).status).toBe(204);
    // Then the tenant sees it
    expect((await tenant.native('GET', `/users/${user}`)).body).toMatchObject({
      display_name: 'Ada',
      active: false,
    });
    expect(await lastCommand()).toMatchObject({ ...BY_OPERATOR, type: 'user.deactivate' });
  });

  it('manage the members and the mapping of a room', async () => {
    const user = await createResource(tenant.native, '/users', { email: 'bob@example.com' });
    const room = await createResource(operator, `${base}/rooms`, { name: 'Dispatch' });
    const members = `${base}/rooms/${room}/members`;
    const added = await operator('POST', members, { user_id: user });
    expect(added.status).toBe(201);
    expect(added.headers.get('location')).toMatch(`/admin/v1${members}/${user}`);
    const heard = await operator('PATCH', `${members}/${user}`, { tx_permission: true });
    expect(heard.body).toMatchObject({ user_id: user, tx_permission: true });
    const emptied = await operator('PUT', members, { members: [] });
    expect(emptied.body).toMatchObject({ members_removed: 1 });
    expect((await operator('DELETE', `${members}/${user}`)).body).toMatchObject({
      error: 'MEMBER_NOT_FOUND',
    });

    const mapping = `${base}/rooms/${room}/mapping`;
    const mapped = await operator('PATCH', mapping, { display_name: 'Dispatchers' });
    expect([mapped.status, mapped.body]).toMatchObject([200, { display_name: 'Dispatchers' }]);
    expect((await operator('DELETE', mapping)).status).toBe(204);
    // Without its mapping, the room stays.
    expect((await operator('GET', `${base}/rooms/${room}`)).body).toMatchObject({
      name: 'Dispatch',
      group_id: null,
    });
  });

  it('manage SMS lists, without seeing numbers', async () => {
    const list = await createResource(operator, `${base}/sms-lists`, { name: 'Night shift' });
    const members = `${base}/sms-lists/${list}/members`;
    const body = { members: [{ phone_number: '+4915123456789' }] };
    expect((await operator('POST', members, body)).body).toMatchObject({ members_added: 1 });
    expect((await operator('PUT', members, body)).body).toMatchObject({ members_removed: 0 });
    const { body: page } = await operator<{ members: (Identified & object)[] }>('GET', members);
    expect(JSON.stringify(page)).not.toContain('15123456789');
    expect((await operator('DELETE', `${members}/${page.members[0]!.id}`)).status).toBe(204);
    expect((await operator('DELETE', `${base}/sms-lists/${list}`)).status).toBe(204);
  });

  it('manage webhooks, without seeing the tokens in their addresses', async () => {
    const url = `${receiver.receiver().url}/hook?token=T0KEN`;
    const created = await operator<Identified & { secret: string }>('POST', `${base}/webhooks`, {
      url,
      events: ['user.created'],
    });
    expect(created.status).toBe(201);
    expect(created.body.secret).toMatch(/^whsec_/);
    const webhook = `${base}/webhooks/${created.body.id}`;
    const changed = await operator('PATCH', webhook, { description: 'Badges' });
    expect(changed.body).toMatchObject({ description: 'Badges' });
    expect(JSON.stringify([created.body, changed.body])).not.toContain('T0KEN');
    const maskedUrl = (changed.body as { url: string }).url;
    expect((await operator('PATCH', webhook, { url: maskedUrl })).body).toMatchObject({
      error: 'INVALID_REQUEST',
      details: [{ path: 'url' }],
    });
    expect((await operator('POST', `${webhook}/test`)).body).toMatchObject({ delivered: true });
    const rotated = await operator<{ secret: string }>('POST', `${webhook}/rotate-secret`, {});
    expect(rotated.body.secret).not.toBe(created.body.secret);
    const since = new Date(Date.now() - 60_000).toISOString();
    expect((await operator('POST', `${webhook}/recover`, { since })).status).toBe(202);
    // The address itself is intact.
    const own = await tenant.native('GET', `/webhooks/${created.body.id}`);
    expect(own.body).toMatchObject({ url });
    expect((await operator('DELETE', webhook)).status).toBe(204);
  });

  it.each(['now', 'after_overlap'])('rotate a secret, switch %s, as the log says', async (when) => {
    const path = `${base}/webhooks`;
    const body = { url: receiver.receiver().url, events: ['user.created'], description: when };
    const id = await createResource(operator, path, body);
    await operator('POST', `${path}/${id}/rotate-secret`, { switch: when });
    const log = await operator('GET', `${base}/commands?limit=1`);
    expect(log.body).toMatchObject({
      commands: [{ title: 'Rotated the secret of', changes: [{ path: 'secret' }] }],
    });
    expect((await operator('DELETE', `${path}/${id}`)).status).toBe(204);
  });
});

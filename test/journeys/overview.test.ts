import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Client, createResource, TestGateway, type TestTenant } from '../support/gateway.js';
import { ENTERPRISE_URN, GROUP_URN, USER_URN } from '../support/scim-urns.js';

const gateway = TestGateway.use();
let operator: Client;
let tenant: TestTenant;
let base: string;
let ids: Readonly<Record<'user' | 'room' | 'list' | 'webhook' | 'mapping', string>>;

beforeAll(async () => {
  operator = await gateway.operator();
  tenant = await gateway.tenant({ seat_capacity: 2 });
  base = `/tenants/${tenant.slug}`;
  const room = await createResource(operator, `${base}/rooms`, { name: 'Dispatch' });
  await createResource(operator, `${base}/rooms`, { name: 'Depot' });
  const mapping = await createResource(operator, `${base}/role-mappings`, {
    group_display_name: 'Dispatchers',
    role: 'dispatcher',
  });
  const user = await createResource(tenant.scim, '/Users', {
    schemas: [USER_URN],
    userName: 'ada@example.com',
    displayName: 'Ada Lovelace',
    externalId: 'E-1',
  });
  await createResource(tenant.scim, '/Groups', {
    schemas: [GROUP_URN],
    displayName: 'Dispatch',
    members: [{ value: user }],
  });
  const list = await createResource(tenant.native, '/sms-lists', { name: 'Dispatch alarms' });
  const webhook = await createResource(tenant.native, '/webhooks', {
    url: 'https://hooks.example.com/x',
    // None of the test: a delivery would fail, sooner or later.
    events: ['sms_list.deleted'],
    description: 'Dispatch badges',
  });
  await createResource(tenant.native, '/users', { email: 'dispatcher@example.com' });
  // All seats are taken.
  const refused = await tenant.native('POST', '/users', { email: 'third@example.com' });
  expect(refused.body).toMatchObject({ error: 'SEAT_CAPACITY_REACHED' });
  ids = { user, room, list, webhook, mapping };
});

interface Overview {
  readonly attention: readonly { readonly code: string; readonly severity: string }[];
}

describe('the overview of a tenant', () => {
  it('has its counts and what needs attention, most severe first', async () => {
    // A refusal is logged shortly after its response.
    await eventually(async () => {
      const { status, body } = await operator<Overview>('GET', `${base}/overview`);
      expect([status, body]).toMatchObject([
        200,
        {
          seats: { capacity: 2, provisioned: 2, available: 0 },
          users: { total: 2, active: 2 },
          rooms: { total: 2, mapped: 1 },
          identity_provider: { key_id: tenant.keyId, description: 'test' },
          webhooks: { total: 1, failing: 0 },
          connectors: { total: 0, held: 0, failed: 0 },
        },
      ]);
      // The use of the key is stored after half a minute; until then it seems to be unused.
      const lasting = body.attention.filter(({ code }) => code !== 'IDENTITY_PROVIDER_MISSING');
      expect(lasting.map(({ severity, code }) => [severity, code])).toEqual([
        ['error', 'SEATS_FULL'],
        ['warning', 'COMMANDS_REFUSED'],
      ]);
      expect(body.attention[0]).toMatchObject({ link: 'settings/tenant' });
      expect(body.attention[1]).toMatchObject({
        message: 'One command was refused in the last 24 hours: seat capacity reached.',
        link: 'log?outcome=refused',
      });
    });
  });

  it('says what to do first for an empty tenant', async () => {
    const empty = await gateway.tenant({}, ['api:users:read']);
    const { body } = await operator<Overview>('GET', `/tenants/${empty.slug}/overview`);
    expect(body).toMatchObject({
      seats: { capacity: null, available: null },
      identity_provider: null,
      attention: [{ code: 'IDENTITY_PROVIDER_MISSING', link: 'setup' }],
    });
  });

  it('does not call a provider silent that was never connected', async () => {
    const fresh = await gateway.tenant();
    const { body } = await operator<Overview>('GET', `/tenants/${fresh.slug}/overview`);
    expect(body.attention).toMatchObject([
      {
        code: 'IDENTITY_PROVIDER_MISSING',
        message: 'The identity provider with the API key "test" has not sent a request yet.',
      },
    ]);
  });

  it('says of which group a change was refused, why, and what to do', async () => {
    const stale = await gateway.tenant();
    await createResource(operator, `/tenants/${stale.slug}/rooms`, { name: 'Dispatch' });
    await stale.scim('POST', '/Groups', {
      schemas: [GROUP_URN],
      displayName: 'Dispatch',
      members: [{ value: '7f3c5b1e-2a4d-4c8e-9f10-5d6e7f8a9b0c' }],
    });
    await eventually(async () => {
      const { body } = await operator<Overview>('GET', `/tenants/${stale.slug}/overview`);
      expect(body.attention.find(({ code }) => code === 'COMMANDS_REFUSED')).toMatchObject({
        message: 'One command was refused in the last 24 hours: create group "Dispatch".',
        action:
          'No user has the id "7f3c5b1e-2a4d-4c8e-9f10-5d6e7f8a9b0c". Nothing was changed. Provision ' +
          'the user and push the group again, or ask your operator to skip unknown members ' +
          '(`scim.unknown_members`).',
      });
    });
  });

  describe('lists groups that were refused because they have no room', () => {
    const push = (to: TestTenant, displayName: string) =>
      to.scim('POST', '/Groups', { schemas: [GROUP_URN], displayName });
    const attention = async ({ slug }: TestTenant) => {
      const { body } = await operator<Overview>('GET', `/tenants/${slug}/overview`);
      return body.attention.filter(({ code }) => /_REFUSED$/.test(code));
    };
    const refused = async ({ slug }: TestTenant) => {
      const path = `/tenants/${slug}/groups/refused`;
      const { body } = await operator<{ groups: { display_name: string }[] }>('GET', path);
      return body.groups.map(({ display_name: name }) => name);
    };

    it('by name, each once', async () => {
      const tenant = await gateway.tenant();
      for (const name of ['Quay', 'Night watch', 'night WATCH']) await push(tenant, name);
      await eventually(async () =>
        expect(await attention(tenant)).toMatchObject([
          {
            code: 'GROUPS_REFUSED',
            message:
              '2 groups were refused in the last 7 days: no room or role mapping is named "night WATCH" and "Quay".',
            link: 'groups',
          },
        ]),
      );
      expect(await refused(tenant)).toEqual(['night WATCH', 'Quay']);
    });

    it.each([
      ['it has a room', '/rooms', { name: 'night watch' }, 201],
      ['it has a role', '/role-mappings', { group_display_name: 'night watch', role: 'lead' }, 201],
      [
        'it is ignored, by a mapping that is off',
        '/role-mappings',
        { group_display_name: 'night watch', apply_on_scim_provisioning: false },
        404,
      ],
    ])('until %s', async (_case, path, body, status) => {
      const tenant = await gateway.tenant();
      await push(tenant, 'Night watch');
      await eventually(async () => expect(await refused(tenant)).toEqual(['Night watch']));
      const id = await createResource(operator, `/tenants/${tenant.slug}${path}`, body);
      expect(await refused(tenant)).toEqual([]);
      expect((await push(tenant, 'Night watch')).status).toBe(status);
      expect(await attention(tenant)).toEqual([]);
      if (status === 201) return;
      await operator('DELETE', `/tenants/${tenant.slug}/role-mappings/${id}`);
      await eventually(async () => expect(await refused(tenant)).toEqual(['Night watch']));
    });
  });
});

describe('the activity of a tenant', () => {
  const sum = (points: readonly Record<string, number>[], name: string): number =>
    points.reduce((total, point) => total + (point[name] ?? 0), 0);

  it.each([
    [1, 300, 12],
    [24, 3_600, 24],
    [168, 14_400, 42],
  ])('of %i hours is counted in steps of %i s', async (hours, step, steps) => {
    const path = `${base}/activity?hours=${hours}`;
    const { body } = await operator<{ points: Record<string, number>[] }>('GET', path);
    expect(body).toMatchObject({ step_seconds: step });
    expect(body.points).toHaveLength(steps);
    const { body: log } = await operator<{ commands: { outcome: string }[] }>(
      'GET',
      `${base}/commands?limit=500`,
    );
    const logged = (outcome: string) =>
      log.commands.filter((one) => one.outcome === outcome).length;
    expect(sum(body.points, 'applied')).toBe(logged('applied'));
    expect(sum(body.points, 'refused')).toBe(1);
    expect(sum(body.points, 'failed')).toBe(0);
    const { body: feed } = await operator<{ events: unknown[] }>('GET', `${base}/events?limit=500`);
    expect(sum(body.points, 'events')).toBe(feed.events.length);
  });

  it('is of at most a week', async () => {
    expect((await operator('GET', `${base}/activity?hours=169`)).status).toBe(400);
  });
});

describe('a search', () => {
  const search = async (text: string) => {
    const path = `${base}/search?q=${encodeURIComponent(text)}`;
    const { body } = await operator<{ results: { kind: string; id: string }[] }>('GET', path);
    return body.results;
  };

  it('finds everything whose name begins with the text', async () => {
    const results = await search('dispatch');
    expect(results.map(({ kind }) => kind)).toEqual([
      'user',
      'room',
      'group',
      'sms_list',
      'role_mapping',
      'webhook',
    ]);
  });

  it.each(['ADA', 'ada@', 'ada love', 'E-1'])('finds a user by %s', async (text) => {
    expect(await search(text)).toEqual([
      {
        kind: 'user',
        id: ids.user,
        title: 'Ada Lovelace',
        subtitle: text === 'E-1' ? 'External id E-1' : 'ada@example.com',
      },
    ]);
  });

  it('finds everything by any word of its name, in any order', async () => {
    const person = {
      schemas: [USER_URN, ENTERPRISE_URN],
      userName: 'a.byron',
      displayName: 'Countess Åsa Ķīng',
      name: { givenName: 'Augusta', familyName: 'Noël' },
      active: false,
      [ENTERPRISE_URN]: { employeeNumber: 'HR-1852' },
    };
    const id = await createResource(tenant.scim, '/Users', person);
    for (const text of [
      ...['åsa', 'Asa', 'king', 'ķīng', 'augusta', 'noël', 'NOEL', 'a.byron', 'byron'],
      ...['HR-1852', '1852', 'king countess', 'countess asa k', 'asa king'],
    ])
      expect([text, await search(text)]).toMatchObject([text, [{ kind: 'user', id }]]);
    expect(await search('king lovelace')).toEqual([]);
    expect(await search('lovelace')).toMatchObject([{ kind: 'user', id: ids.user }]);
    expect(await search('alarms')).toMatchObject([{ kind: 'sms_list', id: ids.list }]);
    expect(await search('badges')).toMatchObject([{ kind: 'webhook', id: ids.webhook }]);
    const night = await createResource(operator, `${base}/rooms`, { name: 'North / night watch' });
    for (const text of ['night', 'watch', 'night w'])
      expect(await search(text)).toMatchObject([{ kind: 'room', id: night }]);
  });

  it('of the users of the REST API finds words too', async () => {
    for (const q of ['lovelace', 'LOVE', 'ada love', 'ada@', 'lovelace, ada', 'ada  lovelace']) {
      const { body } = await tenant.native('GET', `/users?search=${encodeURIComponent(q)}`);
      expect(body).toMatchObject({ users: [{ id: ids.user }], total: 1 });
    }
    for (const query of ['search=example', 'q=lovelace']) {
      const { body } = await tenant.native('GET', `/users?${query}`);
      expect([query, body]).toMatchObject([query, { total: 0 }]);
    }
  });

  it('finds a new name at once, and an old one no longer', async () => {
    await tenant.native('PATCH', `/users/${ids.user}`, { display_name: 'Ada King' });
    expect(await search('king')).toMatchObject([{ id: ids.user }, {}]);
    await tenant.native('PATCH', `/users/${ids.user}`, { display_name: 'Ada Lovelace' });
    expect(await search('lovelace')).toMatchObject([{ id: ids.user }]);
    expect(await search('king')).toMatchObject([{ title: 'Countess Åsa Ķīng' }]);
  });

  it('finds anything by its id', async () => {
    for (const [name, kind] of [
      ['user', 'user'],
      ['room', 'room'],
      ['list', 'sms_list'],
      ['mapping', 'role_mapping'],
      ['webhook', 'webhook'],
    ] as const)
      expect(await search(ids[name])).toMatchObject([{ kind, id: ids[name] }]);
    expect(await search(tenant.keyId)).toMatchObject([{ kind: 'api_key', title: 'test' }]);
  });

  it('finds commands by request id and id, and nothing of other tenants', async () => {
    const header = { 'x-request-id': 'find-this-request' };
    await tenant.native('DELETE', `/users/${ids.user}`, undefined, header);
    const found = await search('find-this-request');
    expect(found).toMatchObject([
      { kind: 'command', title: expect.stringMatching(/^Deactivate the user "/) as string },
    ]);
    const id = found[0]!.id;
    expect(await search(id)).toMatchObject([{ kind: 'command', id }]);
    expect((await operator('GET', `${base}/commands/${id}`)).body).toMatchObject({ id });
    const other = `/tenants/${(await gateway.tenant()).slug}`;
    for (const q of ['dispatch', id, ids.user])
      expect((await operator('GET', `${other}/search?q=${q}`)).body).toEqual({
        results: [],
        has_more: false,
      });
    expect((await operator('GET', `${other}/commands/${id}`)).body).toMatchObject({
      error: 'COMMAND_NOT_FOUND',
    });
  });

  it('takes any text literally', async () => {
    for (const text of ['.*', '$where', '(', '\\', 'ﬀ'.repeat(100)])
      expect(await search(text)).toEqual([]);
    expect((await operator('GET', `${base}/search?q=%20`)).status).toBe(400);
    expect((await operator('GET', `${base}/search`)).status).toBe(400);
  });
});

describe('the rooms of a user', () => {
  it('are listed by name', async () => {
    const path = `${base}/users/${ids.user}/rooms`;
    expect((await operator('GET', path)).body).toEqual({
      rooms: [
        {
          id: ids.room,
          name: 'Dispatch',
          tx_permission: false,
          added_at: expect.any(String) as string,
        },
      ],
      total: 1,
      limit: 100,
      offset: 0,
    });
    expect((await operator('GET', `${base}/users/${ids.room}/rooms`)).body).toMatchObject({
      error: 'USER_NOT_FOUND',
    });
  });
});

describe('the system', () => {
  it('lists gateways, the database and checks with the action to take', async () => {
    const { status, body } = await operator('GET', '/system');
    expect([status, body]).toMatchObject([
      200,
      {
        instances: [{ is_this: true, host: expect.any(String) as string }],
        database: { kind: 'external' },
      },
    ]);
    const checks = (body as { checks: { id: string; status: string; action: unknown }[] }).checks;
    expect(checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['database', 'gateways', 'clock', 'plugin-webhooks']),
    );
    for (const { status: state, action } of checks) expect(action === null).toBe(state === 'ok');
  });
});

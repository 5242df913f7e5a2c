import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Client, TestGateway, type TestTenant } from '../support/gateway.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-uploads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'rollgate.yaml');
const TENANTS = Array.from({ length: 40 }, (_, at) => `tenant-${at + 1}`);
/** A connector for each test. */
const sectionOf = (tenant: string): string => `  payroll-${tenant}:
    use: push
    tenant: ${tenant}
    settings: { settle: 0s }
    groups: [{ path: enterprise.department }]
    map:
      enterprise.costCenter: 'urn:contoso:employee:CostCentre'
    safety: { maxDeactivatePercent: 60, maxDeactivateCount: 6 }
  mail-${tenant}:
    use: csv
    tenant: ${tenant}
    settings: { folder: . }
`;
writeFileSync(config, `connectors:\n${TENANTS.map(sectionOf).join('')}`);

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

interface Status {
  readonly id: string;
  readonly state: string;
  readonly run: string | null;
  readonly problems: readonly { readonly external_id: string; readonly message: string }[];
}

/** A person as Microsoft's samples send them. */
const person = (id: string, more: object = {}) => ({
  method: 'POST',
  bulkId: id,
  path: '/Users',
  data: {
    schemas: [CORE, ENTERPRISE, 'urn:contoso:employee'],
    externalId: id,
    userName: `${id}@example.com`,
    name: { familyName: id.toUpperCase(), givenName: 'Person' },
    displayName: id.toUpperCase(),
    emails: [{ value: `${id}@example.com`, type: 'work', primary: true }],
    phoneNumbers: [{ value: '+44 20 7946 0000', type: 'work' }],
    active: true,
    [ENTERPRISE]: { employeeNumber: id, department: 'Dispatch' },
    'urn:contoso:employee': { CostCentre: 'C7' },
    ...more,
  },
});

const bulk = (...Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations,
  failOnErrors: null,
});

describe('a connector that receives uploads', () => {
  const gateway = TestGateway.use(() => ({ ROLLGATE_CONFIG: config }));
  let tenant: TestTenant;
  let operator: Client;
  let native: Client;
  let payroll: string;

  beforeEach(async () => {
    operator = await gateway.operator();
    tenant = await gateway.tenant({ room_provisioning: 'automatic' }, [
      'connectors:push',
      'scim:read',
      'api:users:read',
      'api:rooms:read',
    ]);
    ({ native } = tenant);
    payroll = `/connectors/payroll-${tenant.slug}`;
  });

  const upload = async (body: object, query = ''): Promise<Status> => {
    const response = await native<Status>('POST', `${payroll}/bulkUpload${query}`, body);
    expect(response.status).toBe(202);
    return response.body;
  };
  const ended = (id: string, state = 'done'): Promise<Status> =>
    eventually(async () => {
      const { body } = await native<Status>('GET', `${payroll}/uploads/${id}`);
      expect(body.state).toBe(state);
      return body;
    });
  const user = async (id: string): Promise<Record<string, unknown> | undefined> => {
    const { body } = await native<{ users: readonly Record<string, unknown>[] }>(
      'GET',
      `/users?email=${id}@example.com`,
    );
    return body.users[0];
  };

  const change = (id: string, data: object) => ({
    method: 'POST',
    path: '/Users',
    data: { externalId: id, ...data },
  });
  const everybody = ['boss', 'ada', ...Array.from({ length: 7 }, (_, at) => `p${at}`)];

  const connector = (): string => `/tenants/${tenant.slug}${payroll}`;
  interface Run {
    readonly id: string;
    readonly state: string;
    readonly mode: string;
    readonly read: number;
    readonly applied: number;
  }
  const newestRun = async (): Promise<Run | undefined> => {
    const { body } = await operator<{ runs: readonly Run[] }>('GET', `${connector()}/runs?limit=1`);
    return body.runs[0];
  };
  const run = (body: object): Promise<Run> =>
    eventually(async () => {
      const started = await operator<Run>('POST', `${connector()}/runs`, body);
      expect(started.status).toBe(201);
      return started.body;
    });
  const done = (id: string, state = 'done'): Promise<Run> =>
    eventually(async () => {
      const { body } = await operator<Run>('GET', `${connector()}/runs/${id}`);
      expect(body.state).toBe(state);
      return body;
    });

  it('creates a joiner, with room, manager and attributes of an unknown schema', async () => {
    const ada = person('ada', {
      [ENTERPRISE]: { department: 'Dispatch', manager: { value: 'boss' } },
    });
    const response = await native<Status>(
      'POST',
      `${payroll}/bulkUpload`,
      bulk(ada, person('boss')),
    );
    expect(response).toMatchObject({ status: 202, body: { operations: 2 } });
    expect(response.headers.get('location')).toContain(`${payroll}/uploads/${response.body.id}`);
    expect(await ended(response.body.id)).toMatchObject({ problems: [] });

    expect(await user('ada')).toMatchObject({ active: true, external_id: 'ada' });
    const { id } = (await user('ada'))!;
    const boss = (await user('boss'))!;
    expect((await tenant.scim('GET', `/Users/${String(id)}`)).body).toMatchObject({
      phoneNumbers: [{ value: '+44 20 7946 0000', type: 'work' }],
      groups: [{ display: 'Dispatch' }],
      [ENTERPRISE]: { costCenter: 'C7', manager: { value: boss['id'] } },
    });
  });

  it('leaves attributes as they are that an update leaves out', async () => {
    await ended((await upload(bulk(person('ada'), person('boss')))).id);
    const mover = { externalId: 'ada', [ENTERPRISE]: { department: 'Fleet' } };
    await ended((await upload(bulk({ method: 'POST', path: '/Users', data: mover }))).id);
    expect(await user('ada')).toMatchObject({ display_name: 'ADA', active: true });
    const { body } = await native<{ rooms: readonly { name: string; member_count: number }[] }>(
      'GET',
      '/rooms',
    );
    expect(body.rooms).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'Dispatch', member_count: 1 }),
        expect.objectContaining({ name: 'Fleet', member_count: 1 }),
      ]),
    );
  });

  it('names people who cannot be provisioned', async () => {
    const broken = { externalId: 'cid', displayName: 'Cid' };
    const { id } = await upload(bulk({ method: 'POST', path: '/Users', data: broken }));
    expect((await ended(id)).problems).toMatchObject([{ external_id: 'cid' }]);
  });

  const snapshot = async (...ids: readonly string[]): Promise<Status> => {
    const half = Math.ceil(ids.length / 2);
    const first = await upload(
      bulk(...ids.slice(0, half).map((id) => person(id))),
      '?snapshot=start',
    );
    expect(await ended(first.id, 'waiting')).toMatchObject({ operations: half });
    return upload(bulk(...ids.slice(half).map((id) => person(id))), '?snapshot=complete');
  };

  it('makes several uploads one list of everybody', async () => {
    const ids = ['boss', 'ada', ...Array.from({ length: 8 }, (_, at) => `p${at}`)];
    await ended((await upload(bulk(...ids.map((id) => person(id))))).id);
    const withoutLast = ids.slice(0, -1);

    await ended((await snapshot(...withoutLast)).id);
    // Whoever is missing once may be missing by mistake.
    expect(await user('p7')).toMatchObject({ active: true });
    await ended((await snapshot(...withoutLast)).id);
    expect(await user('p7')).toMatchObject({ active: false });
  });

  it('keeps the changes since the newest list when everybody is read again', async () => {
    await ended((await snapshot(...everybody)).id);
    const changes = bulk(
      change('p0', { displayName: 'Renamed' }),
      change('p1', { active: false }),
      person('new'),
    );
    await ended((await upload(changes)).id);
    expect(await user('p1')).toMatchObject({ active: false });

    const { applied } = await done((await run({ mode: 'full' })).id);

    expect(applied).toBe(0);
    expect(await user('p0')).toMatchObject({ display_name: 'Renamed' });
    expect(await user('p1')).toMatchObject({ active: false });
    expect(await user('new')).toMatchObject({ active: true });
    await done((await run({ records: ['p0'] })).id);
    expect(await user('p0')).toMatchObject({ display_name: 'Renamed' });
  });

  it('counts the last time that a person is in a list', async () => {
    const first = everybody.map((id) => person(id));
    await ended((await upload(bulk(...first), '?snapshot=start')).id, 'waiting');
    await upload(bulk(...first), '?snapshot=continue');
    for (let part = 0; part < 25; part += 1) {
      const older = person('p2', { displayName: `Part ${part}` });
      await upload(bulk(older), '?snapshot=continue');
    }
    const again = [person('new'), person('p2', { displayName: 'Second' })];
    await ended((await upload(bulk(...again), '?snapshot=complete')).id);

    expect(await newestRun()).toMatchObject({ mode: 'full', read: 10 });
    expect(await user('p2')).toMatchObject({ display_name: 'Second' });
  });

  it('merges a correction with the change that is in quarantine', async () => {
    await ended((await snapshot(...everybody)).id);
    const taken = [{ value: 'p4@example.com', primary: true }];
    const wrong = await upload(bulk(change('p3', { displayName: 'Three', emails: taken })));
    expect((await ended(wrong.id)).problems).toMatchObject([{ external_id: 'p3' }]);

    const own = [{ value: 'p3@example.com', primary: true }];
    expect((await ended((await upload(bulk(change('p3', { emails: own })))).id)).problems).toEqual(
      [],
    );

    expect(await user('p3')).toMatchObject({ display_name: 'Three' });
  });

  it('holds a run in which too many are missing, and later uploads with it', async () => {
    await ended((await snapshot(...everybody)).id);
    const list = await snapshot('boss', 'ada');
    await ended(list.id, 'held');
    const later = await upload(bulk(change('p5', { active: false })));

    const { read } = await done((await run({ mode: 'delta' })).id);

    expect(read).toBe(0);
    await ended(list.id, 'held');
    await ended(later.id, 'waiting');
    expect(await user('p5')).toMatchObject({ active: true });
  });

  it('applies what came after a list that is rejected, and never the list', async () => {
    await ended((await snapshot(...everybody)).id);
    const list = await snapshot('boss', 'ada');
    const { run: held } = await ended(list.id, 'held');
    const later = await upload(bulk(change('p6', { active: false })));

    await operator('POST', `${connector()}/runs/${held ?? ''}/reject`);

    await ended(later.id);
    expect(await user('p6')).toMatchObject({ active: false });
    await ended(list.id, 'rejected');
    await done((await run({ mode: 'full' })).id);
    expect(await user('p4')).toMatchObject({ active: true });
    expect(await user('p6')).toMatchObject({ active: false });
  });

  it('forgets changes that are rejected', async () => {
    await ended((await snapshot(...everybody)).id);
    const leavers = ['boss', 'ada', 'p0', 'p1', 'p2', 'p3', 'p4'].map((id) =>
      change(id, { active: false }),
    );
    const wrong = await upload(bulk(...leavers));
    const { run: held } = await ended(wrong.id, 'held');
    await operator('POST', `${connector()}/runs/${held ?? ''}/reject`);

    await ended((await upload(bulk(change('p5', { displayName: 'Five' })))).id);

    expect(await newestRun()).toMatchObject({ mode: 'delta', read: 1, applied: 1 });
    await ended(wrong.id, 'rejected');
    expect(await user('p2')).toMatchObject({ active: true });
  });

  it.each([
    [
      'more people than are allowed',
      bulk(...Array.from({ length: 51 }, (_, at) => person(`x${at}`))),
      413,
    ],
    ['nobody', bulk(), 400],
    ['another operation', bulk({ ...person('ada'), method: 'DELETE' }), 400],
    ['another resource', bulk({ ...person('ada'), path: '/Groups' }), 400],
    ['a person without an externalId', bulk({ method: 'POST', path: '/Users', data: {} }), 400],
  ])('refuses an upload with %s', async (_, body, status) => {
    expect(await native('POST', `${payroll}/bulkUpload`, body)).toMatchObject({ status });
  });

  it('refuses a part of a snapshot that was not begun', async () => {
    expect(
      await native('POST', `${payroll}/bulkUpload?snapshot=continue`, bulk(person('ada'))),
    ).toMatchObject({
      status: 409,
      body: { error: 'SNAPSHOT_NOT_OPEN' },
    });
  });

  it('knows no connector of another kind, and no key without the scope', async () => {
    expect(
      await native('POST', `/connectors/mail-${tenant.slug}/bulkUpload`, bulk(person('ada'))),
    ).toMatchObject({
      status: 404,
      body: { error: 'CONNECTOR_NOT_FOUND' },
    });
    const other = await gateway.tenant({}, ['api:users:write']);
    expect(await other.native('POST', `${payroll}/bulkUpload`, bulk(person('ada')))).toMatchObject({
      status: 403,
      body: { error: 'INSUFFICIENT_SCOPE' },
    });
  });

  it('knows the attributes of SCIM in any case', async () => {
    const { data } = person('cased');
    const { displayName: _, active: __, name: ___, ...rest } = data;
    const cased = { ...rest, DisplayName: 'Cased', ACTIVE: true, Name: { GivenName: 'Cay' } };
    await ended((await upload(bulk({ ...person('cased'), data: cased }, person('boss')))).id);
    expect(await user('cased')).toMatchObject({ display_name: 'Cased', active: true });
    await ended((await upload(bulk(change('cased', { Active: false })))).id);
    expect(await user('cased')).toMatchObject({ active: false });
  });

  it.each(['no', 0])('does not guess what active: %j means', async (active) => {
    const { problems } = await ended((await upload(bulk(person('unsure', { active })))).id);
    expect(problems).toMatchObject([
      { external_id: 'unsure', message: `"active" is "${String(active)}", not true or false.` },
    ]);
  });
});

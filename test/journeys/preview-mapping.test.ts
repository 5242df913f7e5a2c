import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunView } from '../../plugins/connectors/operate/views.js';
import type { MappingPreview } from '../../plugins/connectors/operate/preview-mapping.js';
import { operatorCli } from '../cli/real-cli.js';
import { type Client, TestGateway, type TestTenant } from '../support/gateway.js';
import { peopleFile } from '../support/people-file.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-preview-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = peopleFile(folder, 'tenant-1');

const ADA = {
  id: '4711',
  mail: 'Ada@Example.com',
  name: 'Ada Lovelace',
  title: 'Driver',
  team: 'Dispatch',
};
const BOB = { id: '4712', mail: 'bob@example.com', name: 'Bob', boss: '4711', end: '2020-01-31' };

describe('the preview of a mapping', () => {
  const gateway = TestGateway.use(() => ({ ROLLGATE_CONFIG: file.config }));
  let operator: Client;
  let tenant: TestTenant | undefined;

  beforeEach(async () => {
    operator = await gateway.operator();
    tenant ??= await gateway.tenant({ room_provisioning: 'automatic' });
    file.save([ADA, BOB]);
  });

  const base = '/tenants/tenant-1/connectors/hr';
  const preview = async (body: object): Promise<MappingPreview> => {
    const response = await operator<MappingPreview>('POST', `${base}/mapping/preview`, body);
    expect(response).toMatchObject({ status: 200 });
    return response.body;
  };

  it('shows each record of the source, its user, and what a run would do; nothing is written', async () => {
    const { records, has_more: hasMore, problems, map } = await preview({});
    expect({ hasMore, problems }).toEqual({ hasMore: false, problems: [] });
    expect(map).toMatchObject({ title: 'title', userName: { path: 'mail', required: true } });
    expect(records).toMatchObject([
      {
        record: '4711',
        fields: [
          { path: 'mail', type: 'string', value: 'Ada@Example.com' },
          { path: 'name', value: 'Ada Lovelace' },
          { path: 'title', value: 'Driver' },
          { path: 'team', value: 'Dispatch' },
        ],
        user: null,
        plan: {
          kind: 'create',
          user_id: null,
          why: 'New in the source.',
          groups: [{ op: 'add', name: 'Dispatch' }],
        },
        problem: null,
      },
      { record: '4712', user: null, plan: { kind: 'touch', why: 'The last day was 2020-01-31.' } },
    ]);
    expect(records[0]?.rules).toContainEqual({
      target: 'title',
      from: ['title'],
      value: 'Driver',
      problem: null,
    });
    expect(await tenant?.native('GET', '/users')).toMatchObject({ body: { total: 0 } });
    expect(await operator('GET', `${base}/runs`)).toMatchObject({ body: { runs: [] } });
    expect(await operator('GET', base)).toMatchObject({ body: { last_run: null } });
    const log = await operator<{ commands: readonly { command: string }[] }>(
      'GET',
      '/tenants/tenant-1/commands?source=connector',
    );
    expect(log.body.commands).toEqual([]);
  });

  it('compares with the user that exists, whom the record would be matched with', async () => {
    await tenant?.native('POST', '/users', { email: 'ada@example.com', display_name: 'A. Byron' });
    const [ada] = (await preview({ ids: ['4711'] })).records;
    expect(ada).toMatchObject({
      user: { name: 'A. Byron', active: true },
      plan: {
        kind: 'link',
        why: expect.stringMatching(/^An existing user has the same /) as string,
      },
    });
    expect(ada?.attributes).toContainEqual({
      attribute: 'displayName',
      value: 'Ada Lovelace',
      current: 'A. Byron',
    });
    expect(ada?.plan?.changes).toContainEqual({
      attribute: 'title',
      before: null,
      after: 'Driver',
    });
  });

  it('applies edited rules to a sample, and names what is wrong with each rule', async () => {
    const { records, problems } = await preview({
      records: [
        {
          mail: 'cy@example.com',
          team: 'Dispatch',
          nick: 'Cy',
          badgePin: '4711',
          mobile: '+4915112345678',
        },
      ],
      map: {
        displayName: 'nick | name',
        title: { path: 'titel', transform: ['shout'] },
        department: 'team',
        nickName: null,
        'emails.home': 'nick',
        'enterprise.division': 'divison',
        'phoneNumbers.mobile': 'mobile',
      },
    });
    expect(problems).toEqual([
      {
        path: 'map.title',
        message: expect.stringMatching(/^transform 1 is none of trim, lower/) as string,
      },
      {
        path: 'map.department',
        message: 'users have no attribute "department"; did you mean "enterprise.department"?',
      },
      { path: 'map.enterprise.division', message: 'no record has a value at "divison"' },
    ]);
    const [cy] = records;
    expect(cy?.rules).toContainEqual({
      target: 'displayName',
      from: ['nick'],
      value: 'Cy',
      problem: null,
    });
    expect(cy?.rules).toContainEqual({
      target: 'emails.home',
      from: ['nick'],
      value: 'Cy',
      problem: 'emails.home is not an e-mail address.',
    });
    expect(cy).toMatchObject({
      record: 'sample 1',
      problem: 'emails.home is not an e-mail address.',
    });
    // Secrets and phone numbers are masked, in the source and in the user.
    const text = JSON.stringify(records);
    expect(text).not.toContain('4711');
    expect(text).not.toContain('15112345678');
  });

  it('takes the options as YAML, as it returns them, and names the lines of what is wrong', async () => {
    const { yaml } = await preview({});
    expect(yaml).toMatch(/^#[^]+\n# {3}title: title\n[^]*\nmap: \{\}\nmatch:\n {2}- externalId\n/);
    const same = await preview({ yaml });
    expect(same).toEqual(await preview({}));
    const { records, problems } = await preview({
      yaml: 'match: [email]\nmap:\n  title: team\n  department: team\n',
    });
    expect(records[0]?.attributes).toContainEqual({
      attribute: 'title',
      value: 'Dispatch',
      current: null,
    });
    expect(problems).toMatchObject([{ path: 'map.department', line: 4 }]);
    for (const [text, message] of [
      ['map:\n  title: [\n', /^Line 3: /],
      ['map: {}\nlifecycle:\n  start: 1\n', /^Line 3: lifecycle\.start: /],
      ['map:\n  title: a\n  title: b\n', 'Line 3: title is set twice; remove one of them.'],
      ['map: {}\nuse: csv\n', 'Line 2: use: a preview takes only map, match, lifecycle, groups.'],
      ['map: 1\n', /^Line 1: map: /],
    ] as const)
      expect(await operator('POST', `${base}/mapping/preview`, { yaml: text })).toMatchObject({
        status: 400,
        body: { error: 'INVALID_REQUEST', message: expect.stringMatching(message) as string },
      });
  });

  it('says which ids the source does not have, and that a source cannot be read', async () => {
    expect(await preview({ ids: ['4711', 'x'] })).toMatchObject({
      records: [{ record: '4711' }],
      problems: [{ path: 'x', message: 'The source has no record with this id.' }],
    });
    writeFileSync(join(folder, 'people.json'), 'broken');
    expect(await operator('POST', `${base}/mapping/preview`, {})).toMatchObject({
      status: 409,
      body: { error: 'CONNECTOR_UNREACHABLE' },
    });
  });

  it('tries other rules with the same records, without another read', async () => {
    const titleOf = async (body: object): Promise<unknown> => {
      const { records } = await preview({ ids: ['4711'], ...body });
      return records[0]?.attributes.find(({ attribute }) => attribute === 'title')?.value;
    };
    expect(await titleOf({})).toBe('Driver');
    file.save([{ ...ADA, title: 'Pilot' }]);
    expect(await titleOf({ reuse: true, map: { title: 'team' } })).toBe('Dispatch');
    expect(await titleOf({ reuse: true })).toBe('Driver');
    expect(await titleOf({})).toBe('Pilot');
  });

  it('is bounded, and refuses what is malformed', async () => {
    const people = Array.from({ length: 60 }, (_, at) => ({ id: `p${at}`, mail: `p${at}@x.org` }));
    file.save(people);
    const { records, has_more: hasMore } = await preview({ limit: 50 });
    expect([records.length, hasMore]).toEqual([50, true]);
    for (const body of [
      { records: people },
      { ids: ['a'], records: [{}] },
      { limit: 51 },
      { lifecycle: { start: 1 } },
      { match: ['shoeSize'] },
      { groups: [{ group: '' }] },
      { yaml: 'map: {}', map: {} },
    ])
      expect(await operator('POST', `${base}/mapping/preview`, body)).toMatchObject({
        status: 400,
        body: { error: 'INVALID_REQUEST' },
      });
    const large = { records: [{ text: 'x'.repeat(1_100_000) }] };
    expect(await operator('POST', `${base}/mapping/preview`, large)).toMatchObject({ status: 413 });
  });

  it('is printed by the command line: the source beside the user, and the differences', async () => {
    const cli = operatorCli(gateway);
    const run = await cli(['connector', 'preview', 'tenant-1', 'hr', '--id', '4711']);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toMatch(/^name +Ada Lovelace$/m);
    expect(run.stdout).toMatch(/^displayName +name +Ada Lovelace +-$/m);
    expect(run.stdout).toMatch(/^existing user +A\. Byron \([\da-f-]{36}\)$/m);
    expect(run.stdout).toMatch(/^a run would +link$/m);
    expect(run.stdout).toMatch(/title: - → Driver$/m);
    const json = await cli([
      'connector',
      'preview',
      'tenant-1',
      'hr',
      '--id',
      '4711',
      '-o',
      'json',
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({ records: [{ record: '4711' }] });
    const missing = await cli(['connector', 'preview', 'tenant-1', 'hr', '--id', 'x']);
    expect(missing).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('! x: The source has no record with this id.') as string,
    });
  });

  it('is followed by a first plan: who is matched, who is new, and who only exists here', async () => {
    const cli = operatorCli(gateway);
    file.save([ADA, { id: '4713', mail: 'cy@example.com', name: 'Cy', team: 'Dispatch' }]);
    for (const name of ['eve', 'dan', 'left'])
      await tenant?.native('POST', '/users', { email: `${name}@example.com`, display_name: name });
    const { body } = await tenant!.native<{ users: readonly { id: string }[] }>(
      'GET',
      '/users?email=left@example.com',
    );
    await tenant?.native('PATCH', `/users/${body.users[0]?.id}`, { active: false });
    const planned = await cli(['connector', 'plan', 'tenant-1', 'hr', '-o', 'json']);
    const { runs } = (await operator<{ runs: readonly RunView[] }>('GET', `${base}/runs`)).body;
    expect([planned.exitCode, runs[0]?.message]).toEqual([0, null]);
    expect(runs[0]).toMatchObject({
      state: 'planned',
      plan: {
        first: {
          matched: 1,
          new: 1,
          only_here: 2,
          only_here_users: [{ name: 'eve' }, { name: 'dan' }],
        },
      },
    });
    const shown = await cli(['connector', 'plan', 'tenant-1', 'hr', '--run', runs[0]!.id]);
    expect(shown.stdout).toMatch(/^ +2 active users are only here: /m);
    // Once a run has succeeded, plans say what changes.
    const run = await cli(['connector', 'run', 'tenant-1', 'hr', '-o', 'json']);
    expect(JSON.parse(run.stdout)).toMatchObject({ state: 'done' });
    expect(await cli(['connector', 'plan', 'tenant-1', 'hr'])).toMatchObject({
      stdout: expect.not.stringContaining('only here') as string,
    });
  });

  it('says after a run why nothing would change: as the next run, which plans nothing', async () => {
    const cli = operatorCli(gateway);
    file.save([
      ADA,
      { id: '4713', mail: 'cy@example.com', name: 'Cy', team: 'Dispatch' },
      { id: '5001', mail: 'gone@example.com', name: 'Gone', end: '2020-01-31' },
      { id: '5002', mail: 'soon@example.com', name: 'Soon', start: '2999-02-01' },
      { id: '5003', mail: 'led@example.com', name: 'Led', boss: '9999' },
    ]);
    await cli(['connector', 'run', 'tenant-1', 'hr']);
    const { records } = await preview({ ids: ['4711', '5001', '5002', '5003'] });
    expect(records.map(({ plan, why }) => ({ plan, why }))).toEqual([
      { plan: null, why: 'The user is as the record says.' },
      { plan: null, why: 'The person has left. The last day was 2020-01-31.' },
      { plan: null, why: 'The first day is 2999-02-01.' },
      { plan: null, why: 'The manager "9999" has no user yet.' },
    ]);
    const shown = await cli(['connector', 'preview', 'tenant-1', 'hr', '--id', '5001']);
    expect(shown.stdout).toMatch(/^a run would +change nothing\nwhy +The person has left\./m);
    const again = await cli(['connector', 'run', 'tenant-1', 'hr', '-o', 'json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'done', planned: {} });
  });
});

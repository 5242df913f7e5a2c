import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { USER_URN } from '../support/scim-urns.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);
let tenant: TestTenant;

const ADA = {
  schemas: [USER_URN],
  userName: 'ada@example.com',
  displayName: 'Ada Lovelace',
  phoneNumbers: [{ value: '+49 171 1234567' }],
};

beforeAll(() => gateway.open());
beforeEach(async () => {
  tenant = await gateway.tenant({ seat_capacity: 5 });
});

const request = (verb: string, ...words: readonly string[]) =>
  cli(['request', verb, tenant.slug, ...words]);

/** Starts the capture and sends this; resolves with the ids of the captured ones, newest first. */
const captured = async (...sent: readonly (readonly [string, string, object?])[]) => {
  expect((await request('start')).exitCode).toBe(0);
  for (const [method, path, body] of sent) await tenant.scim(method, path, body);
  return eventually(async () => {
    const ids = (await request('list', '--quiet')).stdout.split('\n').filter(Boolean);
    expect(ids).toHaveLength(sent.length);
    return ids;
  });
};

describe('request start and stop', () => {
  it('switch the capture on until a time, and off', async () => {
    const operator = await gateway.operator();
    const state = async () =>
      (await operator('GET', `/tenants/${tenant.slug}/request-capture`)).body as {
        readonly enabled: boolean;
        readonly until: string | null;
      };
    // When it is started for two hours
    const started = await request('start', '--until', '2h');
    // Then
    expect(started).toMatchObject({ exitCode: 0, stdout: '' });
    expect(started.stderr).toMatch(
      new RegExp(`^Capturing SCIM requests of ${tenant.slug} until 20\\S+Z \\(in .+\\)\\.\n$`),
    );
    const { enabled, until } = await state();
    expect(enabled).toBe(true);
    expect(Math.abs(Date.parse(until!) - Date.now() - 2 * 3_600_000)).toBeLessThan(3_600_000);
    // When it is stopped
    const stopped = await request('stop', '--json');
    // Then
    expect(JSON.parse(stopped.stdout)).toEqual({ enabled: false, until: null });
    expect(await state()).toMatchObject({ enabled: false });
    // And the log names the command line
    const log = await cli(['log', 'list', tenant.slug, '--source', 'cli', '--json']);
    expect(log.stdout).toContain('request_capture_until');
  });

  it.each([
    [['--until', '3d'], 1, 'must be within the next 24 hours'],
    [['--until', 'soon'], 2, 'how long from now'],
  ])('refuses %j', async (words, code, message) => {
    const { exitCode, stderr } = await request('start', ...words);
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('request list', () => {
  it('lists what was sent, newest first, page by page', async () => {
    const [newest, oldest] = await captured(
      ['GET', '/Users?filter=userName%20eq%20%22ada%22'],
      ['POST', '/Users', ADA],
    );
    const { stdout } = await request('list');
    const [titles, first, second] = stdout.split('\n');
    expect(titles).toMatch(/^TIME +METHOD +PATH +STATUS +DURATION +PROGRAM +ID$/);
    const path = `/v1/${tenant.slug}/scim/v2/Users`;
    expect(first).toMatch(new RegExp(`^20\\S+Z +POST +${path} +201 +\\d+ ms .* ${newest!}$`));
    expect(second).toMatch(/^20\S+Z +GET +.*filter=userName%20eq%20%22ada%22 +200 /);
    const page = await request('list', '--limit', '1');
    const [, cursor = ''] = /Next page: --after (\S+)/.exec(page.stderr) ?? [];
    expect((await request('list', '--limit', '1', '--after', cursor, '-q')).stdout).toBe(
      `${oldest!}\n`,
    );
  });

  it('says how to start, if nothing was captured', async () => {
    expect(await request('list')).toMatchObject({
      stdout: '',
      stderr:
        `No captured requests in ${tenant.slug}. Capture them for a day with ` +
        `"rollgate request start ${tenant.slug}".\n`,
    });
  });
});

describe('request show', () => {
  it('shows headers and bodies, without secrets and phone numbers', async () => {
    const [id] = await captured(['POST', '/Users', ADA]);
    const { stdout } = await request('show', id!);
    expect(stdout).toMatch(/\nstatus +201\n/);
    expect(stdout).toMatch(/\nreplay +yes\n/);
    expect(stdout).toContain('\nRequest:\n');
    expect(stdout).toContain('authorization: Bearer •••••••\n');
    expect(stdout).toContain('  "userName": "ada@example.com"');
    expect(stdout).toContain('\nResponse:\n');
    expect(stdout).not.toContain('1234567');
    expect(stdout).not.toContain(tenant.key);
    const { stdout: json } = await request('show', id!, '--json');
    expect(JSON.parse(json)).toMatchObject({ id, method: 'POST', obstacle: null });
  });

  it('completes the ids, and refuses an unknown one', async () => {
    const [id] = await captured(['GET', '/Users']);
    const { stdout } = await cli(['complete', '--', 'request', 'show', tenant.slug, '']);
    expect(stdout).toBe(`${id!}\n`);
    const { exitCode, stderr } = await request('show', '7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d');
    expect([exitCode, stderr]).toMatchObject([1, /REQUEST_NOT_FOUND/]);
  });
});

describe('request replay', () => {
  it('shows what the request would do now, and changes nothing', async () => {
    // Given a user who was created, and deleted since
    const [id] = await captured(['POST', '/Users', ADA]);
    const { body } = await tenant.scim<{ Resources: { id: string }[] }>('GET', '/Users');
    await tenant.scim('DELETE', `/Users/${body.Resources[0]!.id}`);
    // When
    const replayed = await request('replay', id!);
    // Then
    expect(replayed).toMatchObject({ exitCode: 0, stderr: 'Dry run: nothing was changed.\n\n' });
    expect(replayed.stdout).toMatch(/^status +201\n/);
    expect(replayed.stdout).toMatch(/\nevents +1 \(user\.created\)\n/);
    expect(replayed.stdout).toMatch(/\nseats +0 → 1\n/);
    expect(replayed.stdout).toContain('"userName": "ada@example.com"');
    expect((await tenant.scim('GET', '/Users')).body).toMatchObject({ totalResults: 0 });
    const { stdout } = await request('replay', id!, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ dry_run: true, status: 201, event_count: 1 });
    expect((await request('replay', id!, '--quiet')).stdout).toBe('201\n');
  });

  it('names the unknown members that a group push would leave out', async () => {
    tenant = await gateway.tenant({ room_provisioning: 'automatic' });
    const [id] = await captured([
      'POST',
      '/Groups',
      { displayName: 'A', members: [{ value: '1' }] },
    ]);
    const operator = await gateway.operator();
    await operator('PATCH', `/tenants/${tenant.slug}`, { scim: { unknown_members: 'skip' } });
    const { stdout } = await request('replay', id!);
    expect(stdout).toMatch(/^status +201\n/);
    expect(stdout).toMatch(/\nleft out +unknown members: 1\n/);
  });
});

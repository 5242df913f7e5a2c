import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { operatorCli, tenantCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);
let tenant: TestTenant;
const integrator = tenantCli(gateway, () => tenant);

beforeAll(async () => {
  tenant = await gateway.tenant();
  const ada = { email: 'ada@example.com', display_name: 'Ada' };
  const { body } = await tenant.native<{ id: string }>('POST', '/users', ada);
  await tenant.native('PATCH', `/users/${body.id}`, { display_name: 'Ada King' });
  await tenant.native('POST', '/users', ada);
  // A refusal is logged after its response.
  await eventually(async () => {
    expect((await log('--outcome', 'refused', '--quiet')).stdout).not.toBe('');
  });
});

const log = (...words: readonly string[]) => cli(['log', 'list', tenant.slug, ...words]);
const events = (...words: readonly string[]) => cli(['event', 'list', tenant.slug, ...words]);

describe('log list', () => {
  it('shows who did what, newest first, with changes and refusals', async () => {
    const { exitCode, stdout } = await log('--affected', 'ada@example.com');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^TIME +OUTCOME +COMMAND +SUBJECT +DETAIL +ACTOR +SOURCE +REQUEST ID\n/);
    expect(stdout).toMatch(
      /\n\S+Z +applied +user\.update +ada@example\.com +display_name: Ada → Ada King +test +rest +\S+\n/i,
    );
    const refused = await log('--outcome', 'refused');
    expect(refused.stdout).toMatch(/\n\S+Z +refused +user\.create .*EMAIL_TAKEN: /);
  });

  it.each([
    [['--type', 'user.update'], 1],
    [['--source', 'scim'], 0],
    [['--since', '1h', '--subject', 'ada@example.com'], 3],
    [['--until', '2020-01-01'], 0],
    [['--search', 'nothing of this name'], 0],
  ])('filters by %j', async (filter, count) => {
    const { stdout } = await log(...filter, '--json');
    expect((JSON.parse(stdout) as { commands: unknown[] }).commands).toHaveLength(count);
  });

  it('continues with a cursor', async () => {
    const first = await log('--limit', '1', '--quiet');
    const { stderr } = await log('--limit', '1');
    const [, cursor = ''] = /Next page: --after (\S+)\n$/.exec(stderr) ?? [];
    const second = await log('--limit', '1', '--after', cursor, '--quiet');
    expect(second.stdout).toMatch(/^\S{36}\n$/);
    expect(second.stdout).not.toBe(first.stdout);
  });

  it.each([
    ['an unknown outcome', ['--outcome', 'fine'], 'Allowed: applied, no-op, refused, failed.'],
    ['a time without its offset', ['--since', '2026-01-31T12:00'], 'how long ago'],
  ])('refuses %s', async (_what, words, hint) => {
    const { exitCode, stderr } = await log(...words);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(hint);
  });
});

describe('event list', () => {
  it('lists events in order, with the admin token or an API key', async () => {
    for (const run of [cli, integrator]) {
      const { stdout } = await run(['event', 'list', tenant.slug]);
      expect(stdout).toMatch(/^SEQ +TIME +EVENT +SUBJECT +CHANGED +ID\n/);
      expect(stdout).toMatch(/\n +1 +\S+Z +user\.created +ada@example\.com +- +\S{36}\n/);
      expect(stdout).toMatch(
        /\n +2 +\S+Z +user\.updated +ada@example\.com +display_name +\S{36}\n/,
      );
    }
  });

  it('filters by name and continues after a position', async () => {
    const { stdout } = await events(
      '--after',
      '1',
      '--event',
      'user.updated,user.deleted',
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ events: [{ seq: 2 }], has_more: false });
    const { stderr } = await events('--limit', '1');
    expect(stderr).toBe('\nNext page: --after 1\n');
    const none = await events('--after', '2');
    expect([none.stdout, none.stderr]).toEqual(['', `No events in ${tenant.slug}.\n`]);
  });

  it('suggests the event that a mistyped name means', async () => {
    const { exitCode, stderr } = await events('--event', 'user.craeted');
    expect([exitCode, stderr]).toMatchObject([2, /Did you mean user\.created\?/]);
  });
});

describe('log --follow', () => {
  const follow = async (
    words: readonly string[],
    { isDone, act }: { isDone: (stdout: string) => boolean; act: () => Promise<unknown> },
  ) => {
    const interrupt = new AbortController();
    let acted: Promise<unknown> | undefined;
    const run = await cli(['log', tenant.slug, '--follow', ...words], {
      interruption: interrupt.signal,
      onOutput: (stdout) => {
        acted ??= act();
        if (isDone(stdout)) interrupt.abort();
      },
    });
    await acted;
    return run;
  };

  it.each([
    ['the stream', []],
    ['the stream, filtered', ['--outcome', 'applied', '--type', 'user.create']],
    ['the log, with filters that the stream does not have', ['--search', 'example.com']],
  ])('prints the last entries and new ones from %s, until Ctrl-C', async (_what, words) => {
    // When a user is created while the log is followed
    const email = `new${words.length}@example.com`;
    const { exitCode, stdout } = await follow(words, {
      isDone: (text) => text.includes(email),
      act: () => tenant.native('POST', '/users', { email }),
    });

    // Then its entry is the last line, once, and earlier ones come before it
    expect(exitCode).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(stdout).toMatch(/^\S+Z {2}applied {2}user\.create {2}ada@example\.com {2}rest, test/im);
    expect(lines.filter((line) => line.includes(email))).toHaveLength(1);
    expect(lines.at(-1)).toContain(`user.create  ${email}`);
  });

  it('prints one JSON document per line', async () => {
    const { stdout } = await follow(['--json'], {
      isDone: (text) => text.includes('json@example.com'),
      act: () => tenant.native('POST', '/users', { email: 'json@example.com' }),
    });
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { request_id: string });
    expect(entries.at(-1)).toMatchObject({ outcome: 'applied', deliveries: 0 });
  });
});

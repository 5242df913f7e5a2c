import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADA, GRACE, PAGES, type PeopleApi, startPeopleApi } from '../connectors/people-api.js';
import { runCli } from '../support/run-cli.js';

const KEY = 'key-of-the-source-1234';
let cwd: string;
let api: PeopleApi;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'rollgate-try-'));
  api = await startPeopleApi({
    page: PAGES.page,
    accepts: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
  });
});
afterEach(async () => {
  await api.stop();
  await rm(cwd, { recursive: true });
});

/** The section of a connector, from its seventh line on with `more`. */
const section = (more = '', people = '{ path: /people, at: data, id: id }'): string =>
  [
    'use: rest',
    'tenant: acme',
    'allow: [127.0.0.1/32]',
    'settings:',
    `  baseUrl: ${api.url}/v1`,
    `  auth: { type: bearer, token: { env: HR_TOKEN } }`,
    `  people: ${people}`,
    '  paging: { by: page }',
    more,
    '',
  ].join('\n');

const tryIt = async (yaml: string, ...words: string[]) => {
  await writeFile(join(cwd, 'hr.yaml'), yaml);
  return runCli(['connector', 'try', 'hr.yaml', ...words], { cwd, env: { HR_TOKEN: KEY } });
};

describe('connector try', () => {
  it('shows fields and users of the first page, and requests no other one', async () => {
    const { exitCode, stdout, stderr } = await tryIt(
      section('lifecycle: { start: updatedAt }\ngroups: [{ group: Staff }]'),
    );
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('hr: 2 people on the first page; more follow.\n');
    expect(stdout).toMatch(/^firstName +string +Ada$/m);
    expect(stdout).toMatch(/^Record 1:\n(.+\n)*userName +ada@example\.com$/m);
    expect(stdout).toMatch(/^state +active: The first day is 2026-11-01\.$/m);
    expect(stdout).toMatch(/^groups +Staff$/m);
    expect(api.requests).toHaveLength(1);
  });

  it('masks secrets and phone numbers', async () => {
    const ada = { ...ADA, badgePin: '4711', mobile: '+4915112345678' };
    api.people = [ada, GRACE];
    const { stdout } = await tryIt(section('map: { phoneNumbers.mobile: mobile }'));
    expect(stdout).toMatch(/^mobile +string/m);
    expect(stdout).not.toMatch(/4711|15112345/);
  });

  it('names the lines of what does not fit, and what was meant', async () => {
    const { exitCode, stdout, stderr } = await tryIt(
      section('map:\n  title: jobTitle\n  nickName: firstname\nlifecycle: { end: lastday }'),
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Record 1:');
    expect(stderr).toBe(
      [
        'warning: hr.yaml:10: connectors.hr.map.title: no record has a value at "jobTitle"',
        'warning: hr.yaml:11: connectors.hr.map.nickName: no record has a value at "firstname"; did you mean "firstName"?',
        'warning: hr.yaml:12: connectors.hr.lifecycle.end: no record has a value at "lastday"',
        '',
      ].join('\n'),
    );
  });

  it('takes a field without values for no mistake, and suggests a format of dates', async () => {
    api.people = [{ ...ADA, leftOn: '', startedOn: '01.02.2024' } as never];
    const lifecycle = 'lifecycle: { start: startedOn, end: leftOn }';
    const { exitCode, stderr } = await tryIt(section(lifecycle));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('hr.yaml:9: connectors.hr.lifecycle: record 1: ');
    expect(stderr).toContain('Set `dateFormat`, such as dd.MM.yyyy.');
    expect(stderr).not.toContain('leftOn');
    const corrected = await tryIt(section(lifecycle.replace('}', ', dateFormat: dd.MM.yyyy }')));
    expect([corrected.exitCode, corrected.stderr]).toEqual([0, '']);
  });

  it('fails if no record can be used', async () => {
    const { exitCode, stderr } = await tryIt(
      section('map:\n  userName: { path: login, required: true }'),
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'hr.yaml:10: connectors.hr.map.userName: record 1 and 1 more: userName: "login" has no value, ' +
        'and userName needs one. Addresses are in "email".',
    );
  });

  it('says of a person who left and has no address that they left, as a plan does', async () => {
    api.people = [{ id: 1, status: 'LEFT' } as never, GRACE];
    const lifecycle = 'lifecycle: { status: { path: status, inactive: [LEFT] } }';
    const { exitCode, stdout, stderr } = await tryIt(section(lifecycle));
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Record 1:\nstate +left: The status is "LEFT"\.$/m);
    expect(stdout).not.toContain('quarantine');
  });

  it('shows the people who together use most rules', async () => {
    await api.stop();
    api = await startPeopleApi({
      page: (people) => ({ body: { data: people } }),
      accepts: () => true,
    });
    const person = (id: number, more: object) => ({ id, email: `p${id}@example.com`, ...more });
    api.people = [
      ...[1, 2, 3, 4].map((id) => person(id, {})),
      person(5, { status: 'LEFT' }),
      person(6, { boss: 1, jobTitle: 'Driver' }),
    ] as never;
    const { stdout } = await tryIt(
      section(
        'map: { manager: boss, title: jobTitle }\nlifecycle: { status: { path: status, inactive: [LEFT] } }\nschedule: { delta: "*/15 * * * *" }',
      ),
    );
    expect(stdout.match(/^Record \d/gm)).toEqual(['Record 1', 'Record 5', 'Record 6']);
    expect(stdout).toContain('Reading changes (`schedule.delta`) is not tried');
  });

  it.each([
    [
      'people.at',
      '{ path: /people, at: items, id: id }',
      7,
      'it has "data", "meta". Check `people.at`.',
    ],
    ['people.id', '{ path: /people, at: data, id: uuid }', 7, 'it has "id", "email"'],
    ['people.path', '{ path: /staff, at: data, id: id }', 7, 'responded with 404'],
  ])('points at the setting that a source contradicts: %s', async (key, people, line, text) => {
    const { exitCode, stderr } = await tryIt(section('', people));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`hr.yaml:${line}: connectors.hr.settings.${key}: `);
    expect(stderr).toContain(text);
  });

  it('says in a sentence that it waits for the source', async () => {
    await api.stop();
    await writeFile(join(cwd, 'hr.yaml'), section());
    const { host, port } = new URL(api.url);
    // Listens again when the connector waits, and refuses it.
    const source = createServer((_request, response) => response.writeHead(401).end());
    const { stderr } = await runCli(['connector', 'try', 'hr.yaml'], {
      ...{ cwd, env: { HR_TOKEN: KEY } },
      onNote: () => {
        if (!source.listening) source.listen(Number(port), '127.0.0.1');
      },
    });
    source.close();
    expect(stderr).toMatch(
      new RegExp(
        `^The server ${host} cannot be read\\. .+\\. Waiting for the source: next attempt in [12] s\\.\n`,
      ),
    );
  });

  it('points at the secret that a source refuses', async () => {
    const { exitCode, stderr } = await tryIt(section().replace('HR_TOKEN', 'HR_OTHER'));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('HR_OTHER is not set')]);
    const refused = await tryIt(section().replace('{ env: HR_TOKEN }', 'wrong-token-of-mine'));
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('hr.yaml:6: connectors.hr.settings.auth.token: ');
    expect(refused.stderr).not.toContain('wrong-token');
  });

  it('reports errors of the section as "config check" does', async () => {
    const { exitCode, stderr } = await tryIt(section('map: { displayname: email }'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('hr.yaml:9: connectors.hr.map.displayname: users have no attribute');
    expect(api.requests).toHaveLength(0);
  });

  it('reaches no address that `allow` does not have', async () => {
    const { exitCode, stderr } = await tryIt(section().replace('127.0.0.1/32', '10.0.0.0/8'));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('127.0.0.1')]);
    expect(api.requests).toHaveLength(0);
  });

  it('takes a settings file, and asks which of several connectors', async () => {
    const indented = section().replaceAll(/^(?=.)/gm, '    ');
    const yaml = `connectors:\n  hr:\n${indented}  other: { use: csv, tenant: acme, settings: { folder: . } }\n`;
    const unclear = await tryIt(yaml);
    expect([unclear.exitCode, unclear.stderr]).toEqual([2, expect.stringContaining('--name')]);
    const unknown = await tryIt(yaml, '--name', 'othr');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('"other"')]);
    const named = await tryIt(yaml, '--name', 'hr', '--json');
    expect(named.exitCode).toBe(0);
    expect(JSON.parse(named.stdout)).toMatchObject({
      ok: true,
      hasMore: true,
      records: 2,
      people: [{ record: '1', state: 'active' }, { record: '2' }],
      problems: [],
    });
  });

  it('says if a file has no connector', async () => {
    const { exitCode, stderr } = await tryIt('port: 9090\n');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('hr.yaml has no connector')]);
  });

  it('works for the other connectors', async () => {
    const file = join(cwd, 'people.csv');
    await writeFile(file, 'employeeId,email\n1,ada@example.com\n');
    // A file that has just changed may still be written.
    await utimes(file, 0, 0);
    const { exitCode, stdout } = await tryIt(
      `use: csv\ntenant: acme\nsettings: { folder: ${cwd}, files: people.csv }\n`,
    );
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('ada@example.com')]);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const operator = operatorCli(gateway);
const cleanup = createCleanup();
let folder: string;
let file: string;
let tenant: TestTenant;

beforeAll(async () => {
  await gateway.open();
  folder = await temporaryFolder('compare', cleanup);
  file = join(folder, 'export.csv');
});
afterAll(cleanup.run);
beforeEach(async () => {
  tenant = await gateway.tenant();
});

const createUser = async (name: string, active = true): Promise<string> => {
  const body = { email: `${name}@example.com`, display_name: name, active };
  const created = await tenant.native<{ id: string }>('POST', '/users', body);
  return created.body.id;
};

describe('user compare', () => {
  it('lists who is only here, only there and different, changes nothing, and exits with 1', async () => {
    for (const name of ['ada', 'bob', 'eve']) await createUser(name);
    await createUser('left', false);
    writeFileSync(
      file,
      'login,firstName,lastName,status\nADA@example.com,ada,,ACTIVE\nbob@example.com,Bob,B,ACTIVE\nnew@example.com,New,One,ACTIVE\n',
    );
    const words = ['user', 'compare', tenant.slug, file];
    const { exitCode, stdout, stderr } = await operator(words);
    expect([exitCode, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/Only here \(1\):\nUSER NAME +EMAIL[^\n]*\neve@example\.com /);
    expect(stdout).toMatch(
      /Only in the export \(1\):\n[^\n]*\nnew@example\.com +- +New One +- +4\n/,
    );
    expect(stdout).toMatch(
      /Different \(1\):\n[^\n]*\nbob@example\.com +display_name +bob +Bob B +3\n/,
    );
    expect(stdout).toMatch(/\n1 the same\.\n$/);

    const csv = await operator([...words, '-o', 'csv']);
    expect(csv.stdout.split('\n')[3]).toContain('different,bob@example.com,');
    const json = await operator([...words, '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ same: 1, only_there: [{ line: 4 }] });
  });

  it('exits with 0 if everything is the same', async () => {
    await createUser('ada');
    writeFileSync(file, 'userPrincipalName,displayName\nada@example.com,ada\n');
    const { exitCode, stdout } = await operator(['user', 'compare', tenant.slug, file]);
    expect([exitCode, stdout]).toEqual([0, '1 the same.\n']);
  });

  it.each([
    ['Kennung\n1\n', /no known column .* Its columns: Kennung\./],
    [Buffer.from([0x75, 0x70, 0x6e, 0x0a, 0xe4, 0x0a]), /is not UTF-8/],
  ])('refuses a file that is no export', async (content, message) => {
    writeFileSync(file, content);
    const { exitCode, stderr } = await operator(['user', 'compare', tenant.slug, file]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('group compare and room compare', () => {
  it('compare the members', async () => {
    const [ada, bob] = [await createUser('ada'), await createUser('bob'), await createUser('eve')];
    const room = await operator(['room', 'create', tenant.slug, 'Dispatch', '-q']);
    expect(room.exitCode).toBe(0);
    await tenant.scim('POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Dispatch',
      members: [{ value: ada }, { value: bob }],
    });
    writeFileSync(
      file,
      'id,userPrincipalName,displayName\n1,ada@example.com,ada\n2,eve@example.com,eve\n',
    );
    for (const kind of ['group', 'room']) {
      const words = [kind, 'compare', tenant.slug, 'Dispatch', file, '-o', 'json'];
      const { exitCode, stdout } = await operator(words);
      expect([exitCode, JSON.parse(stdout)]).toMatchObject([
        1,
        {
          same: 1,
          only_here: [{ user_name: 'bob@example.com' }],
          only_there: [{ user_name: 'eve@example.com' }],
          different: [],
        },
      ]);
    }
  });
});

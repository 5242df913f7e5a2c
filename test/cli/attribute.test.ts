import { describe, expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';
import { openFakeGateway } from './fake-gateway.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);

const attribute = (...words: readonly string[]) => cli(['attribute', ...words]);

describe('attribute', () => {
  it('set declares attributes one by one, and changes what is given', async () => {
    const { slug } = await gateway.tenant();
    expect((await attribute('list', slug)).stdout).toBe('No attributes.\n');
    const created = await attribute('set', slug, 'costCenter', '--description', 'Who pays');
    expect([created.exitCode, created.stderr]).toEqual([0, 'Created attribute costCenter.\n']);
    await attribute('set', slug, 'region', '--values', 'North, South', '--list', 'yes');
    const updated = await attribute('set', slug, 'COSTCENTER', '--required', 'yes');
    expect(updated.stderr).toBe('Updated attribute COSTCENTER.\n');

    const { stdout } = await attribute('list', slug);

    expect(stdout).toMatch(
      /^NAME +TYPE +REQUIRED +VALUES +DESCRIPTION\ncostCenter +string +new users +- +Who pays\nregion +string list +no +North, South +-\n\nurn:\S+:User\n$/,
    );
    expect((await attribute('list', slug, '--quiet')).stdout).toBe('costCenter\nregion\n');
  });

  it('delete asks, and --dry-run changes nothing', async () => {
    const { slug } = await gateway.tenant();
    await attribute('set', slug, 'level', '--type', 'integer');
    expect((await attribute('delete', slug, 'level', '--dry-run')).exitCode).toBe(0);
    expect((await attribute('delete', slug, 'level')).stderr).toContain('pass --yes to confirm');
    expect((await attribute('list', slug, '--quiet')).stdout).toBe('level\n');
    expect((await attribute('delete', slug, 'level', '--yes')).stderr).toBe(
      'Deleted attribute level.\n',
    );
    expect((await attribute('delete', slug, 'level', '--yes')).stderr).toContain(
      'No attribute is named "level".',
    );
  });

  it('--dry-run shows what of an attribute differs', async () => {
    const { slug } = await gateway.tenant();
    const changes = async (...words: readonly string[]) => {
      const { stdout } = await attribute(...words, '--dry-run');
      return stdout.slice(stdout.indexOf('FIELD')).replaceAll(/ +/g, ' ');
    };
    expect(await changes('set', slug, 'level')).toContain(
      '\nattributes.level.type - string\nattributes.level.multi_valued - false\n',
    );
    await attribute('set', slug, 'level', '--type', 'integer');
    await attribute('set', slug, 'region');
    expect(await changes('set', slug, 'level', '--required', 'yes')).toBe(
      'FIELD BEFORE AFTER\nattributes.level.required false true\n',
    );
    expect(await changes('delete', slug, 'level')).toMatch(
      /^FIELD BEFORE AFTER\nattributes\.level\.type integer -\n(attributes\.level\.\w+ \S+ -\n)+$/,
    );
  });

  it('set changes only the declaration that it has read', async () => {
    const fake = await openFakeGateway();
    const env = { ROLLGATE_URL: fake.url, ROLLGATE_ADMIN_TOKEN: fake.token };
    const body = { urn: 'urn:x', attributes: [] };
    fake.respondOnce({ status: 200, body, headers: { etag: 'W/"7"' } });
    const error = { error: 'PRECONDITION_FAILED', message: 'It has changed.', request_id: 'r' };
    fake.respondOnce({ status: 412, body: error });
    const { exitCode, stderr } = await runCli(['attribute', 'set', 'acme', 'level'], { env });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('PRECONDITION_FAILED') as unknown,
    ]);
    expect(fake.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, 'W/"7"']);
    await fake.close();
  });
});

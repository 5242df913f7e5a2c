import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { render } from '../../src/cli/output.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);
let tenant: TestTenant;
beforeAll(async () => {
  tenant = await gateway.tenant();
  for (const name of ['Dispatch', 'Night', '=1+1'])
    await cli(['room', 'create', tenant.slug, name]);
});

const stdoutOf = async (...words: readonly string[]) => (await cli(words)).stdout;

describe('the format of results', () => {
  it('is YAML or JSON of the same content', async () => {
    const words = ['room', 'show', tenant.slug, 'Night'];
    const json = await stdoutOf(...words, '-o', 'json');
    expect(parse(await stdoutOf(...words, '-o', 'yaml'))).toEqual(JSON.parse(json));
    expect(await stdoutOf(...words, '--json')).toBe(json);
  });

  it('is CSV with the fields of the API, safe for spreadsheets', async () => {
    const csv = await stdoutOf('room', 'list', tenant.slug, '-o', 'csv');
    expect(csv).toMatch(/^id,name,display_name,/);
    expect(csv.split('\n').map((line) => line.split(',')[1])).toEqual([
      ...['name', 'Dispatch', 'Night', "'=1+1"],
      undefined,
    ]);
  });

  it.each(['=1', '＝1', ' =1', '@x', '|x', "'=1"])('guards a cell that begins like %j', (text) => {
    const json = JSON.stringify([{ a: text }]);
    expect(render('csv', { people: () => '', json })).toContain(`'${text}`);
  });

  it('keeps negative numbers, and shows what is no text as JSON', () => {
    const json = JSON.stringify([{ a: -1, b: ['x', 'y'], c: null }]);
    expect(render('csv', { people: () => '', json })).toBe('a,b,c\n-1,"[""x"",""y""]",\n');
  });

  it('is HTML only where a command has a page', async () => {
    const { exitCode, stderr } = await cli(['room', 'list', tenant.slug, '-o', 'html']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('prints no HTML')]);
  });
});

describe('errors with -o json', () => {
  it.each([
    ['wrong usage', ['room', 'list', 'acme', '--bogus'], 2, 'USAGE'],
    ['an unknown command', ['rom'], 2, 'USAGE'],
    ['invalid settings', ['tenant', 'list', '--config', 'none.yaml'], 2, 'INVALID_CONFIGURATION'],
    [
      'an unreachable gateway',
      ['tenant', 'list', '--url', 'http://127.0.0.1:9', '--token', 'x'],
      1,
      'UNREACHABLE',
    ],
    ['no credential', ['tenant', 'list', '--url', 'https://elsewhere.invalid'], 1, 'NO_CREDENTIAL'],
  ])('are JSON with a code: %s', async (_what, words, exitCode, error) => {
    const run = await runCli([...words, '-o', 'json']);
    expect([run.exitCode, JSON.parse(run.stderr)]).toMatchObject([exitCode, { error }]);
  });
});

describe('a list', () => {
  it('is read in as many pages as needed, and continued at a position', async () => {
    const names = async (...words: readonly string[]) => {
      const json = await stdoutOf('room', 'list', tenant.slug, '-o', 'json', ...words);
      return (JSON.parse(json) as { rooms: { name: string }[] }).rooms.map(({ name }) => name);
    };
    expect(await names('--limit', 'all')).toEqual(['Dispatch', 'Night', '=1+1']);
    expect(await names('--limit', '2')).toEqual(['Dispatch', 'Night']);
    expect(await names('--after', '2')).toEqual(['=1+1']);
  });
});

describe('a dry run', () => {
  it('shows the fields that would change, and changes nothing', async () => {
    const words = ['room', 'update', tenant.slug, 'Night', '--name', 'Day', '--dry-run'];
    const { exitCode, stdout, stderr } = await cli(words);
    expect([exitCode, stderr]).toEqual([0, 'Dry run: nothing was changed.\n\n']);
    expect(stdout).toMatch(
      /^status +200\nevents +none\n[^]*\nFIELD +BEFORE +AFTER\nname +Night +Day\n$/,
    );
    expect(await stdoutOf('room', 'show', tenant.slug, 'Night', '-q')).not.toBe('');
  });

  it('previews each request of a command, without asking for confirmation', async () => {
    const both = await stdoutOf(
      ...['room', 'update', tenant.slug, 'Night', '--name', 'Day', '--group', 'Crew'],
      ...['--dry-run', '-o', 'json'],
    );
    expect(JSON.parse(both)).toMatchObject([{ dry_run: true }, { dry_run: true }]);
    const removed = await cli(['room', 'delete', tenant.slug, 'Night', '--dry-run', '-q']);
    expect([removed.exitCode, removed.stdout]).toEqual([0, '204\n']);
  });

  it('shows no secret, and exits with 1 if the change would be refused', async () => {
    const key = await stdoutOf('key', 'create', tenant.slug, '--preset', 'idp', '--dry-run');
    expect(key).not.toContain('rg_');
    const { exitCode, stdout } = await cli(['room', 'create', tenant.slug, 'night', '--dry-run']);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^status +409 NAME_TAKEN: /)]);
  });
});

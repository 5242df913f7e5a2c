import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'rollgate-new-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

describe.each(['connector', 'plugin'])('rollgate %s new', (kind) => {
  it('writes the extension, its test and its README', async () => {
    const { exitCode, stdout } = await runCli([kind, 'new', 'acme-hr'], { cwd });
    expect(exitCode).toBe(0);
    expect(readdirSync(join(cwd, 'acme-hr'))).toEqual([
      'README.md',
      'acme-hr.mjs',
      'acme-hr.test.mjs',
    ]);
    for (const file of readdirSync(join(cwd, 'acme-hr')))
      expect(readFileSync(join(cwd, 'acme-hr', file), 'utf8')).not.toMatch(/__[A-Z]+__|TITLE/);
    expect(stdout).toContain('node --test acme-hr/acme-hr.test.mjs');
  });

  it('overwrites nothing', async () => {
    await runCli([kind, 'new', 'acme-hr'], { cwd });
    const { exitCode, stderr } = await runCli([kind, 'new', 'acme-hr'], { cwd });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('exists. Choose another name')]);
  });

  it.each(['Acme', 'acme hr', '../acme', '5'])('refuses the name %s', async (name) => {
    const { exitCode, stderr } = await runCli([kind, 'new', name], { cwd });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`is not a name of a ${kind}`)]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('rollgate connector init', () => {
  const init = (...words: readonly string[]) => runCli(['connector', 'init', ...words], { cwd });
  const written = () => readFileSync(join(cwd, 'config/rollgate.yaml'), 'utf8');

  it('writes the section of a connector, and keeps what the settings file has', async () => {
    const { exitCode, stdout } = await init('acme', '--use', 'csv');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('rollgate connector try config/rollgate.yaml --name hr-export'),
    ]);
    expect(await runCli(['config', 'check'], { cwd })).toMatchObject({ exitCode: 0 });
    writeFileSync(join(cwd, 'config/rollgate.yaml'), `# Ours\nport: 8081\n${written()}`);
    expect(await init('globex', '--use', 'workday', '--name', 'hr')).toMatchObject({ exitCode: 0 });
    expect(written()).toMatch(
      /^# Ours\nport: 8081\nconnectors:\n {2}hr-export:\n {4}use: csv\n {4}tenant: acme\n[^]*\n {2}hr:\n {4}use: workday\n {4}tenant: globex\n/,
    );
  });

  it('replaces no section, and lists the connectors there are', async () => {
    await init('acme', '--use', 'csv');
    const before = written();
    expect(await init('acme', '--use', 'csv')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has a connector "hr-export"') as string,
    });
    expect(await init('acme', '--use', 'payroll')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/Connectors: bamboohr, csv, .*workday/) as string,
    });
    expect(written()).toBe(before);
  });
});

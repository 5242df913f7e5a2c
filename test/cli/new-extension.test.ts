import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

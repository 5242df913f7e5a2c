import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { expectVariables, readDeployFile, ROOT } from './deploy-file.js';

const run = promisify(execFile);
const UNIT = 'deploy/systemd/rollgate.service';
const SYSTEMD_ANALYZE = '/usr/bin/systemd-analyze';

const unit = readDeployFile(UNIT);
const valuesOf = (key: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

const folder = await mkdtemp(join(tmpdir(), 'rollgate-unit-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const hasAnalyze = existsSync(SYSTEMD_ANALYZE);
if (!hasAnalyze) process.stderr.write('Skipped: systemd-analyze is not on this machine.\n');

describe('the systemd unit', () => {
  it('starts node with a program of the package', () => {
    const [node, program = ''] = valuesOf('ExecStart')[0]!.split(' ');
    expect(node).toBe('/usr/bin/node');
    const [, path = ''] = /\/node_modules\/rollgate\/(.*)$/.exec(program)!;
    expect(existsSync(join(ROOT, path.replace(/^dist\//, '').replace(/\.js$/, '.ts')))).toBe(true);
  });

  it('sets variables that a gateway reads, and folders that it may write to', () => {
    const variables = valuesOf('Environment').join(' ');
    const env = new Map(
      [...variables.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    );
    expectVariables(env.keys());
    expect(env.get('ROLLGATE_DATA_DIR')).toBe(`/var/lib/${valuesOf('StateDirectory')[0]}`);
    expect(env.get('ROLLGATE_CACHE_DIR')).toBe(`/var/cache/${valuesOf('CacheDirectory')[0]}`);
    const example = readDeployFile('deploy/systemd/rollgate.env');
    expectVariables([...example.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name));
  });

  it('waits for the grace period, and does not repeat a start with wrong settings', () => {
    const [, grace = ''] = /graceSeconds: (\d+)/.exec(
      readDeployFile('config/rollgate.example.yaml'),
    )!;
    // 15 s for the embedded database.
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(Number(grace) + 15);
    const [, usage] = /EXIT_USAGE = (\d+)/.exec(readDeployFile('src/start/serve.ts'))!;
    expect(valuesOf('RestartPreventExitStatus')).toEqual([usage]);
  });

  it.skipIf(!hasAnalyze)('passes systemd-analyze verify without a finding', async () => {
    const copy = join(folder, 'rollgate.service');
    await cp(join(ROOT, UNIT), copy);
    const { stdout, stderr } = await run(SYSTEMD_ANALYZE, ['verify', '--man=no', copy]);
    const findings = (stdout + stderr).split('\n').filter((line) => line.includes('rollgate'));
    // The machine of the test may have its node elsewhere.
    expect(findings.filter((line) => !/\/usr\/bin\/node .*not executable/.test(line))).toEqual([]);
  });

  it.skipIf(!hasAnalyze)('is exposed less than 2.0 of 10', async () => {
    const copy = join(folder, 'rollgate.service');
    await cp(join(ROOT, UNIT), copy);
    const words = ['security', '--offline=yes', '--threshold=20', '--no-pager', copy];
    const { stdout } = await run(SYSTEMD_ANALYZE, words);
    expect(stdout).toMatch(/Overall exposure level for rollgate\.service: [01]\.\d OK/);
  });
});

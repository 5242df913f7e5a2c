import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { CHECKS, diagnose, runChecks } from '../../src/doctor/diagnose.js';
import { maskSecrets, secretsOf } from '../../src/doctor/mask-secrets.js';
import { openContext } from '../../src/doctor/open-context.js';
import { roughDuration, type Check, CheckSkipped, ok } from '../../src/doctor/check.js';
import { temporaryFolder } from '../support/doctor.js';

const NOTHING = { address: { missing: 'nowhere' }, token: { missing: 'none' } };
const contextWith = (env: Record<string, string> = {}, token?: string) =>
  openContext({
    env,
    cwd: '/nowhere',
    problems: [],
    config: loadConfig({ env, cwd: '/nowhere' }).config,
    gateway: token === undefined ? NOTHING : { ...NOTHING, token: { value: token, from: 'x' } },
  });

describe('the run of checks', () => {
  const never: Check = () => new Promise(() => undefined);

  it('returns findings in the order of the checks, not of their ends', async () => {
    const ends: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Check = async () => {
      await released;
      ends.push('slow');
      return ok('slow');
    };
    const quick: Check = () => {
      ends.push('quick');
      release();
      return ok('quick');
    };
    const findings = await runChecks({ slow, quick }, contextWith());
    expect(ends).toEqual(['quick', 'slow']);
    expect(findings).toEqual([
      { check: 'slow', status: 'OK', message: 'slow' },
      { check: 'quick', status: 'OK', message: 'quick' },
    ]);
  });

  it('fails a check that exceeds its time, without delaying the others', async () => {
    const findings = await runChecks({ never, quick: () => ok('quick') }, contextWith(), 20);
    expect(findings).toMatchObject([
      { check: 'never', status: 'FAIL', message: expect.stringContaining('longer than') as string },
      { check: 'quick', status: 'OK' },
    ]);
  });

  it('reports the first line of what a check throws', async () => {
    const breaks: Check = () => {
      throw new Error('EIO: disk gone.\nsecond line');
    };
    const cannot: Check = () => Promise.reject(new CheckSkipped('There is none.'));
    expect(await runChecks({ breaks, cannot }, contextWith())).toMatchObject([
      { status: 'FAIL', message: 'The check failed: EIO: disk gone.' },
      { status: 'SKIP', message: 'There is none.' },
    ]);
  });
});

describe('a diagnosis', () => {
  it('has one line per check, and a remedy for every problem', async () => {
    const findings = await diagnose({
      env: { PATH: '/nonexistent', ROLLGATE_CACHE_DIR: '/nonexistent' },
      cwd: await temporaryFolder(),
      problems: [{ place: 'rollgate.yaml:1', key: 'port', message: 'expected a whole number' }],
      config: undefined,
      gateway: NOTHING,
      nodeVersion: '18.0.0',
      resolve: () => Promise.reject(new Error('no resolver')),
      extensions: [{ name: 'bridge', checks: [{ name: 'bridge-one', run: () => ok('Fine.') }] }],
    });
    expect(findings.map(({ check }) => check)).toEqual([...Object.keys(CHECKS), 'bridge-one']);
    for (const { message, status, remedy } of findings) {
      expect(message).not.toContain('\n');
      if (status === 'WARN' || status === 'FAIL') expect(remedy).toBeTruthy();
    }
    expect(Object.fromEntries(findings.map(({ check, status }) => [check, status]))).toMatchObject({
      node: 'FAIL',
      configuration: 'FAIL',
      'data-folder': 'SKIP',
      database: 'SKIP',
      topology: 'SKIP',
      // The section of the extension has errors.
      'bridge-one': 'SKIP',
    });
  });
});

describe('the masking of secrets', () => {
  it('replaces them everywhere', () => {
    const finding = {
      message: 'a hunter22 b',
      details: { list: ['hunter22'], count: 3, none: null },
    };
    expect(maskSecrets(finding, ['hunter22', ''])).toEqual({
      message: 'a (hidden) b',
      details: { list: ['(hidden)'], count: 3, none: null },
    });
  });

  it('covers those in the settings, and passwords encoded and decoded', () => {
    const secrets = secretsOf(
      contextWith(
        {
          ROLLGATE_MONGODB_URI: 'mongodb://user:p%40ss-word@db.invalid/x',
          ROLLGATE_ADMIN_TOKEN: 'a-configured-token',
          ROLLGATE_SECRET_KEY: ' a-configured-key\n',
        },
        'a-given-token',
      ),
    );
    expect(secrets).toEqual(
      expect.arrayContaining([
        'p%40ss-word',
        'p@ss-word',
        'a-configured-token',
        'a-configured-key',
        'a-given-token',
      ]),
    );
  });
});

describe('a duration', () => {
  it.each([
    [0.44, '0.4 ms'],
    [12.3, '12 ms'],
    [1_999, '1999 ms'],
    [5_000, '5 s'],
    [60_000, '60 s'],
    [300_000, '5 minutes'],
    [86_400_000, '24 hours'],
    [4 * 86_400_000, '4 days'],
  ])('of %d ms is "%s"', (milliseconds, words) => {
    expect(roughDuration(milliseconds)).toBe(words);
  });
});

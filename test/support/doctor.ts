import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { type ContextOptions, openContext } from '../../src/doctor/open-context.js';
import type { Check, CheckResult } from '../../src/doctor/check.js';

/** A temporary folder that is deleted after the test. */
export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

export interface CheckEnvironment extends Partial<Omit<ContextOptions, 'env'>> {
  /** Settings as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the check for a gateway with these settings, isolated from this machine. */
export const runCheck = async (
  check: Check,
  given: CheckEnvironment = {},
): Promise<CheckResult> => {
  const { env = {}, cwd = '/nowhere', ...rest } = given;
  const context = openContext({
    env,
    cwd,
    problems: [],
    config: loadConfig({ env, cwd }, BUILT_IN_PLUGINS).config,
    gateway: { address: { missing: 'nowhere' }, token: { missing: 'none' } },
    clocks: { now: Date.now, elapsed: () => 0 },
    resolve: () => Promise.reject(new Error('This test does not resolve names.')),
    ...rest,
  });
  try {
    return await check(context);
  } finally {
    await context.close();
  }
};

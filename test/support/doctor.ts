import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { type ContextOptions, openContext } from '../../src/doctor/open-context.js';
import type { Check, Verdict } from '../../src/doctor/verdict.js';
import { stoppedWatch } from './stopped-watch.js';

/** A folder that is gone after the test. */
export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

export interface Surroundings extends Partial<Omit<ContextOptions, 'env'>> {
  /** Settings, as the environment gives them. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What the check says of a gateway with these settings, and of nothing else on this machine. */
export const examine = async (check: Check, given: Surroundings = {}): Promise<Verdict> => {
  const { env = {}, cwd = '/nowhere', ...rest } = given;
  const context = openContext({
    env,
    cwd,
    problems: [],
    config: loadConfig({ env, cwd }, BUILT_IN_PLUGINS).config,
    gateway: { address: { missing: 'nowhere' }, token: { missing: 'none' } },
    clocks: { now: Date.now, elapsed: stoppedWatch },
    resolve: () => Promise.reject(new Error('This test resolves no name.')),
    ...rest,
  });
  try {
    return await check(context);
  } finally {
    await context.close();
  }
};

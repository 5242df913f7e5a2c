import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { identify, isAlive, isRunning } from '../../../src/store/embedded/running-process.js';
import { startNonReapingInit } from '../../support/idle-init.js';
import { eventually } from '../../support/eventually.js';

const stateOf = async (pid: number): Promise<string> =>
  / \(.*\) (\S)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';

describe.runIf(process.platform === 'linux')('a process that was not reaped', () => {
  const init = startNonReapingInit(process.env, () => undefined);
  afterAll(() => init.stop());

  it('counts as dead although it still accepts signals', async () => {
    const pid = await init.start(['sleep', '600']);
    const identity = await identify(pid);
    expect([isAlive(pid), await isRunning(identity)]).toEqual([true, true]);

    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(await stateOf(pid)).toBe('Z'));

    expect(process.kill(pid, 0)).toBe(true);
    expect([isAlive(pid), await isRunning(identity)]).toEqual([false, false]);
  });
});

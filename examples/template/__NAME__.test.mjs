import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as api from 'rollgate/plugin';
import { pluginContract, sampleEvent, startTestHost } from 'rollgate/plugin/testing';
import create from './__NAME__.mjs';

const settings = { url: 'https://receiver.example/in' };

// What every plugin must do.
for (const { title, run } of pluginContract(create(api), { settings })) test(title, run);

// What this plugin does.
for (const [status, expected] of [
  [204, { kind: 'delivered' }],
  [410, { kind: 'failed', retry: false }],
  [500, { kind: 'failed', retry: true }],
])
  test(`a response of ${status} is ${JSON.stringify(expected)}`, async () => {
    const respond = () => ({ kind: 'responded', status, headers: {}, body: '', durationMs: 1 });
    const host = await startTestHost(create(api), { settings, respond });
    const outcomes = await host.deliver(sampleEvent('user.deactivated'));
    await host.stop();
    for (const outcome of outcomes.values())
      assert.deepEqual({ ...outcome, ...expected }, { ...outcome });
    assert.equal(outcomes.size, 1);
  });

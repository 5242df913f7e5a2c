import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';

const run = promisify(execFile);
const { uri } = createTestDatabase();

it('the demo runs two identity providers, and every webhook arrives and verifies', async () => {
  const demo = ['--import', 'tsx', 'scripts/demo/demo.ts', '--mongodb', uri];
  // The test runner sets FORCE_COLOR for itself.
  const { FORCE_COLOR: _forced, ...env } = process.env;
  const { stdout } = await run(process.execPath, demo, { env, timeout: 120_000 });
  expect(stdout).not.toContain('\u001B');
  expect(stdout).toMatch(/events in the log +11 +seq 1 to 11, received in order/);
  expect(stdout).toContain('user.created ×5, user.updated ×2, user.deactivated ×2');
  expect(stdout).toContain('user.deleted, user.reactivated');
  expect(stdout).toMatch(/webhooks received +12 of 12/);
  expect(stdout).toMatch(/signatures verified +12 of 12/);
  expect(stdout).toContain('SEAT_CAPACITY_REACHED');
  expect(stdout).toContain('✔ All as it should be.');
  const widest = Math.max(...stdout.split('\n').map((line) => line.length));
  expect(widest).toBeLessThanOrEqual(110);
}, 150_000);

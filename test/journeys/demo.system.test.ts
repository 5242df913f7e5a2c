import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';

const run = promisify(execFile);
// A database for each run, since each gateway creates its own secret key.
const [first, second] = [createTestDatabase(), createTestDatabase()];
const demoOn = (uri: string): string[] => [
  '--import',
  'tsx',
  'tools/demo/demo.ts',
  '--mongodb',
  uri,
];

// The test runner sets it for itself.
const { FORCE_COLOR: _forced, ...env } = process.env;

it('receives and verifies every webhook of the demo', async () => {
  const { stdout } = await run(process.execPath, demoOn(first.uri), { env, timeout: 120_000 });
  expect(stdout).not.toContain('\u001B');
  expect(stdout).toMatch(/events in the log +18 +seq 1 to 18, without a gap/);
  expect(stdout).toContain('user.created ×5, user.updated ×3, group.created ×2');
  expect(stdout).toContain('room.member_added ×2, room.member_updated, group.member_added');
  expect(stdout).toContain('user.deactivated ×2, user.deleted, user.reactivated');
  expect(stdout).toMatch(/webhooks received +19 of 19/);
  expect(stdout).toMatch(/signatures verified +19 of 19/);
  expect(stdout).toContain('SEAT_CAPACITY_REACHED');
  expect(stdout).toContain('Alan Mathison, role supervisor');
  expect(stdout).toContain('planned: 8 read, 7 create, 1 future');
  expect(stdout).toMatch(/create +1001 +Barbara Liskov +barbara@ferry.example; joins Dispatch/);
  expect(stdout).toContain('held: 4 read, 4 deactivate');
  expect(stdout).toContain(
    "! 4 of the connector's 7 active users would be deactivated or are missing",
  );
  expect(stdout).toMatch(/approved the plan .+\n.+ done: 4 applied/);
  expect(stdout).toContain('✔ Demo passed.');
  const widest = Math.max(...stdout.split('\n').map((line) => line.length));
  expect(widest).toBeLessThanOrEqual(110);
}, 150_000);

it('keeps the tenant and the gateway until Ctrl-C with --keep', async () => {
  const child = spawn(process.execPath, [...demoOn(second.uri), '--keep'], { env });
  const ended = once(child, 'exit');
  let stdout = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  while (!stdout.includes('Press Ctrl-C') && child.exitCode === null)
    await Promise.race([once(child.stdout, 'data'), ended]);
  const [, api = ''] = /^ +API +(\S+)$/m.exec(stdout) ?? [];
  const [, key = ''] = /^ +API key +(\S+)$/m.exec(stdout) ?? [];
  const response = await fetch(`${api}/users`, { headers: { authorization: `Bearer ${key}` } });
  expect(await response.json()).toMatchObject({ total: 4 });
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  await expect(fetch(api)).rejects.toThrow();
}, 150_000);

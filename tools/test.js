/**
 * `npm test`: the static checks, one after the other, beside the tests. The output of the tests
 * appears as it is written, that of a check when it ends.
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import process from 'node:process';

const CHECKS = ['types', 'lint', 'imports', 'dead-code', 'format'];

/** @type {string[]} */
const failed = [];

/** @param {string} script @param {'inherit' | 'pipe'} output */
const start = (script, output) =>
  spawn('npm', ['run', '--silent', script], { stdio: ['ignore', output, output] });

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number | null>}
 */
const exitOf = (child) => new Promise((resolve) => child.once('close', resolve));

const runTests = async () => {
  if ((await exitOf(start('test:fast', 'inherit'))) !== 0) failed.push('tests');
};

/** @param {string} name */
const runCheck = async (name) => {
  const startedAt = Date.now();
  const child = start(`check:${name}`, 'pipe');
  /** @type {Buffer[]} */
  const written = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (/** @type {Buffer} */ part) => written.push(part));
  const code = await exitOf(child);
  if (code !== 0) failed.push(name);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  process.stdout.write(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
  process.stdout.write(Buffer.concat(written));
};

const runChecks = async () => {
  for (const name of CHECKS) await runCheck(name);
};

// Checks and tests read the generated types, so they exist before both start.
await exitOf(start('client', 'inherit'));
await Promise.all([runTests(), runChecks()]);
if (failed.length > 0) {
  process.stderr.write(`Failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}

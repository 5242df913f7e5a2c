import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { generateSecret } from '../../plugins/webhooks/signing.js';
import { signingKeysOf, signatureHeaders } from '../../src/plugin/api.js';
import { eventually } from '../support/eventually.js';

/** How the receivers of docs/webhooks.md are run. */
const RUNTIMES = {
  node: { file: 'receiver.mjs', command: ['node'], version: '--version' },
  python: { file: 'receiver.py', command: ['python3'], version: '--version' },
  go: { file: 'receiver.go', command: ['go', 'run'], version: 'version' },
  java: { file: 'Receiver.java', command: ['java'], version: '-version' },
} as const;

const GUIDE = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const BODY = JSON.stringify({
  event: 'user.created',
  data: { user: { display_name: 'Zoë 山田' } },
});
const SECRET = generateSecret();
const OLD = generateSecret();

const MESSAGE = { id: 'id', body: Buffer.from(BODY), at: new Date() };

const folders: string[] = [];
let running: ChildProcess | undefined;

afterEach(async () => {
  const child = running;
  running = undefined;
  if (child?.pid === undefined || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  // Kills the process group, because `go run` starts a child.
  process.kill(-child.pid, 'SIGKILL');
  await ended;
});
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const snippetOf = (name: string): string => {
  const found = new RegExp(`<!-- receiver: ${name} -->\\s+\`\`\`\\w+\\n([^]*?)\`\`\``).exec(
    GUIDE,
  )?.[1];
  if (found === undefined) throw new Error(`docs/webhooks.md has no receiver in ${name}.`);
  return found;
};

const isInstalled = (command: string, version: string): boolean => {
  try {
    execFileSync(command, [version], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Starts the receiver; returns its URL and the lines that it prints afterwards. */
const start = async (name: keyof typeof RUNTIMES, secret: string) => {
  const { file, command } = RUNTIMES[name];
  const folder = await mkdtemp(join(tmpdir(), `rollgate-receiver-${name}-`));
  folders.push(folder);
  await writeFile(join(folder, file), snippetOf(name));
  const [program, ...words] = command;
  const child = spawn(program, [...words, file], {
    cwd: folder,
    detached: true,
    env: { ...process.env, SECRET: secret, PORT: '0', GO111MODULE: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running = child;
  const printed: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The receiver exited with ${String(code)}.`)));
    lines.on('line', (line) => {
      const [, port] = /^listening on (\d+)$/.exec(line) ?? [];
      if (port === undefined) printed.push(line);
      else resolve(`http://127.0.0.1:${port}/rollgate`);
    });
  });
  return { url, printed };
};

interface Sent {
  readonly id?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

const signed = (secret: string, ...before: readonly string[]): Record<string, string> =>
  signatureHeaders(signingKeysOf(secret), MESSAGE, { previous: before.map(signingKeysOf) });

const post = async (url: string, { id = 'one', body = BODY, headers }: Sent): Promise<number> => {
  const common = { 'X-Service-Event': 'user.created', 'X-Service-Delivery': id };
  const response = await fetch(url, { method: 'POST', body, headers: { ...common, ...headers } });
  return response.status;
};

describe.each(Object.keys(RUNTIMES) as (keyof typeof RUNTIMES)[])('the receiver in %s', (name) => {
  it('accepts genuine requests once, and rejects all others', async ({ skip }) => {
    const { command, version } = RUNTIMES[name];
    if (!isInstalled(command[0], version)) skip(`${command[0]} is not installed.`);
    const { url, printed } = await start(name, SECRET);
    const genuine = signed(SECRET);
    expect(await post(url, { headers: genuine })).toBe(204);
    expect(await post(url, { headers: genuine })).toBe(200);
    expect(await post(url, { id: 'two', headers: genuine, body: `${BODY} ` })).toBe(401);
    expect(await post(url, { id: 'two', headers: signed(OLD) })).toBe(401);
    expect(await post(url, { id: 'two' })).toBe(401);
    const cut = { 'X-Service-Signature': genuine['X-Service-Signature']!.slice(0, -1) };
    expect(await post(url, { id: 'two', headers: cut })).toBe(401);
    // The receiver still has the old secret: before the last rotation, and before the last two.
    expect(await post(url, { id: 'two', headers: signed(OLD, SECRET) })).toBe(204);
    expect(await post(url, { id: 'three', headers: signed(OLD, OLD, SECRET) })).toBe(204);
    // The receiver already has the next secret.
    const announced = signatureHeaders(signingKeysOf(OLD), MESSAGE, {
      next: signingKeysOf(SECRET),
    });
    expect(await post(url, { id: 'four', headers: announced })).toBe(204);
    await eventually(() => expect(printed).toHaveLength(4));
    expect(printed[0]).toMatch(/^user\.created .*display_name/);
  }, 120_000);
});

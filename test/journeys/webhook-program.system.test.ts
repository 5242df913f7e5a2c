import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createAuthority } from '../../tools/shared/authority.js';
import { freePort } from '../../src/store/embedded/start-embedded-mongo.js';
import { createResource, TestGateway } from '../support/gateway.js';
import { findWebhookProgram } from '../support/webhook-program.js';
import { eventually } from '../support/eventually.js';

const SECRET = 'a secret that two programs share';
const folder = mkdtempSync(join(tmpdir(), 'rollgate-webhook-program-'));
const fileIn = (name: string): string => join(folder, name);
const authority = await createAuthority();
writeFileSync(fileIn('ca.pem'), authority.certificate);

const gateway = TestGateway.use(() => ({
  ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
  ROLLGATE_WEBHOOKS_CA: fileIn('ca.pem'),
}));
afterAll(() => rmSync(folder, { recursive: true }));

/** A hook that verifies the signature header, adapted from the program's GitHub example. */
const HOOKS = [
  {
    id: 'rollgate',
    'execute-command': '/bin/true',
    'http-methods': ['POST'],
    'success-http-response-code': 202,
    'trigger-rule-mismatch-http-response-code': 401,
    'trigger-rule': {
      match: {
        type: 'payload-hmac-sha256',
        secret: SECRET,
        parameter: { source: 'header', name: 'X-Service-Signature' },
      },
    },
  },
];

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const start = async (
  program: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const { certificate, key } = await authority.issue(['localhost']);
  writeFileSync(fileIn('leaf.pem'), certificate);
  writeFileSync(fileIn('leaf.key'), key);
  writeFileSync(fileIn('hooks.json'), JSON.stringify(HOOKS));
  const port = await freePort('127.0.0.1');
  const words = ['-hooks', fileIn('hooks.json'), '-ip', '127.0.0.1', '-port', String(port)];
  const tls = ['-secure', '-cert', fileIn('leaf.pem'), '-key', fileIn('leaf.key')];
  const child = spawn(program, [...words, ...tls], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await eventually(async () => expect(await isListening(port)).toBe(true));
  return {
    url: `https://localhost:${port}/hooks/rollgate`,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
};

it("Debian's webhook program accepts only requests signed with its secret", async ({ skip }) => {
  const program = await findWebhookProgram().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`Debian's program "webhook" is not available: ${reason}\n`);
    return skip('Debian\'s program "webhook" is not available.');
  });
  const { url, stop } = await start(program);
  try {
    const tenant = await gateway.tenant();
    const test = async (secret: string) => {
      const id = await createResource(tenant.native, '/webhooks', { url, events: ['*'], secret });
      return (await tenant.native('POST', `/webhooks/${id}/test`)).body;
    };
    expect(await test(SECRET)).toMatchObject({ delivered: true, status: 202 });
    expect(await test(`${SECRET}.`)).toMatchObject({ delivered: false });
  } finally {
    await stop();
  }
}, 300_000);

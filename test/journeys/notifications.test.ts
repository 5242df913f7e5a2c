import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Client, TestGateway, useReceiver } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

/** A mail server without encryption that keeps what it receives. */
class MailServer {
  readonly messages: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.setEncoding('utf8');
    let message: string | undefined;
    let rest = '';
    socket.write('220 mail.test ESMTP\r\n');
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (message === undefined) {
          if (line === 'DATA') message = '';
          socket.write(line === 'DATA' ? '354 go on\r\n' : '250 OK\r\n');
        } else if (line === '.') {
          this.messages.push(message);
          message = undefined;
          socket.write('250 queued\r\n');
        } else message += `${line}\n`;
      }
    });
  });

  async open(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

const { open, receiver, env } = useReceiver();
const mail = new MailServer();
let mailPort = 0;
const gateway = TestGateway.use(() => {
  const email = { kind: 'email', security: 'none', from: 'gate@example.com' };
  return {
    ROLLGATE_NOTIFICATIONS_ALLOW: '127.0.0.1',
    ROLLGATE_NOTIFICATIONS_CA: env().ROLLGATE_WEBHOOKS_CA ?? '',
    ROLLGATE_NOTIFICATIONS_CHECK_EVERY: '1s',
    ROLLGATE_PUBLIC_URL: 'https://rollgate.example.com',
    ROLLGATE_NOTIFICATIONS_TARGETS: JSON.stringify({
      pager: { kind: 'webhook', url: `${receiver().url}/in`, secret: SECRET },
      mail: { ...email, host: 'localhost', port: mailPort, to: ['ops@example.com'] },
      inside: { ...email, host: '169.254.169.254', to: ['ops@example.com'] },
    }),
    ROLLGATE_NOTIFICATIONS_RULES: JSON.stringify({
      seats: { on: ['SEATS_*'], above: 90, tenants: ['tenant-1'], targets: ['pager', 'mail'] },
    }),
  };
});
let operator: Client;

beforeAll(async () => {
  await open();
  mailPort = await mail.open();
  operator = await gateway.operator();
});
afterAll(() => mail.close());

interface Targets {
  readonly targets: readonly Record<string, unknown>[];
}
const targets = async () => (await operator<Targets>('GET', '/notifications/targets')).body.targets;

describe('a tenant without free seats', () => {
  it('is reported by a signed request and by e-mail, in words and with a link', async () => {
    receiver().setBehaviour({ kind: 'answer', status: 503 });
    const tenant = await gateway.tenant({ name: 'Full & Co', seat_capacity: 1 });
    const other = await gateway.tenant({ seat_capacity: 1 });
    for (const { native } of [tenant, other])
      expect((await native('POST', '/users', { email: 'ada@example.com' })).status).toBe(201);

    // The receiver is away at first
    await eventually(async () => {
      expect(await targets()).toMatchObject([
        {
          name: 'pager',
          kind: 'webhook',
          rules: ['seats'],
          pending: 1,
          error: 'The receiver responded with 503.',
          failing_since: expect.any(String) as string,
          last_sent_at: null,
        },
        { name: 'mail', pending: 0, error: null, last_sent_at: expect.any(String) as string },
        { name: 'inside', rules: [], pending: 0 },
      ]);
    });
    receiver().setBehaviour({ kind: 'answer', status: 204 });
    await eventually(async () => {
      const [pager] = await targets();
      expect(pager).toMatchObject({ pending: 0, error: null, next_attempt_at: null });
    });

    const attempts = receiver().requests;
    const ids = new Set(attempts.map(({ headers }) => headers['webhook-id']));
    expect(attempts.length).toBeGreaterThan(1);
    expect(ids.size).toBe(1);
    const last = attempts.at(-1);
    const verified = new Webhook(SECRET).verify(
      last?.body.toString('utf8') ?? '',
      last?.headers as Record<string, string>,
    );
    expect(verified).toMatchObject({
      type: 'notification.digest',
      rule: 'seats',
      items: [
        {
          tenant: { slug: 'tenant-1', name: 'Full & Co' },
          severity: 'error',
          code: 'SEATS_FULL',
          url: 'https://rollgate.example.com/dashboard/t/tenant-1/settings/tenant',
        },
      ],
      more: 0,
    });
    expect(mail.messages).toHaveLength(1);
    const [message = ''] = mail.messages;
    expect(message).toContain('To: ops@example.com');
    expect(message).toContain('Subject: Rollgate: tenant-1: All 1 seats are taken');
    expect(message).toContain('Content-Type: text/plain');
    expect(message).toContain('Content-Type: text/html');
    expect(message.replaceAll('=\n', '')).toContain('Full &#38; Co');
  }, 60_000);
});

describe('the test of a target', () => {
  it('sends a message, and says why it cannot', async () => {
    const test = (target: string) => operator('POST', `/notifications/targets/${target}/test`);
    expect(await test('mail')).toMatchObject({ status: 200, body: { sent: true, error: null } });
    expect(mail.messages.at(-1)).toContain('Subject: Rollgate: test notification');
    expect(await test('inside')).toMatchObject({
      status: 200,
      body: { sent: false, error: expect.stringContaining('"allow"') as string },
    });
    expect(await test('nowhere')).toMatchObject({
      status: 404,
      body: { error: 'NOTIFICATION_TARGET_NOT_FOUND' },
    });
  });

  it('is a command, and a list beside it', async () => {
    const { url } = await gateway.open();
    const env = { ROLLGATE_URL: url, ROLLGATE_ADMIN_TOKEN: 'an-operators-token-for-tests' };
    const list = await runCli(['notification', 'list'], { env });
    expect(list.stdout).toMatch(/^mail +email +ops@example\.com +seats +0 /m);
    expect(await runCli(['notification', 'test', 'mail'], { env })).toMatchObject({
      exitCode: 0,
      stderr: 'Sent a test notification to mail.\n',
    });
    expect((await runCli(['notification', 'test', 'inside'], { env })).exitCode).toBe(1);
  });
});

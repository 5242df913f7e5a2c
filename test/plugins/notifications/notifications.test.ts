import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { notifications } from '../../../plugins/notifications/index.js';
import { KNOWN_CODES, NotificationSettings } from '../../../plugins/notifications/settings.js';
import type { Attention, OutboundRequest, OutboundResponse } from '../../../src/plugin/api.js';
import { createMemoryStorage } from '../../../src/plugin/testing/memory-storage.js';
import { startTestHost, type TestHost } from '../../../src/plugin/testing.js';

const HOUR_MS = 3_600_000;
const URL_OF_SLACK = 'https://hooks.slack.example/services/T0/B0/secret';

const heldRun = (run = 'run-1', severity: Attention['severity'] = 'warning'): Attention => ({
  severity,
  code: 'CONNECTOR_RUN_HELD',
  message: 'A run of the connector bamboo waits for approval.',
  action: 'Look at its plan; then approve or reject it.',
  link: `connectors/bamboo?run=${run}`,
});

const seats = (value: number): Attention => ({
  severity: 'info',
  code: 'SEATS_NEARLY_FULL',
  message: `${value} of 100 seats are taken.`,
  action: 'Deactivate users.',
  link: 'users',
  value,
});

/** A gateway of which time, the home page and the target are set. */
const createWorld = (rules: object) => {
  const state = {
    now: Date.parse('2026-11-26T09:00:00.000Z'),
    attention: [] as readonly Attention[],
    response: {
      kind: 'responded',
      status: 200,
      headers: {},
      body: 'ok',
      durationMs: 1,
    } as OutboundResponse,
  };
  const now = () => new Date(state.now);
  const storage = createMemoryStorage(now);
  const homePages = async function* (slugs?: readonly string[]) {
    const tenant = host.tenant();
    if (slugs?.includes(tenant.slug) !== false)
      yield await Promise.resolve({ tenant, attention: state.attention });
  };
  const open = () =>
    startTestHost(notifications, {
      settings: {
        targets: {
          chat: { kind: 'slack', url: URL_OF_SLACK },
          pager: { kind: 'webhook', url: 'https://pager.example/in', secret: 'a-shared-secret' },
        },
        rules,
      },
      tenant: { slug: 'acme', name: 'Acme <Ltd>' },
      parts: { ...storage, now, attention: homePages },
      respond: () => state.response,
    });
  return { state, storage, open };
};

type World = ReturnType<typeof createWorld>;

/** What the timer does once; a minute passes first, so that it looks. */
const tick = async ({ state, storage }: World, host: TestHost, ms = 60_000): Promise<void> => {
  state.now += ms;
  const taken = await storage.leases.take({ lease: 'test', owner: 'me', ttlMs: 15_000 });
  if (!('fence' in taken)) throw new Error('The lease is taken.');
  const [timer] = host.running.timers ?? [];
  if (!timer) throw new Error('There is no timer.');
  await timer.run({ signal: new AbortController().signal, fence: taken.fence });
  await storage.leases.release(taken.fence, 0);
};

const textsOf = (sent: readonly OutboundRequest[]): readonly string[] =>
  sent.map(({ body }) => (JSON.parse(String(body)) as { text: string }).text);

let world: World;
let host: TestHost;
const begin = async (rules: object): Promise<void> => {
  world = createWorld(rules);
  host = await world.open();
};
const look = (ms?: number) => tick(world, host, ms);

afterEach(() => host.stop());

describe('a rule', () => {
  beforeEach(() => begin({ held: { on: ['CONNECTOR_RUN_HELD'], targets: ['chat'] } }));

  it('reports once what appears, with where to look and what to do', async () => {
    world.state.attention = [heldRun(), seats(95)];
    await look();
    await look();
    expect(host.sent).toHaveLength(1);
    const message = String(host.sent[0]?.body);
    expect(host.sent[0]?.url).toBe(URL_OF_SLACK);
    expect(JSON.parse(message)).toMatchObject({
      text: 'Rollgate: acme: A run of the connector bamboo waits for approval.',
    });
    expect(message).toContain(
      '<https://rollgate.example.com/dashboard/t/acme/connectors/bamboo?run=run-1|Open in the dashboard>',
    );
    const { blocks } = JSON.parse(message) as {
      readonly blocks: readonly { readonly text: { readonly verbatim: boolean } }[];
    };
    expect(blocks.every(({ text }) => text.verbatim)).toBe(true);
    expect(message).toContain('Acme &lt;Ltd&gt;');
    expect(message).toContain('approve or reject it');
    expect(message).not.toContain('seats');
  });

  it('sends at most one digest an hour, with everything that appeared since', async () => {
    world.state.attention = [heldRun('run-1')];
    await look();
    world.state.attention = [heldRun('run-2')];
    await look();
    world.state.attention = [heldRun('run-3')];
    await look();
    expect(host.sent).toHaveLength(1);
    await look(HOUR_MS - 3 * 60_000);
    expect(host.sent).toHaveLength(1);
    await look();
    expect(textsOf(host.sent)[1]).toBe('Rollgate: 2 things to look at, rule held');
  });

  it('reports it again when it becomes more severe, or was over in between', async () => {
    world.state.attention = [heldRun()];
    await look();
    world.state.attention = [heldRun('run-1', 'error')];
    await look(HOUR_MS);
    expect(host.sent).toHaveLength(2);
    world.state.attention = [heldRun()];
    await look(HOUR_MS);
    expect(host.sent).toHaveLength(2);
    world.state.attention = [];
    await look(HOUR_MS);
    world.state.attention = [heldRun()];
    await look(HOUR_MS);
    expect(host.sent).toHaveLength(3);
  });

  it('does not take a part that did not answer for the end of what it reported', async () => {
    world.state.attention = [heldRun()];
    await look();
    world.state.attention = [
      { severity: 'warning', code: 'PLUGIN_UNAVAILABLE', message: '', action: '', link: null },
    ];
    await look(HOUR_MS);
    world.state.attention = [heldRun()];
    await look(HOUR_MS);
    expect(host.sent).toHaveLength(1);
  });

  it('loses nothing while its target is away, across a restart', async () => {
    world.state.response = {
      kind: 'unreachable',
      fault: 'connect',
      message: 'The connection was refused.',
      durationMs: 1,
    };
    world.state.attention = [heldRun('run-1')];
    await look();
    world.state.attention = [heldRun('run-2')];
    await look(2 * HOUR_MS);
    expect(await host.running.health?.()).toMatchObject({
      ok: false,
      message: expect.stringContaining('chat, since') as string,
    });
    const { body } = await host.call('listNotificationTargets');
    expect(body).toMatchObject({
      targets: [
        { name: 'chat', pending: 2, error: 'The connection was refused.', last_sent_at: null },
        { name: 'pager', pending: 0, error: null, rules: [] },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('secret');
    await host.stop();

    host = await world.open();
    world.state.response = { kind: 'responded', status: 200, headers: {}, body: '', durationMs: 1 };
    world.state.attention = [];
    await look(2 * HOUR_MS);
    await look(HOUR_MS);
    expect(host.sent.map(({ body: sent }) => String(sent))).toEqual([
      expect.stringContaining('run=run-1'),
      expect.stringContaining('run=run-2'),
    ]);
    const after = await host.call('listNotificationTargets');
    expect(after.body).toMatchObject({ targets: [{ pending: 0, error: null }, {}] });
    expect(await host.running.health?.()).toMatchObject({ ok: true });
  });

  it('retries soon at first, and as late as the target asks for', async () => {
    world.state.response = { kind: 'responded', status: 500, headers: {}, body: '', durationMs: 1 };
    world.state.attention = [heldRun()];
    await look();
    await look(3_000);
    expect(host.sent).toHaveLength(1);
    world.state.response = {
      ...{ kind: 'responded', status: 429, body: '', durationMs: 1 },
      headers: { 'retry-after': '600' },
    } as const;
    await look(4_000);
    expect(host.sent).toHaveLength(2);
    await look(599_000);
    expect(host.sent).toHaveLength(2);
    await look(2_000);
    expect(host.sent).toHaveLength(3);
  });
});

describe('the options of a rule', () => {
  it('have a threshold, a least severity, tenants, and a repetition', async () => {
    await begin({
      seats: { on: ['SEATS_*'], above: 90, targets: ['chat'] },
      errors: { on: ['*'], severity: 'error', targets: ['chat'] },
      others: { on: ['*'], tenants: ['globex'], targets: ['chat'] },
      again: { on: ['CONNECTOR_RUN_HELD'], repeat: '1d', targets: ['pager'] },
    });
    world.state.attention = [seats(90)];
    await look();
    expect(host.sent).toHaveLength(0);
    world.state.attention = [seats(91), heldRun()];
    await look();
    await look(23 * HOUR_MS);
    expect(host.sent.map(({ url }) => url)).toEqual([URL_OF_SLACK, 'https://pager.example/in']);
    await look(HOUR_MS);
    expect(host.sent).toHaveLength(3);
  });

  it('are checked: codes, and the names of targets', () => {
    const check = (rule: object) =>
      notifications.settings?.safeParse({
        targets: { chat: { kind: 'slack', url: URL_OF_SLACK } },
        rules: { rule },
      }).error?.issues[0]?.message;
    expect(check({ on: ['CONNECTOR_RUN_HELD'], targets: ['chat'] })).toBeUndefined();
    expect(check({ on: ['AUDIT_*'], targets: ['chat'] })).toBeUndefined();
    expect(check({ on: ['CONECTOR_RUN_HELD'], targets: ['chat'] })).toContain(
      'did you mean CONNECTOR_RUN_HELD?',
    );
    expect(check({ on: ['*'], targets: ['mail'] })).toBe('there is no target "mail"');
  });
});

describe('the codes of attention', () => {
  const codesIn = (text: string): readonly string[] => [
    ...new Set([...text.matchAll(/['`]([A-Z]+(?:_[A-Z]+)+)['`]/g)].map(([, found = '']) => found)),
  ];

  it('that Rollgate has are known to rules and explained', () => {
    const found = [
      'src/explain/find-attention.ts',
      'src/http/resources/attention.ts',
      'plugins/webhooks/overview.ts',
      'plugins/connectors/operate/overview.ts',
    ].flatMap((path) => codesIn(readFileSync(path, 'utf8')));
    expect(found.length).toBeGreaterThan(15);
    expect([...KNOWN_CODES].sort()).toEqual([...new Set(found)].sort());
    const explained = codesIn(readFileSync('docs/notifications.md', 'utf8'));
    expect(explained).toEqual(expect.arrayContaining([...KNOWN_CODES]));
  });
});

it('refuses the address of a Slack target without TLS, before a start', () => {
  const faultsOf = (url: string) =>
    notifications.checkFiles?.(
      NotificationSettings.parse({ targets: { chat: { kind: 'slack', url } } }),
      '/',
    );
  expect(faultsOf(URL_OF_SLACK)).toEqual([]);
  expect(faultsOf('http://127.0.0.1:9000/chat')).toEqual([
    { path: ['targets', 'chat', 'url'], message: 'expected an https:// URL' },
  ]);
});

describe('a test', () => {
  beforeEach(() => begin({}));

  it('is sent at once and says how it went', async () => {
    const call = { params: { target: 'pager' } };
    expect((await host.call('testNotificationTarget', call)).body).toMatchObject({ sent: true });
    expect(JSON.parse(String(host.sent[0]?.body))).toMatchObject({
      type: 'notification.test',
      items: [],
    });
    world.state.response = { kind: 'responded', status: 410, headers: {}, body: '', durationMs: 1 };
    expect((await host.call('testNotificationTarget', call)).body).toMatchObject({
      sent: false,
      error: 'The receiver responded with 410.',
    });
    await expect(
      host.call('testNotificationTarget', { params: { target: 'toString' } }),
    ).rejects.toMatchObject({ refusal: { code: 'NOTIFICATION_TARGET_NOT_FOUND' } });
  });
});

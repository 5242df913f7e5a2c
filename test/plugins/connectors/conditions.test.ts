import { describe, expect, it } from 'vitest';
import { connectors } from '../../../plugins/connectors/index.js';
import { ConnectorOptions } from '../../../plugins/connectors/options.js';
import { readOverview } from '../../../plugins/connectors/operate/overview.js';
import { connectorView } from '../../../plugins/connectors/operate/views.js';
import type { Connector } from '../../../src/plugin/api.js';
import type { ConfiguredConnector, RunnerHost } from '../../../src/plugin/connectors-api.js';
import { startTestHost } from '../../../src/plugin/testing.js';
import { aTenant } from '../../support/builders.js';
import { ConnectorWorld } from '../../support/connector-world.js';

/** 30 linked people, a run that is held, and 25 more runs that change nothing. */
const worldWithHeldRun = async () => {
  const world = new ConnectorWorld();
  world.fill(30);
  await world.run();
  world.pass(1_000);
  for (let at = 11; at <= 30; at += 1) world.source.delete(`p${at}`);
  const held = await world.run();
  for (let run = 0; run < 25; run += 1) {
    world.pass(1_000);
    await world.run('ids', { ids: ['p1'], isPlanOnly: true });
  }
  const { service } = world.instance();
  const view = () => connectorView(service, { now: () => world.now });
  const overview = () => readOverview([service], aTenant({ slug: 'acme' }), world.now);
  return { world, service, held, view, overview };
};

describe('a held plan', () => {
  it('is shown after any number of newer runs', async () => {
    const { held, view, overview } = await worldWithHeldRun();
    expect(await view()).toMatchObject({ state: 'held', held_run: held.id, is_paused: false });
    expect(await overview()).toMatchObject({
      counts: { held: 1 },
      attention: [{ code: 'CONNECTOR_RUN_HELD', link: `connectors/hr?run=${held.id}` }],
    });
  });

  it('is an error in its last six hours, which reminds operators of it', async () => {
    const { world, held, overview } = await worldWithHeldRun();
    const left = Date.parse(held.expiresAt ?? '') - world.now.getTime();
    const [before] = (await overview()).attention;
    expect(before).toMatchObject({
      severity: 'warning',
      action: expect.stringMatching(/approve or reject it by .* UTC\.$/) as string,
    });
    world.pass(left - 6 * 3_600_000);
    const [last] = (await overview()).attention;
    expect(last).toMatchObject({
      severity: 'error',
      code: before?.code,
      link: before?.link,
      message: expect.stringMatching(
        /^A run of the connector hr expires on .* UTC without approval: /,
      ) as string,
    });
  });

  it('is not hidden by a pause', async () => {
    const { service, held, view, overview } = await worldWithHeldRun();
    await service.pause(true, 'ada');
    expect(await view()).toMatchObject({ state: 'held', held_run: held.id, is_paused: true });
    expect(await overview()).toMatchObject({ counts: { held: 1 } });
    await service.reject(held.id, 'ada');
    expect(await view()).toMatchObject({ state: 'paused', held_run: null, is_paused: true });
  });
});

describe('a connector whose tenant does not exist', () => {
  const configured = (name: string, tenant: string): ConfiguredConnector => ({
    name,
    use: 'memory',
    tenant,
    isEnabled: true,
    problem: null,
    connector: {
      name: 'memory',
      mapping: { userName: 'mail' },
    } as unknown as Connector,
    isolation: 'none',
    options: ConnectorOptions.parse({}),
    open: () => Promise.reject(new Error('unused')),
    close: () => Promise.resolve(),
  });

  const start = async () => {
    const gauges: (() => unknown)[] = [];
    const host = await startTestHost(connectors, {
      parts: {
        runnerParts: () => ({
          connectors: [configured('hr', 'acme'), configured('lost', 'nowhere')],
          commandsOf: {} as never,
          users: {
            tenant: (slug) => Promise.resolve(slug === 'acme' ? aTenant() : undefined),
          } as RunnerHost['users'],
        }),
        metrics: {
          gauge: (_metric, read) => void gauges.push(read),
          counter: () => () => undefined,
        },
      },
    });
    return { host, states: () => gauges[0]?.() };
  };

  it('is counted as unusable, beside the states of the others', async () => {
    const { host, states } = await start();
    expect(await states()).toEqual([
      { labels: { state: 'held' }, value: 0 },
      { labels: { state: 'quarantined' }, value: 0 },
      { labels: { state: 'unusable' }, value: 1 },
    ]);
    await host.stop();
  });

  it('is named by the health of the plugin, and once by the log', async () => {
    const { host } = await start();
    expect(await host.running.health?.()).toEqual({
      ok: false,
      message: 'lost: There is no tenant "nowhere".',
    });
    const [timer] = host.running.timers ?? [];
    for (let tick = 0; tick < 2; tick += 1)
      await timer?.run({ signal: new AbortController().signal } as never);
    expect(host.log.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { connector: 'lost', tenant: 'nowhere' } },
    ]);
    await host.stop();
  });
});

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import type { Sample } from '../../src/ports/telemetry.js';
import { startRequestRecorder } from '../../src/http/capture/capture-requests.js';
import { observeRequests } from '../../src/http/observe-requests.js';
import {
  createPrometheusMetrics,
  type PrometheusMetrics,
} from '../../src/http/ops/prometheus-metrics.js';
import type { StreamSnapshot } from '../../src/plugin/stream/stream-gauges.js';
import { startTestHost } from '../../src/plugin/testing.js';
import { registerMetrics } from '../../src/start/register-metrics.js';
import { createFakeLog } from '../support/fake-log.js';

const SNAPSHOT: StreamSnapshot = {
  endings: new Map([['webhooks', { delivered: 7, retry: 2, failed: 1, dropped: 0 }]]),
  partitions: 64,
  held: 40,
  inFlight: 8,
  openBreakers: 1,
  lastFailures: new Map(),
  pending: new Map([['webhooks', 50]]),
  overdueSeconds: new Map([['webhooks', 12.5]]),
};

/** All metrics of a gateway with an event stream in this state and newly started plugins. */
const metricsOf = async (snapshot: StreamSnapshot): Promise<PrometheusMetrics> => {
  const metrics = createPrometheusMetrics(createFakeLog().log);
  observeRequests(metrics, () => undefined);
  const { log } = createFakeLog();
  startRequestRecorder({ store: { add: () => Promise.resolve() }, metrics, log });
  registerMetrics(metrics, {
    stream: { gauges: { snapshot: () => Promise.resolve(snapshot) } },
    pipeline: { depth: () => 5 },
    instances: { alive: () => 2 },
  });
  for (const plugin of BUILT_IN_PLUGINS) await startTestHost(plugin, { parts: { metrics } });
  return metrics;
};

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^# TYPE (rollgate_\w+) /gm)].map(([, name]) => name!);

describe('/metrics', () => {
  let text: string;
  beforeAll(async () => {
    text = await (await metricsOf(SNAPSHOT)).text();
  });

  it.each([
    'rollgate_commands_waiting 5',
    'rollgate_instances 2',
    'rollgate_deliveries_pending{plugin="webhooks"} 50',
    'rollgate_deliveries_overdue_seconds 12.5',
    'rollgate_deliveries_held 40',
    'rollgate_deliveries_in_flight 8',
    'rollgate_delivery_breakers_open 1',
    'rollgate_delivery_attempts{plugin="webhooks",ending="retry"} 2',
    'rollgate_stream_partitions 64',
    'rollgate_webhooks_failing 0',
    'rollgate_webhooks_failing_events_total{event="began"} 0',
    'rollgate_webhooks_failing_events_total{event="disabled"} 0',
  ])('shows %s', (line) => {
    expect(text.split('\n')).toContain(line);
  });

  it('omits the metrics that need the database while it is unavailable', async () => {
    const unavailable = await (
      await metricsOf({ ...SNAPSHOT, pending: null, overdueSeconds: null })
    ).text();
    // Not 0, which would look healthy.
    expect(unavailable).not.toMatch(/^rollgate_outbox_/m);
    expect(unavailable).toContain('rollgate_deliveries_held 40');
  });

  it('omits a gauge that fails to be read, and shows all others', async () => {
    const { log, lines } = createFakeLog();
    const metrics = createPrometheusMetrics(log);
    let read = (): readonly Sample[] => [{ value: 1 }];
    metrics.gauge({ name: 'rollgate_one', help: 'Fails.' }, () => read());
    metrics.gauge({ name: 'rollgate_other', help: 'Does not.' }, () => [{ value: 2 }]);
    expect(await metrics.text()).toMatch(/^rollgate_one 1$/m);
    read = () => {
      throw new Error('unavailable');
    };
    const text = await metrics.text();
    expect(text).not.toMatch(/^rollgate_one /m);
    expect(text).toMatch(/^rollgate_other 2$/m);
    expect(lines).toMatchObject([{ level: 'warn', metric: 'rollgate_one' }]);
  });

  it('shows exactly the metrics that docs/operating.md explains', async () => {
    const guide = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const explained = [...guide.matchAll(/^\| `(rollgate_\w+)`/gm)].map(([, name]) => name!);
    expect(namesIn(text).toSorted()).toEqual(explained.toSorted());
  });
});

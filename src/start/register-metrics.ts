import type { Metrics, Sample } from '../ports/telemetry.js';
import type { Pipeline } from '../pipeline/pipeline.js';
import type { EventStream } from '../plugin/stream/event-stream.js';

type Gauges = EventStream['gauges'];

export interface MetricSources {
  readonly stream: { readonly gauges: Gauges };
  readonly pipeline: Pick<Pipeline, 'depth'>;
  readonly instances: { readonly alive: () => number };
}

/** Metrics of commands and deliveries; docs/operating.md explains how to react to them. */
export const registerMetrics = (
  metrics: Metrics,
  { stream, pipeline, instances }: MetricSources,
): void => {
  metrics.gauge(
    { name: 'rollgate_commands_waiting', help: 'Commands waiting or running in this gateway.' },
    () => [{ value: pipeline.depth() }],
  );
  metrics.gauge({ name: 'rollgate_instances', help: 'Live gateways on this database.' }, () => [
    { value: instances.alive() },
  ]);
  registerPending(metrics, stream.gauges);
  registerInMemory(metrics, stream.gauges);
  registerAttempts(metrics, stream.gauges);
};

const byPlugin = (counts: ReadonlyMap<string, number> | null): readonly Sample[] =>
  [...(counts ?? [])].map(([plugin, value]) => ({ labels: { plugin }, value }));

/** Across all gateways. */
const registerPending = (metrics: Metrics, gauges: Gauges): void => {
  metrics.gauge(
    {
      name: 'rollgate_deliveries_pending',
      help: 'Events that subscribers have not received yet, across all gateways.',
      labels: ['plugin'],
    },
    async () => byPlugin((await gauges.snapshot()).pending),
  );
  metrics.gauge(
    {
      name: 'rollgate_deliveries_overdue_seconds',
      help: 'How long the most overdue of these events has been due.',
    },
    async () => {
      const { overdueSeconds } = await gauges.snapshot();
      return overdueSeconds === null ? [] : [{ value: Math.max(0, ...overdueSeconds.values()) }];
    },
  );
};

/** Of this gateway, now. */
const registerInMemory = (metrics: Metrics, gauges: Gauges): void => {
  metrics.gauge(
    {
      name: 'rollgate_deliveries_held',
      help: 'Deliveries that this gateway holds in memory: waiting, in flight, or not yet recorded.',
    },
    async () => [{ value: (await gauges.snapshot()).held }],
  );
  metrics.gauge(
    { name: 'rollgate_deliveries_in_flight', help: 'Delivery attempts in flight in this gateway.' },
    async () => [{ value: (await gauges.snapshot()).inFlight }],
  );
  metrics.gauge(
    {
      name: 'rollgate_stream_partitions',
      help: 'Partitions of the tenants whose deliveries this gateway makes, of 64.',
    },
    async () => [{ value: (await gauges.snapshot()).partitions }],
  );
  metrics.gauge(
    {
      name: 'rollgate_delivery_breakers_open',
      help: 'Receivers that this gateway has paused because its attempts failed in a row.',
    },
    async () => [{ value: (await gauges.snapshot()).openBreakers }],
  );
};

/** Of this gateway, since its start. */
const registerAttempts = (metrics: Metrics, gauges: Gauges): void => {
  metrics.gauge(
    {
      name: 'rollgate_delivery_attempts',
      help: 'Delivery attempts of this gateway since its start, by outcome.',
      labels: ['plugin', 'ending'],
    },
    async () => {
      const { endings } = await gauges.snapshot();
      return [...endings].flatMap(([plugin, counts]) =>
        Object.entries(counts).map(([ending, value]) => ({ labels: { plugin, ending }, value })),
      );
    },
  );
};

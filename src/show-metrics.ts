import type { Metrics, Sample } from './api/metrics.js';
import type { Pipeline } from './pipeline/pipeline.js';
import type { DeliveryEngine } from './plugin/delivery-engine.js';

type Gauges = DeliveryEngine['gauges'];

export interface Watched {
  readonly engine: { readonly gauges: Gauges };
  readonly pipeline: Pick<Pipeline, 'depth'>;
  readonly instances: { readonly alive: () => number };
}

/** What operators can watch of commands and deliveries; docs/operating.md tells what to make of it. */
export const showMetrics = (metrics: Metrics, { engine, pipeline, instances }: Watched): void => {
  metrics.gauge(
    { name: 'rollgate_commands_waiting', help: 'Commands that wait or run in this gateway.' },
    () => [{ value: pipeline.depth() }],
  );
  metrics.gauge(
    { name: 'rollgate_instances', help: 'Gateways that are alive on this database.' },
    () => [{ value: instances.alive() }],
  );
  showOwed(metrics, engine.gauges);
  showHeld(metrics, engine.gauges);
  showDone(metrics, engine.gauges);
};

const byPlugin = (counts: ReadonlyMap<string, number> | null): readonly Sample[] =>
  [...(counts ?? [])].map(([plugin, value]) => ({ labels: { plugin }, value }));

/** What all gateways together still have to deliver. */
const showOwed = (metrics: Metrics, gauges: Gauges): void => {
  metrics.gauge(
    {
      name: 'rollgate_outbox_owed',
      help: 'Events that are still owed to subscribers, over all gateways.',
      labels: ['plugin'],
    },
    async () => byPlugin((await gauges.snapshot()).pending),
  );
  metrics.gauge(
    {
      name: 'rollgate_outbox_overdue_seconds',
      help: 'How long the most overdue event has been due.',
    },
    async () => {
      const { overdueSeconds } = await gauges.snapshot();
      return overdueSeconds === null ? [] : [{ value: Math.max(0, ...overdueSeconds.values()) }];
    },
  );
};

/** What this gateway has in hand. */
const showHeld = (metrics: Metrics, gauges: Gauges): void => {
  metrics.gauge(
    {
      name: 'rollgate_deliveries_held',
      help: 'Deliveries that this gateway holds in memory: waiting, under way, or not noted yet.',
    },
    async () => [{ value: (await gauges.snapshot()).held }],
  );
  metrics.gauge(
    { name: 'rollgate_deliveries_in_flight', help: 'Attempts that this gateway makes right now.' },
    async () => [{ value: (await gauges.snapshot()).inFlight }],
  );
  metrics.gauge(
    {
      name: 'rollgate_delivery_breakers_open',
      help: 'Receivers that this gateway lets rest, because its attempts failed in a row.',
    },
    async () => [{ value: (await gauges.snapshot()).openBreakers }],
  );
};

/** What this gateway did since its start. */
const showDone = (metrics: Metrics, gauges: Gauges): void => {
  metrics.gauge(
    {
      name: 'rollgate_delivery_attempts',
      help: 'Attempts of this gateway since its start, by how they ended.',
      labels: ['plugin', 'ending'],
    },
    async () => {
      const { endings } = await gauges.snapshot();
      return [...endings].flatMap(([plugin, counts]) =>
        Object.entries(counts).map(([ending, value]) => ({ labels: { plugin, ending }, value })),
      );
    },
  );
  metrics.gauge(
    {
      name: 'rollgate_events_unrouted',
      help: 'Events since the start that a plugin failed to route, so that nobody gets them.',
      labels: ['plugin'],
    },
    async () => byPlugin((await gauges.snapshot()).unrouted),
  );
};

import type { Metrics } from './api/metrics.js';
import type { Pipeline } from './pipeline/pipeline.js';
import type { DeliveryEngine } from './plugin/delivery-engine.js';

export interface Watched {
  readonly engine: DeliveryEngine;
  readonly pipeline: Pipeline;
  readonly instances: { readonly alive: () => number };
}

/** What operators can watch of commands and deliveries. */
export const showMetrics = (
  metrics: Metrics,
  { engine: { gauges }, pipeline, instances }: Watched,
): void => {
  metrics.gauge(
    { name: 'rollgate_commands_waiting', help: 'Commands that wait or run in this gateway.' },
    () => [{ value: pipeline.depth() }],
  );
  metrics.gauge(
    { name: 'rollgate_instances', help: 'Gateways that are alive on this database.' },
    () => [{ value: instances.alive() }],
  );
  metrics.gauge(
    {
      name: 'rollgate_outbox_owed',
      help: 'Events that are still owed to subscribers, over all gateways.',
      labels: ['plugin'],
    },
    async () => {
      const { owed } = await gauges.snapshot();
      return [...(owed ?? [])].map(([plugin, value]) => ({ labels: { plugin }, value }));
    },
  );
  metrics.gauge(
    {
      name: 'rollgate_outbox_overdue_seconds',
      help: 'How long the most overdue event has been due.',
    },
    async () => {
      const { oldestOverdueSeconds } = await gauges.snapshot();
      return oldestOverdueSeconds === null ? [] : [{ value: oldestOverdueSeconds }];
    },
  );
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
};

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Log } from '../../api/log.js';
import type { MetricDescription, Metrics, Sample } from '../../api/metrics.js';

/** The metrics of one gateway, in the text format of Prometheus. */
export interface PrometheusMetrics extends Metrics {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const optionsOf = ({ name, help, labels = [] }: MetricDescription, registry: Registry) => ({
  name,
  help,
  labelNames: [...labels],
  registers: [registry],
});

/** Removes all samples. After `reset` alone, a gauge without labels would show 0. */
const clear = (gauge: Gauge): void => {
  gauge.reset();
  gauge.remove({});
};

const setSamples = (gauge: Gauge, samples: readonly Sample[]): void => {
  clear(gauge);
  for (const { labels = {}, value } of samples) gauge.set(labels, value);
};

/** Creates a registry with the default metrics of the process. */
export const createPrometheusMetrics = (log: Log): PrometheusMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const gauge: Metrics['gauge'] = (description, read) => {
    const collect = async (): Promise<void> => {
      try {
        setSamples(created, await read());
      } catch (error) {
        // A failing metric must not hide the others.
        clear(created);
        log.warn({ err: error, metric: description.name }, 'could not read a metric');
      }
    };
    const created = new Gauge({ ...optionsOf(description, registry), collect });
  };

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    gauge,
    counter: (description) => {
      const counter = new Counter(optionsOf(description, registry));
      return (labels = {}, by = 1) => counter.inc(labels, by);
    },
    durations: (description) => {
      const histogram = new Histogram({ ...optionsOf(description, registry), buckets: BUCKETS });
      return (labels, seconds) => histogram.observe(labels, seconds);
    },
  };
};

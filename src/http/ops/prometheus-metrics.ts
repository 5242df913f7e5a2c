import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Log } from '../../api/log.js';
import type { MetricDescription, Metrics, Sample } from '../../api/metrics.js';

/** The metrics of one gateway, and the text by which Prometheus reads them. */
export interface PrometheusMetrics extends Metrics {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What is not given is left out; prom-client has no type for "undefined". */
const config = ({ name, help, labels = [] }: MetricDescription, registry: Registry) => ({
  name,
  help,
  labelNames: [...labels],
  registers: [registry],
});

/** A gauge without labels would otherwise show 0 after a reset: a number that nobody measured. */
const showNothing = (gauge: Gauge): void => {
  gauge.reset();
  gauge.remove({});
};

const show = (gauge: Gauge, samples: readonly Sample[]): void => {
  showNothing(gauge);
  for (const { labels = {}, value } of samples) gauge.set(labels, value);
};

/** Makes a registry of its own, with the process's memory, event loop and garbage collection in it. */
export const makePrometheusMetrics = (log: Log): PrometheusMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const gauge: Metrics['gauge'] = (description, read) => {
    const collect = async (): Promise<void> => {
      try {
        show(made, await read());
      } catch (error) {
        // One part that cannot tell must not silence all the others.
        showNothing(made);
        log.warn({ err: error, metric: description.name }, 'could not read a metric');
      }
    };
    const made = new Gauge({ ...config(description, registry), collect });
  };

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    gauge,
    counter: (description) => {
      const counter = new Counter(config(description, registry));
      return (labels = {}, by = 1) => counter.inc(labels, by);
    },
    durations: (description) => {
      const histogram = new Histogram({ ...config(description, registry), buckets: BUCKETS });
      return (labels, seconds) => histogram.observe(labels, seconds);
    },
  };
};

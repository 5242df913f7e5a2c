import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Log, MetricDescription, Metrics, Sample } from '../../ports/telemetry.js';

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

const NEVER_MS = 2_147_483_647;
const LAG_STATISTICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/**
 * The default metrics of the process, without those that need a timer: prom-client's statistics of
 * the event loop's lag wake an idle process a hundred times a second. The lag at the time of the
 * request stays; `nodejs_eventloop_utilization` shows how busy the loop was since the previous one.
 */
const registerProcessMetrics = (registry: Registry): void => {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of LAG_STATISTICS)
    registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
  let previous = performance.eventLoopUtilization();
  new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the previous request in which the event loop was busy, 0 to 1.',
    registers: [registry],
    collect() {
      const current = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(current, previous).utilization);
      previous = current;
    },
  });
};

/** Creates a registry with the default metrics of the process. */
export const createPrometheusMetrics = (log: Log): PrometheusMetrics => {
  const registry = new Registry();
  registerProcessMetrics(registry);

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

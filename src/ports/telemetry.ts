/** Writes one line: structured fields and a constant message. */
type LogLine = (fields: object, message: string) => void;

/**
 * A part of pino's interface, so that only compose.ts depends on the logger. Never log bodies, keys,
 * e-mail addresses or phone numbers.
 */
export interface Log {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  /** A log that adds these fields to each line. */
  readonly child: (fields: object) => Log;
}

/** Label values must be few and bounded: no ids, slugs, addresses or personal names. */
export type Labels = Readonly<Record<string, string>>;

/** The name of a metric and its help. */
export interface MetricDescription {
  /**
   * `rollgate_…`, ending with the unit: `rollgate_deliveries_overdue_seconds`. Plugins omit the prefix.
   */
  readonly name: string;
  /** One sentence for an operator. */
  readonly help: string;
  readonly labels?: readonly string[];
}

/** A value of a metric. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Registers metrics, which `/metrics` shows. */
export interface Metrics {
  /** Read on each scrape. If `read` fails, the metric is omitted. */
  readonly gauge: (
    description: MetricDescription,
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ) => void;
  /** Returns a function that increments the counter. */
  readonly counter: (description: MetricDescription) => (labels?: Labels, by?: number) => void;
  /** A histogram of seconds. Returns a function that records a duration. */
  readonly durations: (description: MetricDescription) => (labels: Labels, seconds: number) => void;
}

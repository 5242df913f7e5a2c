/** Values of a metric's labels. Few and bounded: never an id, a slug, an address or a name of a person. */
export type Labels = Readonly<Record<string, string>>;

export interface MetricDescription {
  /** `rollgate_…`, with the unit at its end: `rollgate_outbox_oldest_seconds`. */
  readonly name: string;
  /** One sentence for an operator. */
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Where any part of the gateway says what operators can watch; `/metrics` shows it. */
export interface Metrics {
  /** Something that goes up and down; read when it is asked for. A `read` that fails shows nothing. */
  readonly gauge: (
    description: MetricDescription,
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ) => void;
  /** Something that only grows; call the answer to count. */
  readonly counter: (description: MetricDescription) => (labels?: Labels, by?: number) => void;
  /** Durations in seconds; call the answer with each. */
  readonly durations: (description: MetricDescription) => (labels: Labels, seconds: number) => void;
}

import { isRefused } from '../domain/kernel/decider.js';
import type { Arrival, Batch, CommittedBatch } from './batch.js';

/** Facts of a span, by the names of OpenTelemetry. Never personal data: traces leave the gateway. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly kind: 'server' | 'internal' | 'producer';
  /** A W3C `traceparent`: the span continues this trace. Absent or malformed: it begins one. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
  /** Milliseconds of the monotonic clock (`performance.now`). Absent: now. */
  readonly at?: number;
}

interface SpanEnd {
  readonly attributes?: SpanAttributes;
  /** Why it failed, as a stable code; absent if it did not. */
  readonly failure?: string | undefined;
  /** Milliseconds of the monotonic clock. Absent: now. */
  readonly at?: number;
}

/** A span that has not ended. */
export interface OpenSpan {
  /** For requests that it sends, and for the spans below it. */
  readonly traceparent: string;
  readonly rename: (name: string) => void;
  readonly end: (end?: SpanEnd) => void;
}

/**
 * Traces of OpenTelemetry. It exists only if an endpoint is configured: without it, nothing asks for
 * the time and nothing is allocated.
 */
export interface Tracing {
  readonly start: (name: string, start: SpanStart) => OpenSpan;
}

/** Which span caused an event, for its deliveries. */
type NoteCause = (eventId: string, traceparent: string) => void;

interface StageTime {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

type Stage<In, Out> = (batch: In) => Promise<Out>;

/** Spans of commands. Without tracing, the stages and arrivals are what they were. */
export interface CommandTraces {
  /** Begins the command's span; it ends when the command has its outcome. */
  readonly arrived: (arrival: Arrival) => Arrival;
  /** The same stage, timed for each command of the batch. */
  readonly timed: <In extends Batch, Out>(stage: Stage<In, Out>, name: string) => Stage<In, Out>;
  /** Notes the causes of a batch's events. */
  readonly committed: (batch: CommittedBatch) => void;
}

export const NO_TRACES: CommandTraces = {
  arrived: (arrival) => arrival,
  timed: (stage) => stage,
  committed: () => undefined,
};

interface TracedCommand {
  readonly traceparent: string;
  readonly stages: StageTime[];
}

/**
 * A span for each command, from its arrival to its outcome, and below it the wait in its lane and
 * each pass of gathering and deciding, and of the commit. A batch that lost to another commit has
 * several passes.
 */
export const traceCommands = (tracing: Tracing, noteCause: NoteCause): CommandTraces => {
  // The intake makes other arrivals of the same envelope.
  const traced = new WeakMap<Arrival['envelope'], TracedCommand>();
  const tracedOf = ({ envelope }: Arrival): TracedCommand | undefined => traced.get(envelope);

  const endStages = ({ stages, traceparent }: TracedCommand, receivedAt: number): void => {
    const [first] = stages;
    const wait = first && { name: 'lane wait', from: receivedAt, to: first.from };
    for (const { name, from, to } of wait ? [wait, ...stages] : stages)
      tracing.start(name, { kind: 'internal', parent: traceparent, at: from }).end({ at: to });
  };

  return {
    arrived: (arrival) => {
      const { envelope, receivedAt, traceparent, resolve } = arrival;
      const span = tracing.start(`command ${envelope.command.type}`, {
        kind: 'internal',
        parent: traceparent,
        at: receivedAt,
        attributes: {
          'rollgate.command': envelope.command.type,
          'rollgate.source': envelope.source,
          'rollgate.request_id': envelope.requestId,
        },
      });
      const command: TracedCommand = { traceparent: span.traceparent, stages: [] };
      traced.set(envelope, command);
      return {
        ...arrival,
        resolve: (outcome) => {
          resolve(outcome);
          endStages(command, receivedAt);
          span.end({
            attributes: outcome.ok
              ? { 'rollgate.outcome': outcome.changed ? 'applied' : 'unchanged' }
              : { 'rollgate.outcome': 'refused', 'rollgate.code': outcome.refusal.code },
          });
        },
      };
    },
    timed: (stage, name) => async (batch) => {
      const from = performance.now();
      try {
        return await stage(batch);
      } finally {
        const time = { name, from, to: performance.now() };
        for (const arrival of batch.arrivals) tracedOf(arrival)?.stages.push(time);
      }
    },
    committed: (batch) => {
      const causes = new Map<unknown, string>();
      for (const { arrival, commands } of batch.decisions) {
        const traceparent = tracedOf(arrival)?.traceparent;
        if (traceparent === undefined) continue;
        for (const { decision } of commands)
          if (!isRefused(decision))
            // The commit adds an id and a position to an event; its data are the same object.
            for (const { data } of decision.events) causes.set(data, traceparent);
      }
      for (const { id, data } of batch.events) {
        const cause = causes.get(data);
        if (cause !== undefined) noteCause(id, cause);
      }
    },
  };
};

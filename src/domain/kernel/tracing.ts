/** Facts of a span, by the names of OpenTelemetry. Never personal data: traces leave the gateway. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly kind: 'server' | 'internal' | 'producer';
  /** A W3C `traceparent`: the span continues this trace. Absent or malformed: it begins one. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
  /** Milliseconds of the monotonic clock (`performance.now`). Absent: now. */
  readonly at?: number;
}

export interface SpanEnd {
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

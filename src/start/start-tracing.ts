import type { Log } from '../ports/telemetry.js';
import type { OpenSpan, SpanStart, Tracing } from '../pipeline/trace-commands.js';

export interface RunningTracing extends Tracing {
  /** Sends what has not been sent. */
  readonly stop: () => Promise<void>;
}

/** Installed only where traces are wanted; `check-config.ts` says so otherwise. */
const loadPackages = async () => {
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  return { api, sdk, OTLPTraceExporter, resources };
};

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface TracingOptions {
  /** The base URL of an OTLP/HTTP receiver, such as `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  readonly version: string;
  readonly instanceId: string;
  readonly log: Log;
}

/**
 * Exports spans by OTLP over HTTP. The variables of OpenTelemetry for service name, headers and
 * sampler apply (`OTEL_SERVICE_NAME`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER`).
 */
export const startTracing = async (options: TracingOptions): Promise<RunningTracing> => {
  const { endpoint, version, instanceId, log } = options;
  const { api, sdk, OTLPTraceExporter, resources } = await loadPackages();
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const resource = resources
    .resourceFromAttributes({
      'service.name': 'rollgate',
      'service.version': version,
      'service.instance.id': instanceId,
    })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new sdk.BasicTracerProvider({
    resource,
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  api.diag.setLogger(diagnosticsTo(log), api.DiagLogLevel.WARN);
  const tracer = provider.getTracer('rollgate', version);
  const kinds = {
    server: api.SpanKind.SERVER,
    internal: api.SpanKind.INTERNAL,
    producer: api.SpanKind.PRODUCER,
  };

  /** The wall clock's time of a moment of the monotonic clock. */
  const timeOf = (at: number | undefined): Date | undefined =>
    at === undefined ? undefined : new Date(performance.timeOrigin + at);

  const contextOf = (parent: string | undefined) => {
    const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(parent ?? '') ?? [];
    if (traceId === undefined || spanId === undefined) return api.ROOT_CONTEXT;
    const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return api.trace.setSpanContext(api.ROOT_CONTEXT, remote);
  };

  const start = (name: string, { kind, parent, attributes, at }: SpanStart): OpenSpan => {
    const time = timeOf(at);
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind], ...(attributes && { attributes }), ...(time && { startTime: time }) },
      contextOf(parent),
    );
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      rename: (given) => void span.updateName(given),
      end: ({ attributes: more, failure, at: endedAt } = {}) => {
        if (more) span.setAttributes(more);
        if (failure !== undefined)
          span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure });
        span.end(timeOf(endedAt));
      },
    };
  };
  return { start, stop: () => provider.shutdown() };
};

const diagnosticsTo = (log: Log) => {
  const warn = (message: string): void =>
    log.warn({ reason: message.slice(0, 500) }, 'cannot export traces');
  const ignore = (): void => undefined;
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
};

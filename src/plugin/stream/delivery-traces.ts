import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import type { Tracing } from '../../pipeline/trace-commands.js';
import type { DeliveryOutcome } from '../contract/contract.js';
import type { HttpSender, OutboundRequest } from '../contract/http-sender.js';

/** What a delivery's span says about it. */
export interface TracedDelivery {
  readonly plugin: string;
  readonly id: string;
  readonly eventId: string;
  readonly event: string;
  readonly attempt: number;
}

/** Spans of deliveries, and `traceparent` in the requests that they send. */
export interface DeliveryTraces {
  /** Notes which span caused an event; the deliveries of the last 10,000 events continue its trace. */
  readonly noteCause: (eventId: string, traceparent: string) => void;
  readonly trace: (
    delivery: TracedDelivery,
    deliver: () => Promise<DeliveryOutcome>,
  ) => Promise<DeliveryOutcome>;
  /** The same sender; requests of a delivery carry its `traceparent`. */
  readonly propagating: <Sender extends HttpSender>(sender: Sender) => Sender;
}

/** Deliveries after a restart or by another gateway begin a trace of their own. */
const MAX_CAUSES = 10_000;

export const createDeliveryTraces = (tracing: Tracing): DeliveryTraces => {
  const causes = new LRUCache<string, string>({ max: MAX_CAUSES });
  const current = new AsyncLocalStorage<string>();

  const withHeader = <Request extends Pick<OutboundRequest, 'headers'>>(
    request: Request,
  ): Request => {
    const traceparent = current.getStore();
    if (traceparent === undefined) return request;
    return { ...request, headers: { traceparent, ...request.headers } };
  };

  return {
    noteCause: (eventId, traceparent) => void causes.set(eventId, traceparent),
    trace: async ({ plugin, id, eventId, event, attempt }, deliver) => {
      const span = tracing.start(`deliver ${event}`, {
        kind: 'producer',
        parent: causes.get(eventId),
        attributes: {
          'rollgate.plugin': plugin,
          'rollgate.delivery': id,
          'rollgate.event_id': eventId,
          'rollgate.event': event,
          'rollgate.attempt': attempt,
        },
      });
      const end = (outcome: string, failure?: string): void =>
        span.end({ attributes: { 'rollgate.outcome': outcome }, failure });
      try {
        const outcome = await current.run(span.traceparent, deliver);
        end(outcome.kind, outcome.kind === 'failed' ? 'failed' : undefined);
        return outcome;
      } catch (error) {
        end('failed', 'threw');
        throw error;
      }
    },
    propagating: (sender) => ({
      ...sender,
      post: (request, signal) => sender.post(withHeader(request), signal),
      get: (request, signal) => sender.get(withHeader(request), signal),
    }),
  };
};

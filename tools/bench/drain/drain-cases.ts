import { randomUUID } from 'node:crypto';
import { eventBody } from '../../../plugins/webhooks/envelope.js';
import { generateSecret } from '../../../plugins/webhooks/secret.js';
import { keysOf, signatureHeaders } from '../../../plugins/webhooks/signature.js';
import { sampleEvent } from '../../../src/plugin/testing.js';
import { openBacklog } from './backlog.js';
import { bareGot, bareUndici, type Client, type DeliveryTarget, gatewaySender } from './clients.js';

/** The receiver, and the server for the databases. */
export interface DrainInput extends DeliveryTarget {
  readonly uriOf: (database: string) => string;
}

/** One way to send deliveries. */
export interface DrainCase {
  readonly name: string;
  /** Prepares the deliveries, calls `measure` with the sending, and cleans up. */
  readonly run: <Result>(
    deliveries: number,
    measure: (send: () => Promise<unknown>) => Promise<Result>,
  ) => Promise<Result>;
}

/** Events per commit. The deliveries of a large commit are spans. */
const SMALL_COMMIT = 40;
const LARGE_COMMIT = 500;

const drainCase = (input: DrainInput, registrations: number, batch: number): DrainCase => ({
  name: `drain to ${registrations}, commits of ${batch}`,
  run: async (deliveries, measure) => {
    const uri = input.uriOf(`drain-${randomUUID()}`);
    const backlog = await openBacklog({ ...input, uri, registrations, deliveries, batch });
    try {
      return await measure(() => {
        backlog.engine.start();
        return backlog.drained();
      });
    } finally {
      await backlog.close();
    }
  },
});

interface Loop {
  readonly client: string;
  readonly open: (input: DrainInput, concurrency: number) => Client;
  readonly concurrency: number;
}

/** The same requests in a loop, without engine and database. */
const loopCase = (input: DrainInput, { client: name, open, concurrency }: Loop): DrainCase => ({
  name: `loop of ${name}, ${concurrency} at once`,
  run: async (deliveries, measure) => {
    const client = open(input, concurrency);
    const keys = keysOf(generateSecret());
    let left = deliveries;
    const postUntilDone = async (): Promise<void> => {
      while (left-- > 0) await client.post(signedPost(keys));
    };
    try {
      return await measure(() => Promise.all(Array.from({ length: concurrency }, postUntilDone)));
    } finally {
      await client.close();
    }
  },
});

const signedPost = (keys: ReturnType<typeof keysOf>) => {
  const id = randomUUID();
  const body = eventBody(sampleEvent('user.created'));
  const headers = {
    'Content-Type': 'application/json',
    'X-Service-Event': 'user.created',
    'X-Service-Delivery': id,
    ...signatureHeaders(keys, { id, body, at: new Date() }),
  };
  return { headers, body };
};

/** The drains, and for comparison the HTTP clients in loops. */
export const drainCases = (input: DrainInput): readonly DrainCase[] => [
  drainCase(input, 1, SMALL_COMMIT),
  drainCase(input, 1, LARGE_COMMIT),
  drainCase(input, 20, SMALL_COMMIT),
  drainCase(input, 20, LARGE_COMMIT),
  loopCase(input, { client: 'bare undici', open: bareUndici, concurrency: 8 }),
  loopCase(input, { client: 'bare undici', open: bareUndici, concurrency: 64 }),
  loopCase(input, { client: 'our sender', open: gatewaySender, concurrency: 64 }),
  loopCase(input, { client: 'got', open: bareGot, concurrency: 64 }),
];

import { randomUUID } from 'node:crypto';
import { eventBody } from '../../plugins/webhooks/envelope.js';
import { generateSecret } from '../../plugins/webhooks/secret.js';
import { keysOf, signatureHeaders } from '../../plugins/webhooks/signature.js';
import { sampleEvent } from '../../src/plugin/testing.js';
import { openBacklog } from './backlog.js';
import { bareGot, bareUndici, type Client, ownSender, type Place } from './clients.js';

/** Where deliveries go, and the database that they wait in. */
export interface Ground extends Place {
  readonly uriOf: (database: string) => string;
}

/** One way to have so many deliveries received. */
export interface Contest {
  readonly name: string;
  /** Makes ready, has `measured` run the work, and clears up. */
  readonly run: <Result>(
    deliveries: number,
    measured: (work: () => Promise<unknown>) => Promise<Result>,
  ) => Promise<Result>;
}

/** Events of one commit: of the larger, what waits for a registration is a span. */
const SMALL = 40;
const LARGE = 500;

const draining = (ground: Ground, registrations: number, batch: number): Contest => ({
  name: `drain to ${registrations}, commits of ${batch}`,
  run: async (deliveries, measured) => {
    const uri = ground.uriOf(`drain-${randomUUID()}`);
    const backlog = await openBacklog({ ...ground, uri, registrations, deliveries, batch });
    try {
      return await measured(() => {
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
  readonly open: (ground: Ground, atOnce: number) => Client;
  readonly atOnce: number;
}

/** The same bytes and signatures, without engine and database. */
const looping = (ground: Ground, { client: name, open, atOnce }: Loop): Contest => ({
  name: `loop of ${name}, ${atOnce} at once`,
  run: async (deliveries, measured) => {
    const client = open(ground, atOnce);
    const keys = keysOf(generateSecret());
    let left = deliveries;
    const postOnAndOn = async (): Promise<void> => {
      while (left-- > 0) await client.post(signedPost(keys));
    };
    try {
      return await measured(() => Promise.all(Array.from({ length: atOnce }, postOnAndOn)));
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

/** The drains, and beside them what the HTTP clients can do by themselves. */
export const contestsOn = (ground: Ground): readonly Contest[] => [
  draining(ground, 1, SMALL),
  draining(ground, 1, LARGE),
  draining(ground, 20, SMALL),
  draining(ground, 20, LARGE),
  looping(ground, { client: 'bare undici', open: bareUndici, atOnce: 8 }),
  looping(ground, { client: 'bare undici', open: bareUndici, atOnce: 64 }),
  looping(ground, { client: 'our sender', open: ownSender, atOnce: 64 }),
  looping(ground, { client: 'got', open: bareGot, atOnce: 64 }),
];

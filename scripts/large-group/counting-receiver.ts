import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:https';
import type { Identity } from '../../tooling/authority.js';

/** Takes deliveries and keeps no more of them than who they were. */
export interface CountingReceiver {
  readonly url: string;
  /** Distinct events. */
  readonly events: () => number;
  /** Deliveries that came again under their id: at least once is the promise. */
  readonly repeats: () => number;
  /** Events that came under two ids: never. */
  readonly doubles: () => number;
  readonly close: () => Promise<void>;
}

export const openCountingReceiver = async (identity: Identity): Promise<CountingReceiver> => {
  const deliveryOf = new Map<string, string>();
  let repeats = 0;
  let doubles = 0;

  const take = (eventId: string, deliveryId: string): void => {
    const known = deliveryOf.get(eventId);
    if (known === undefined) deliveryOf.set(eventId, deliveryId);
    else if (known === deliveryId) repeats += 1;
    else doubles += 1;
  };

  const server = createServer({ cert: identity.certificate, key: identity.key });
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly id: string };
      take(id, String(request.headers['x-service-delivery']));
      response.writeHead(204).end();
    });
    // A gateway that is killed in the middle breaks off.
    request.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    events: () => deliveryOf.size,
    repeats: () => repeats,
    doubles: () => doubles,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

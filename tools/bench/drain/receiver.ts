/** Counts deliveries and responds with 204, in a process of its own. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Identity } from '../../shared/authority.js';
import { serveMethods } from '../../shared/child.js';

export interface CounterMethods {
  /** Listens with this certificate. Resolves with the port. */
  readonly open: (identity: Identity) => Promise<number>;
  /** Waits for this many distinct deliveries since the last call. Resolves with their number. */
  readonly waitFor: (count: number) => Promise<number>;
}

const seen = new Set<string>();
let waiting = { count: Infinity, settle: (): void => undefined };

serveMethods<CounterMethods>({
  open: async ({ certificate, key }) => {
    const server = createServer({ cert: certificate, key }, (request, response) => {
      request.resume().on('end', () => {
        response.writeHead(204).end();
        seen.add(String(request.headers['x-service-delivery']));
        if (seen.size >= waiting.count) waiting.settle();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  waitFor: async (count) => {
    if (seen.size < count)
      await new Promise<void>((settle) => {
        waiting = { count, settle };
      });
    const distinct = seen.size;
    waiting = { count: Infinity, settle: () => undefined };
    seen.clear();
    return distinct;
  },
});

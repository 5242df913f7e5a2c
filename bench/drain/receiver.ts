/** The receiver of the drain, in a process of its own: answers 204 and counts. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Identity } from '../../tooling/authority.js';
import { serveMethods } from '../../tooling/child.js';

export interface CounterMethods {
  /** Listens with this certificate; answers with the port. */
  readonly open: (identity: Identity) => Promise<number>;
  /** Distinct deliveries since the last time that it was asked, as soon as there are so many. */
  readonly await: (count: number) => Promise<number>;
}

const seen = new Set<string>();
let awaited = { count: Infinity, settle: (): void => undefined };

serveMethods<CounterMethods>({
  open: async ({ certificate, key }) => {
    const server = createServer({ cert: certificate, key }, (request, response) => {
      request.resume().on('end', () => {
        response.writeHead(204).end();
        seen.add(String(request.headers['x-service-delivery']));
        if (seen.size >= awaited.count) awaited.settle();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  await: async (count) => {
    if (seen.size < count)
      await new Promise<void>((settle) => {
        awaited = { count, settle };
      });
    const distinct = seen.size;
    awaited = { count: Infinity, settle: () => undefined };
    seen.clear();
    return distinct;
  },
});

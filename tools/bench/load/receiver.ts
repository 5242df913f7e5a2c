import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Identity } from '../../shared/authority.js';
import { serveMethods } from '../../shared/child.js';
import { hasValidSignature } from '../../shared/https-receiver.js';

/** The webhook receiver, in a process of its own. */
export interface ReceiverMethods {
  /** Listens with this certificate. Resolves with the port. */
  readonly open: (identity: Identity) => Promise<number>;
  /** Accepts deliveries at this path; only counts them if no secret is given. */
  readonly addPath: (params: { readonly path: string; readonly secret?: string }) => Promise<void>;
  /** Waits until a path has this many distinct deliveries. Resolves with what arrived. */
  readonly waitFor: (params: ExpectedDeliveries) => Promise<Received>;
}

interface ExpectedDeliveries {
  readonly path: string;
  readonly count: number;
  readonly withinMs: number;
}

interface Received {
  readonly distinct: number;
  readonly forged: number;
}

interface Path {
  readonly secret: string | undefined;
  readonly deliveries: Set<string>;
  forged: number;
  settle?: () => void;
}

const paths = new Map<string, Path>();

const pathOf = (path: string): Path => {
  const found = paths.get(path);
  if (found) return found;
  throw new Error(`Unknown path ${path}.`);
};

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const receive = async (request: IncomingMessage): Promise<void> => {
  const { headers } = request;
  const path = pathOf(request.url ?? '');
  const body = await readBody(request);
  path.deliveries.add(String(headers['x-service-delivery']));
  if (path.secret !== undefined && !hasValidSignature(path.secret, headers, body)) path.forged += 1;
  path.settle?.();
};

const methods: ReceiverMethods = {
  open: async ({ certificate, key }) => {
    const server = createServer({ cert: certificate, key }, (request, response) => {
      void receive(request).then(
        () => response.writeHead(204).end(),
        () => response.writeHead(500).end(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  addPath: ({ path, secret }) => {
    paths.set(path, { secret, deliveries: new Set(), forged: 0 });
    return Promise.resolve();
  },
  waitFor: ({ path: name, count, withinMs }) =>
    new Promise((resolve) => {
      const path = pathOf(name);
      const end = (): void => {
        clearTimeout(timer);
        delete path.settle;
        resolve({ distinct: path.deliveries.size, forged: path.forged });
      };
      const timer = setTimeout(end, withinMs);
      path.settle = () => {
        if (path.deliveries.size >= count) end();
      };
      path.settle();
    }),
};

serveMethods(methods);

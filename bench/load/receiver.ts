import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Identity } from '../../tooling/authority.js';
import { isGenuine } from '../../tooling/verify-delivery.js';
import { serveMethods } from '../../tooling/child.js';
import { monotonicMs } from './monotonic.js';

/** The webhook's receiver, in a process of its own. */
export interface ReceiverMethods {
  /** Listens with this certificate; answers with the port. */
  readonly open: (identity: Identity) => Promise<number>;
  /** The secret that deliveries to this path are signed with. */
  readonly trust: (trust: { readonly path: string; readonly secret: string }) => Promise<void>;
  /** Waits until a path has this many distinct deliveries; the number that it has at the end. */
  readonly await: (awaited: AwaitedDeliveries) => Promise<Received>;
  /** When each e-mail address was first heard of on this path, on the monotonic clock. */
  readonly arrivals: (path: string) => Promise<ReadonlyMap<string, number>>;
}

export interface AwaitedDeliveries {
  readonly path: string;
  readonly count: number;
  readonly withinMs: number;
}

export interface Received {
  readonly distinct: number;
  readonly forged: number;
}

interface Path {
  readonly secret: string;
  readonly deliveries: Set<string>;
  readonly arrivals: Map<string, number>;
  forged: number;
  settle?: () => void;
}

const paths = new Map<string, Path>();

const pathAt = (path: string): Path => {
  const found = paths.get(path);
  if (found) return found;
  throw new Error(`Nobody was told of ${path}.`);
};

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const take = async (request: IncomingMessage): Promise<void> => {
  const path = pathAt(request.url ?? '');
  const body = await readBody(request);
  const at = monotonicMs();
  if (!isGenuine(path.secret, request.headers, body)) path.forged += 1;
  path.deliveries.add(String(request.headers['x-service-delivery']));
  const { data } = JSON.parse(body.toString()) as { data: { user?: { email?: string } } };
  const email = data.user?.email;
  if (email !== undefined && !path.arrivals.has(email)) path.arrivals.set(email, at);
  path.settle?.();
};

const handlers: ReceiverMethods = {
  open: async ({ certificate, key }) => {
    const server = createServer({ cert: certificate, key }, (request, response) => {
      void take(request).then(
        () => response.writeHead(204).end(),
        () => response.writeHead(500).end(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  trust: ({ path, secret }) => {
    paths.set(path, { secret, deliveries: new Set(), arrivals: new Map(), forged: 0 });
    return Promise.resolve();
  },
  await: ({ path: name, count, withinMs }) =>
    new Promise((resolve) => {
      const path = pathAt(name);
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
  arrivals: (path) => Promise.resolve(pathAt(path).arrivals),
};

serveMethods(handlers);

import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Identity } from '../../tools/shared/authority.js';

/** What was asked of the proxy. */
export interface Tunnel {
  /** `host:port` */
  readonly target: string;
  readonly authorization: string | undefined;
}

export interface ForwardProxy {
  readonly url: string;
  readonly tunnels: readonly Tunnel[];
  /** Refuses all tunnels with this status from now on. */
  readonly refuse: (status: number) => void;
  /** Never responds from now on; resolves when a tunnel was asked for. */
  readonly staySilent: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** An HTTP proxy that connects to whatever it is asked for (RFC 9110, 9.3.6); with TLS if given one. */
export const openForwardProxy = async (identity?: Identity): Promise<ForwardProxy> => {
  const server = identity
    ? createHttpsServer({ cert: identity.certificate, key: identity.key })
    : createHttpServer();
  const tunnels: Tunnel[] = [];
  const sockets = new Set<Socket>();
  let refusal: number | undefined;
  let isSilent = false;
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.on('connect', ({ url = '', headers }: IncomingMessage, client: Socket) => {
    tunnels.push({ target: url, authorization: headers['proxy-authorization'] });
    if (isSilent) return;
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    sockets.add(target.on('error', () => client.destroy()));
    client.on('error', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${identity ? 'https' : 'http'}://localhost:${port}`,
    tunnels,
    refuse: (status) => (refusal = status),
    staySilent: async () => {
      isSilent = true;
      await once(server, 'connect');
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
};

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const NOT_LOCAL = 'the host is not an address of this machine';

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use. Stop the other process or choose another port',
  EADDRNOTAVAIL: NOT_LOCAL,
  ENOTFOUND: NOT_LOCAL,
  EACCES: 'permission denied. Ports below 1024 require privileges',
};

/** Rejects with an Error for the operator if the server cannot listen there. */
export const listen = (server: Server, { host, port }: ListenAddress): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = LISTEN_ERRORS[cause.code ?? ''] ?? cause.message;
      const message =
        `Cannot listen on ${host} port ${port}: ${reason}. Set the address with ROLLGATE_HOST and ` +
        'ROLLGATE_PORT (host and port in the configuration).';
      reject(new Error(message, { cause }));
    });
    server.listen({ host, port }, () => resolve(server.address() as AddressInfo));
  });

/** Rejects like `listen` if no server could listen there now. */
export const requireFreeAddress = async (address: ListenAddress): Promise<void> => {
  const server = createServer();
  await listen(server, address);
  server.close();
  await once(server, 'close');
};

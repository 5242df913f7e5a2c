import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** A TCP proxy that can be cut: connections break and new ones are refused, until it is mended. */
export interface CutProxy {
  readonly port: number;
  readonly cut: () => void;
  /** Takes connections and bytes, and passes none on: the other side seems to hang. */
  readonly freeze: () => void;
  readonly mend: () => void;
  readonly close: () => Promise<void>;
}

export const openCutProxy = async (target: {
  readonly host: string;
  readonly port: number;
}): Promise<CutProxy> => {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(target);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      pairs.delete(pair);
    };
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('data', (bytes) => {
        if (state === 'open') to.write(bytes);
      });
      from.on('close', end);
      from.on('error', end);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = (): void => {
    for (const [client, upstream] of [...pairs]) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = 'cut';
      breakAll();
    },
    freeze: () => {
      state = 'frozen';
    },
    mend: () => {
      // What was swallowed is lost, so nothing that was open can go on.
      if (state === 'frozen') breakAll();
      state = 'open';
    },
    close: () =>
      new Promise((resolve) => {
        breakAll();
        server.close(() => resolve());
      }),
  };
};

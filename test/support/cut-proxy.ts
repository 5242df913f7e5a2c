import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

/** A TCP proxy for simulating network failures. */
export interface CutProxy {
  readonly port: number;
  /** Breaks all connections and refuses new ones. */
  readonly cut: () => void;
  /** Accepts connections and bytes but forwards nothing, as if the server hung. */
  readonly freeze: () => void;
  readonly restore: () => void;
  /** From what matches on, a connection forwards nothing that its client sends, as if only it hung. */
  readonly swallow: (sent: RegExp | undefined) => void;
  readonly close: () => Promise<void>;
}

/** The connection string that leads through the proxy. */
export const throughProxy = (uri: string, { port }: Pick<CutProxy, 'port'>): string => {
  const through = new URL(uri);
  through.host = `127.0.0.1:${port}`;
  through.searchParams.set('directConnection', 'true');
  through.searchParams.delete('replicaSet');
  return through.href;
};

export const openCutProxy = async (target: {
  readonly host: string;
  readonly port: number;
}): Promise<CutProxy> => {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let swallowed: RegExp | undefined;
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
      let isHung = false;
      from.on('data', (bytes) => {
        isHung ||= from === client && swallowed?.test(bytes.toString('latin1')) === true;
        if (state === 'open' && !isHung) to.write(bytes);
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
    restore: () => {
      // Connections that lost bytes cannot continue.
      if (state === 'frozen') breakAll();
      state = 'open';
    },
    swallow: (sent) => {
      swallowed = sent;
    },
    close: () =>
      new Promise((resolve) => {
        breakAll();
        server.close(() => resolve());
      }),
  };
};

import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';
import got from 'got';
import { Pool } from 'undici';
import { createHttpSender } from '../../../src/plugin/outbound/undici-sender.js';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An HTTP client that posts deliveries. */
export interface Client {
  readonly name: string;
  readonly post: (post: Post) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export interface DeliveryTarget {
  /** `https://localhost:port` */
  readonly origin: string;
  /** A PEM file. */
  readonly ca: string;
}

/** undici without anything around it: the upper limit. */
export const bareUndici = ({ origin, ca }: DeliveryTarget, connections: number): Client => {
  const pool = new Pool(origin, { connections, connect: { ca: readFileSync(ca) } });
  return {
    name: 'bare undici',
    post: async ({ headers, body }) => {
      const { body: responseBody } = await pool.request({
        path: '/',
        method: 'POST',
        headers,
        body,
      });
      await responseBody.dump();
    },
    close: () => pool.destroy(),
  };
};

/** The gateway's sender: undici with the address guard, a timeout and a body limit. */
export const gatewaySender = ({ origin, ca }: DeliveryTarget): Client => {
  const sender = createHttpSender({ userAgent: 'bench', allow: ['127.0.0.0/8'], ca });
  return {
    name: 'our sender',
    post: ({ headers, body }) =>
      sender.post({ url: origin, headers, body, timeoutMs: 10_000, bodyLimit: 4_096 }),
    close: sender.close,
  };
};

export const bareGot = ({ origin, ca }: DeliveryTarget, maxSockets: number): Client => {
  const agent = new Agent({
    keepAlive: true,
    maxSockets,
    ca: [...rootCertificates, readFileSync(ca, 'utf8')],
  });
  return {
    name: 'got',
    post: ({ headers, body }) =>
      got.post(origin, {
        headers,
        body: Buffer.from(body),
        agent: { https: agent },
        retry: { limit: 0 },
      }),
    close: () => {
      agent.destroy();
      return Promise.resolve();
    },
  };
};

import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import { createAuthority } from '../../tools/shared/authority.js';

/** A public address of a gateway: a proxy in front of it ends TLS. */
export interface PublicAddress {
  /** `https://rollgate.example.com` */
  readonly url: string;
  /** For Chromium, which finds it without DNS. */
  readonly flags: readonly string[];
  readonly close: () => void;
}

export const openPublicAddress = async (
  host: string,
  gatewayUrl: string,
): Promise<PublicAddress> => {
  const { certificate, key } = await (await createAuthority()).issue([host]);
  const { hostname, port } = new URL(gatewayUrl);
  const server = createServer({ cert: certificate, key }, (client) => {
    // Browsers break connections off.
    pipeline(client, connect(Number(port), hostname), client, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  return {
    url: `https://${host}`,
    flags: [`--host-resolver-rules=MAP ${host} 127.0.0.1:${own}`],
    close: () => void server.close(),
  };
};

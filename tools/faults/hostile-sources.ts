import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Cleanup, temporaryFolder } from '../shared/cleanup.js';

/** Sources that a tenant controls: files, and a service on this machine. */
export interface HostileSource {
  /** The configuration of their connectors. */
  readonly config: string;
  /** Requests that the service has received. */
  readonly requests: () => number;
}

const FIELD_LIST_BYTES = 60_000_000;
const BOMBS = 20;
const HEADER_BYTES = 1024 * 1024;

/** Requests below `/later` are postponed for longer than a date of 32 bits. */
const startService = async (cleanup: Cleanup) => {
  let requests = 0;
  const list = Buffer.from(`[${'[],'.repeat(FIELD_LIST_BYTES / 3)}[]]`);
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    if (request.url?.startsWith('/later'))
      response.writeHead(429, { 'Retry-After': '1000000000' }).end();
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(list);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests: () => requests };
};

const columns = (): string => {
  let header = 'employeeId,email';
  for (let at = 0; header.length < HEADER_BYTES; at += 1) header += `,c${at}`;
  return header;
};

/** Each connector of the tenant misbehaves in its own way. */
export const startHostileSource = async (
  tenant: string,
  cleanup: Cleanup,
): Promise<HostileSource> => {
  const folder = await temporaryFolder('hostile', cleanup);
  const { url, requests } = await startService(cleanup);
  const bombs = Array.from({ length: BOMBS }, (_, at) => `${at},bomb-${at}@example.com,9999999\n`);
  await writeFile(join(folder, 'bomb.csv'), `employeeId,email,years\n${bombs.join('')}`);
  await writeFile(join(folder, 'wide.csv'), `${columns()}\n1,ada@example.com\n`);
  const csv = (name: string) => ({ folder, files: `${name}.csv`, ready: 'renamed' });
  const bob = (path: string) => ({
    serviceUserId: 'SERVICE-1',
    token: { env: 'HOSTILE_TOKEN' },
    baseUrl: url + path,
  });
  const allow = ['127.0.0.0/8'];
  const connectors = {
    bomb: {
      use: 'csv',
      tenant,
      settings: csv('bomb'),
      map: { displayName: { jsonata: '$string($count([1..$number(years)]))' } },
    },
    wide: { use: 'csv', tenant, settings: csv('wide') },
    bob: { use: 'hibob', tenant, allow, settings: bob('/v1') },
    later: { use: 'hibob', tenant, allow, settings: bob('/later') },
  };
  const config = join(folder, 'rollgate.yaml');
  // JSON is YAML.
  await writeFile(config, JSON.stringify({ connectors }));
  return { config, requests };
};

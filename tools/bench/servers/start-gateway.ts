import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient } from '../../shared/api-client.js';
import { gatewayArguments } from '../build.js';
import type { ServerSetting } from './server-setting.js';
import { type ServerProcess, startServerProcess } from './start-server-process.js';
import type { TestedServer } from './tested-server.js';
import { trackDeliveries } from './track-deliveries.js';

export const SLUG = 'bench';
const SEATS = 100_000_000;
const CLIENTS = 64;

/** Default settings, except for the rate limit. */
const environmentFor = (setting: ServerSetting, dataDir: string, adminToken: string) => {
  return (port: number): Readonly<Record<string, string>> => ({
    ROLLGATE_MONGODB_URI: setting.databaseUri(setting.label),
    ROLLGATE_DATA_DIR: dataDir,
    ROLLGATE_PORT: String(port),
    ROLLGATE_ADMIN_TOKEN: adminToken,
    ROLLGATE_RATE_LIMIT: '10000000',
    ROLLGATE_RATE_LIMIT_OPERATORS_PER_MINUTE: '10000000',
    ...setting.webhooks?.environment,
    ...setting.environment,
  });
};

/** Starts the process only. */
export const startGatewayServer = async (
  setting: ServerSetting,
  adminToken = randomBytes(24).toString('hex'),
): Promise<ServerProcess> => {
  const dataDir = join(setting.folder, `${setting.label}-data`);
  await mkdir(dataDir, { recursive: true });
  return startServerProcess({
    label: setting.label,
    folder: setting.folder,
    args: [...setting.nodeFlags, ...(await gatewayArguments())],
    environment: environmentFor(setting, dataDir, adminToken),
  });
};

/** Starts a gateway with one tenant, a seat limit, a key and a webhook, and creates its users. */
export const startGateway = async (setting: ServerSetting): Promise<TestedServer> => {
  const { label, size, load } = setting;
  const adminToken = randomBytes(24).toString('hex');
  const process = await startGatewayServer(setting, adminToken);
  setting.cleanup.defer(process.stop);
  const key = await createTenant(process.origin, adminToken);
  const waitForDeliveries = await subscribe(setting, process.origin, key);
  const target = {
    origin: process.origin,
    base: `/v1/${SLUG}/scim/v2`,
    headers: { authorization: `Bearer ${key}` },
  };
  const { wrong } = await load.call('fill', { target, size, clients: CLIENTS });
  if (wrong) throw new Error(`Cannot create the users: ${JSON.stringify(wrong, null, 2)}`);
  await waitForDeliveries(size);
  return { peer: 'rollgate', size, label, process, target, adminToken, waitForDeliveries };
};

const createTenant = async (origin: string, adminToken: string): Promise<string> => {
  const operator = createApiClient(() => `${origin}/admin/v1/tenants`, adminToken);
  await operator.expect(201, 'POST', '', {
    slug: SLUG,
    name: 'Benchmark',
    seat_capacity: SEATS,
    // Creates a room for each group, so that each change of members is an event.
    room_provisioning: 'automatic',
  });
  const response = await operator.expect(201, 'POST', `/${SLUG}/api-keys`, {
    description: 'Benchmark',
    scopes: ['scim:read', 'scim:write', 'webhooks'],
  });
  return (response.json() as { readonly key: string }).key;
};

const subscribe = async (
  { webhooks, label }: ServerSetting,
  origin: string,
  key: string,
): Promise<TestedServer['waitForDeliveries']> => {
  if (!webhooks) return () => Promise.resolve();
  const path = `/${label}`;
  const client = createApiClient(() => `${origin}/v1/${SLUG}`, key);
  const webhook = { url: webhooks.urlOf(path), events: ['*'] };
  const response = await client.expect(201, 'POST', '/webhooks', webhook);
  const { secret } = response.json() as { readonly secret: string };
  await webhooks.receiver.call('addPath', { path, secret });
  return trackDeliveries(webhooks.receiver, path);
};

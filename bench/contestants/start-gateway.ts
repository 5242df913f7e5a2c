import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gatewayArguments } from '../build.js';
import type { Contestant } from './contestant.js';
import type { ContestSetting } from './contest-setting.js';
import { owedDeliveries } from './owed-deliveries.js';
import { startServer, type ServerProcess } from './start-server.js';

const SLUG = 'bench';
const SEATS = 100_000_000;
const CLIENTS = 64;

/** Everything else as its user would have it: log, limits and all, only wide enough. */
const environmentOf = (setting: ContestSetting, dataDir: string, adminToken: string) => {
  return (port: number): Readonly<Record<string, string>> => ({
    ROLLGATE_MONGODB_URI: setting.databaseUri(setting.label),
    ROLLGATE_DATA_DIR: dataDir,
    ROLLGATE_PORT: String(port),
    ROLLGATE_ADMIN_TOKEN: adminToken,
    ROLLGATE_RATE_LIMIT: '10000000',
    ...setting.webhooks?.environment,
  });
};

/** Only the process, for a database of this name. */
export const startGatewayServer = async (
  setting: ContestSetting,
  adminToken = randomBytes(24).toString('hex'),
): Promise<ServerProcess> => {
  const dataDir = join(setting.folder, `${setting.label}-data`);
  await mkdir(dataDir, { recursive: true });
  return startServer({
    label: setting.label,
    folder: setting.folder,
    args: [...setting.nodeFlags, ...(await gatewayArguments())],
    environment: environmentOf(setting, dataDir, adminToken),
  });
};

/**
 * The gateway with one tenant, whose seats are counted, a key, a webhook that every event is owed
 * to, and the directory made through the pipeline.
 */
export const startGateway = async (setting: ContestSetting): Promise<Contestant> => {
  const { label, size, load } = setting;
  const adminToken = randomBytes(24).toString('hex');
  const server = await startGatewayServer(setting, adminToken);
  setting.cleanup.defer(server.stop);
  const key = await openTenant(server.origin, adminToken);
  const settled = await subscribe(setting, server.origin, key);
  const target = {
    origin: server.origin,
    base: `/v1/${SLUG}/scim/v2`,
    headers: { authorization: `Bearer ${key}` },
  };
  const { wrong } = await load.call('fill', { target, size, clients: CLIENTS });
  if (wrong) throw new Error(`The directory cannot be made: ${JSON.stringify(wrong, null, 2)}`);
  await settled(size);
  return { peer: 'rollgate', size, label, server, target, settled };
};

const openTenant = async (origin: string, adminToken: string): Promise<string> => {
  const call = caller(origin, adminToken);
  await call('/admin/v1/tenants', {
    slug: SLUG,
    name: 'Benchmark',
    seat_capacity: SEATS,
    // Groups need rooms of their names: it makes them, so that each change of members has its event.
    room_provisioning: 'automatic',
  });
  const { key } = await call<{ readonly key: string }>(`/admin/v1/tenants/${SLUG}/api-keys`, {
    description: 'Benchmark',
    scopes: ['scim:read', 'scim:write', 'webhooks'],
  });
  return key;
};

const subscribe = async (
  { webhooks, label }: ContestSetting,
  origin: string,
  key: string,
): Promise<Contestant['settled']> => {
  if (!webhooks) return () => Promise.resolve();
  const path = `/${label}`;
  const { secret } = await caller(origin, key)<{ readonly secret: string }>(
    `/v1/${SLUG}/webhooks`,
    {
      url: webhooks.urlOf(path),
      events: ['*'],
    },
  );
  await webhooks.receiver.call('trust', { path, secret });
  return owedDeliveries(webhooks.receiver, path);
};

const caller =
  (origin: string, token: string) =>
  async <Answer>(path: string, body: object): Promise<Answer> => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status === 201) return JSON.parse(text) as Answer;
    throw new Error(`POST ${path} answers ${response.status}: ${text}`);
  };

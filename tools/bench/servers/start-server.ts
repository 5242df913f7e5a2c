import type { Target } from '../load/connection.js';
import type { Child } from '../../shared/child.js';
import type { Cleanup } from '../../shared/cleanup.js';
import type { LoadMethods } from '../load/load.js';
import type { Webhooks } from '../run/open-webhooks.js';
import type { ReceiverMethods } from '../load/receiver.js';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient } from '../../shared/api-client.js';
import { type GatewayProcess, startGatewayProcess } from '../../shared/gateway-process.js';
import { childScript } from '../build.js';
import { scimUser } from '../load/scim-bodies.js';
import { BASE, MEDIA_TYPE } from '../peers/scim-messages.js';

export const PEER_NAMES = ['plain', 'rollgate'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

export const isPeerName = (name: string): name is PeerName =>
  (PEER_NAMES as readonly string[]).includes(name);

/** A running server with this many users in its own database. */
export interface TestedServer {
  readonly peer: PeerName;
  readonly size: number;
  /** Unique. */
  readonly label: string;
  readonly process: GatewayProcess;
  readonly target: Target;
  /** Of a gateway. */
  readonly adminToken?: string;
  /** Resolves when the webhooks of all events so far have arrived. */
  readonly waitForDeliveries: (newEvents: number) => Promise<void>;
}

export const formatSize = (size: number): string =>
  size % 1_000 === 0 ? `${size / 1_000}k` : String(size);

/** What a server is started with. */
export interface ServerSetting {
  /** Names the server and its database. */
  readonly label: string;
  readonly size: number;
  /** Removed at the end. */
  readonly folder: string;
  readonly databaseUri: string;
  readonly load: Child<LoadMethods>;
  /** Undefined: the gateway has no webhook. */
  readonly webhooks: Webhooks | undefined;
  /** Settings of the gateway, besides the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Such as --cpu-prof. */
  readonly nodeFlags: readonly string[];
  /** The gateway's program. */
  readonly main: string;
  readonly cleanup: Cleanup;
}

const TIMEOUT_MS = 120_000;

/**
 * Waits for the deliveries of all events, so that the deliveries of one server do not slow the next
 * one's round. A missing delivery or a wrong signature ends the benchmark.
 */
const trackDeliveries = (
  receiver: Child<ReceiverMethods>,
  path: string,
): TestedServer['waitForDeliveries'] => {
  let expected = 0;
  return async (newEvents) => {
    expected += newEvents;
    const { distinct, forged } = await receiver.call('waitFor', {
      path,
      count: expected,
      withinMs: TIMEOUT_MS,
    });
    if (distinct === expected && forged === 0) return;
    throw new Error(
      `${distinct} of ${expected} deliveries arrived, ${forged} with a wrong signature.`,
    );
  };
};

export const SLUG = 'bench';
const SEATS = 100_000_000;

/** Starts the process only. The gateway has default settings, except for the rate limit. */
export const startServer = async (
  peer: PeerName,
  { label, folder, databaseUri, webhooks, environment, nodeFlags, main }: ServerSetting,
  adminToken = randomBytes(24).toString('hex'),
): Promise<GatewayProcess> => {
  if (peer !== 'rollgate') {
    const program = { main: childScript(`peers/${peer}.js`), nodeFlags };
    return startGatewayProcess({ PEER_MONGODB_URI: databaseUri }, program);
  }
  const dataDir = join(folder, `${label}-data`);
  await mkdir(dataDir, { recursive: true });
  const settings = {
    ROLLGATE_MONGODB_URI: databaseUri,
    ROLLGATE_DATA_DIR: dataDir,
    ROLLGATE_ADMIN_TOKEN: adminToken,
    ROLLGATE_RATE_LIMIT: '10000000',
    ROLLGATE_RATE_LIMIT_OPERATORS_PER_MINUTE: '10000000',
    ...webhooks?.environment,
    ...environment,
  };
  return startGatewayProcess(settings, { main, nodeFlags });
};

/** Starts a gateway with one tenant, a seat limit, a key and a webhook, and creates its users. */
export const startGateway = async (setting: ServerSetting): Promise<TestedServer> => {
  const { label, size, load } = setting;
  const adminToken = randomBytes(24).toString('hex');
  const process = await startServer('rollgate', setting, adminToken);
  setting.cleanup.defer(process.stop);
  const key = await createTenant(process.url, adminToken);
  const waitForDeliveries = await subscribe(setting, process.url, key);
  const target = {
    origin: process.url,
    base: `/v1/${SLUG}/scim/v2`,
    headers: { authorization: `Bearer ${key}` },
  };
  await load.call('fill', { target, size });
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

/** Starts a peer and creates its users. */
const startPeer = async (peer: PeerName, setting: ServerSetting): Promise<TestedServer> => {
  const { label, size } = setting;
  const process = await startServer(peer, setting);
  setting.cleanup.defer(process.stop);
  const target: Target = { origin: process.url, base: BASE, headers: {} };
  await preload(process.url, size);
  return { peer, size, label, process, target, waitForDeliveries: () => Promise.resolve() };
};

const CHUNK = 1_000;

/** One request after the other, so that the users are created in the order of their numbers. */
const preload = async (origin: string, size: number): Promise<void> => {
  for (let from = 0; from < size; from += CHUNK) {
    const length = Math.min(CHUNK, size - from);
    const users = Array.from({ length }, (_, index) => scimUser('user', from + index + 1));
    const response = await fetch(`${origin}/preload`, {
      method: 'POST',
      headers: { 'content-type': MEDIA_TYPE },
      body: JSON.stringify(users),
    });
    if (!response.ok)
      throw new Error(`${origin} did not accept the users: ${await response.text()}`);
    await response.arrayBuffer();
  }
};

/** Starts a server and creates its users. */
export const startTestedServer = (peer: PeerName, setting: ServerSetting): Promise<TestedServer> =>
  peer === 'rollgate' ? startGateway(setting) : startPeer(peer, setting);

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import got from 'got';
import { SCOPES } from '../../src/domain/scopes.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import { createAuthority, type Identity } from '../../tooling/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tooling/https-receiver.js';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.js';

/** Everything that gateways of a run share: a database, a receiver they trust, settings. */
export interface Scene {
  readonly receiver: HttpsReceiver;
  /** A certificate that gateways trust, for further receivers on this machine. */
  readonly identity: Identity;
  /** Has a tenant's every event sent to an address. */
  readonly subscribe: (
    url: string,
    tenant: Pick<TenantAccess, 'slug' | 'key'>,
    target: string,
  ) => Promise<string>;
  readonly start: (more?: Readonly<Record<string, string>>) => Promise<GatewayProcess>;
  /** A tenant with a key and a webhook for all events. */
  readonly makeTenant: (url: string, slug: string) => Promise<TenantAccess>;
  /** A tenant with a key, that nobody else hears of. */
  readonly makeSilentTenant: (
    url: string,
    slug: string,
    settings?: object,
  ) => Promise<Omit<TenantAccess, 'webhookSecret'>>;
}

export interface TenantAccess {
  readonly slug: string;
  readonly id: string;
  readonly key: string;
  readonly webhookSecret: string;
}

const ADMIN_TOKEN = 'an-operators-token-for-crash-tests';

/**
 * Limits that are not what a run is about are far away: a receiver that a busy machine keeps from
 * answering for minutes must not lose a delivery to a short schedule of retries.
 */
const SETTINGS = {
  ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
  ROLLGATE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ROLLGATE_LOG_LEVEL: 'warn',
  ROLLGATE_RATE_LIMIT: '10000000',
  ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
  ROLLGATE_WEBHOOKS_RETRY: '1s,2s,5s,10s,30s,1m,2m,5m,10m',
};

export const openScene = async (mongodbUri: string, { defer }: Cleanup): Promise<Scene> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-crash-'));
  defer(() => rm(folder, { recursive: true, force: true }));
  const authority = await createAuthority('Rollgate crash authority');
  const authorityPath = join(folder, 'ca.pem');
  await writeFile(authorityPath, authority.certificate);
  const identity = await authority.issue(['localhost', '127.0.0.1']);
  const receiver = await openHttpsReceiver(identity);
  defer(receiver.close);
  return {
    receiver,
    identity,
    subscribe,
    start: async (more = {}) => {
      const gateway = await startGatewayProcess({
        ...SETTINGS,
        ROLLGATE_DATA_DIR: folder,
        ROLLGATE_MONGODB_URI: mongodbUri,
        ROLLGATE_WEBHOOKS_CA: authorityPath,
        ...more,
      });
      defer(async () => {
        gateway.signal('SIGKILL');
        await gateway.ended;
      });
      return gateway;
    },
    makeTenant: (url, slug) => makeTenant(url, slug, receiver.url),
    makeSilentTenant,
  };
};

interface Made {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
}

const post = (url: string, token: string, json: object): Promise<Made> =>
  got.post(url, { json, headers: { authorization: `Bearer ${token}` } }).json<Made>();

const makeSilentTenant: Scene['makeSilentTenant'] = async (url, slug, settings = {}) => {
  const tenants = `${url}/admin/v1/tenants`;
  const { id } = await post(tenants, ADMIN_TOKEN, { slug, name: slug, ...settings });
  const { key } = await post(`${tenants}/${slug}/api-keys`, ADMIN_TOKEN, {
    description: 'crash',
    scopes: SCOPES,
  });
  return { slug, id, key };
};

/** Answers with the secret that deliveries are signed with. */
const subscribe: Scene['subscribe'] = async (url, { slug, key }, target) => {
  const { secret } = await post(`${url}/v1/${slug}/webhooks`, key, { url: target, events: ['*'] });
  return secret;
};

const makeTenant = async (url: string, slug: string, receiver: string): Promise<TenantAccess> => {
  const silent = await makeSilentTenant(url, slug);
  const webhookSecret = await subscribe(url, silent, `${receiver}/${slug}`);
  return { ...silent, webhookSecret };
};

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCOPES } from '../../../src/domain/scopes.js';
import { createApiClient } from '../api-client.js';
import { createAuthority, type Identity } from '../authority.js';
import { type Cleanup, temporaryFolder } from '../cleanup.js';
import {
  type GatewayProcess,
  type GatewayProgram,
  startGatewayProcess,
} from '../gateway-process.js';
import { type HttpsReceiver, openHttpsReceiver } from '../https-receiver.js';

/** What the gateways of a run share: a database, settings and a receiver that they trust. */
export interface Context {
  readonly mongodbUri: string;
  readonly receiver: HttpsReceiver;
  /** A certificate that the gateways trust, for more receivers on this machine. */
  readonly identity: Identity;
  readonly startGateway: (
    settings?: Readonly<Record<string, string>>,
    program?: GatewayProgram,
  ) => Promise<GatewayProcess>;
  /** Creates a tenant with a key for all scopes. */
  readonly createTenant: (gateway: string, slug: string, settings?: object) => Promise<Tenant>;
  /** Registers a webhook for all events, by default at the path `/<slug>` of `receiver`. */
  readonly subscribe: (gateway: string, tenant: Tenant, target?: string) => Promise<Registration>;
}

export interface Tenant {
  readonly slug: string;
  readonly id: string;
  readonly key: string;
}

export interface Registration {
  readonly tenant: string;
  readonly path: string;
  readonly secret: string;
}

const ADMIN_TOKEN = 'an-operators-token-for-fault-tests';

/**
 * Limits that no scenario is about are far away: a receiver that a busy machine delays for minutes
 * must not lose a delivery because its retries ended.
 */
const SETTINGS = {
  ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
  ROLLGATE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ROLLGATE_LOG_LEVEL: 'warn',
  ROLLGATE_RATE_LIMIT: '10000000',
  ROLLGATE_RATE_LIMIT_OPERATORS_PER_MINUTE: '10000000',
  ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
  ROLLGATE_WEBHOOKS_RETRY: '1s,2s,5s,10s,30s,1m,2m,5m,10m',
};

export const openContext = async (mongodbUri: string, cleanup: Cleanup): Promise<Context> => {
  const folder = await temporaryFolder('faults', cleanup);
  const authority = await createAuthority('Rollgate fault tests');
  const authorityPath = join(folder, 'ca.pem');
  await writeFile(authorityPath, authority.certificate);
  const identity = await authority.issue(['localhost', '127.0.0.1']);
  const receiver = await openHttpsReceiver(identity);
  cleanup.defer(receiver.close);
  return {
    mongodbUri,
    receiver,
    identity,
    startGateway: async (settings = {}, program = {}) => {
      const gateway = await startGatewayProcess(
        {
          ...SETTINGS,
          ROLLGATE_DATA_DIR: folder,
          ROLLGATE_MONGODB_URI: mongodbUri,
          ROLLGATE_WEBHOOKS_CA: authorityPath,
          ...settings,
        },
        program,
      );
      cleanup.defer(() => kill(gateway));
      return gateway;
    },
    createTenant,
    subscribe: (gateway, tenant, target = `/${tenant.slug}`) =>
      subscribe(gateway, tenant, new URL(target, receiver.url)),
  };
};

export const kill = async (gateway: GatewayProcess): Promise<void> => {
  gateway.signal('SIGKILL');
  await gateway.ended;
};

/** Kills a gateway and starts another one in its place. */
export const replaceGateway = async (
  { startGateway }: Context,
  gateways: GatewayProcess[],
  index = 0,
): Promise<void> => {
  const gateway = gateways[index];
  if (gateway) await kill(gateway);
  gateways[index] = await startGateway();
};

/** A tenant's native API at the gateway that runs now. */
export const tenantClient = (gateway: () => string, { slug, key }: Tenant) =>
  createApiClient(() => `${gateway()}/v1/${slug}`, key);

/** A tenant's SCIM interface at the gateway that runs now. */
export const scimClient = (gateway: () => string, { slug, key }: Tenant) =>
  createApiClient(() => `${gateway()}/v1/${slug}/scim/v2`, key);

/** The operators' API of a gateway. */
export const operatorClient = (gateway: string) =>
  createApiClient(() => `${gateway}/admin/v1`, ADMIN_TOKEN);

const createTenant: Context['createTenant'] = async (gateway, slug, settings = {}) => {
  const operator = operatorClient(gateway);
  const tenant = await operator.expect(201, 'POST', '/tenants', { slug, name: slug, ...settings });
  const key = await operator.expect(201, 'POST', `/tenants/${slug}/api-keys`, {
    description: 'fault tests',
    scopes: [...SCOPES, 'webhooks'],
  });
  const { id } = tenant.json() as Pick<Tenant, 'id'>;
  return { slug, id, key: (key.json() as Pick<Tenant, 'key'>).key };
};

const subscribe = async (
  gateway: string,
  tenant: Tenant,
  { href: url, pathname: path }: URL,
): Promise<Registration> => {
  const client = tenantClient(() => gateway, tenant);
  const webhook = await client.expect(201, 'POST', '/webhooks', { url, events: ['*'] });
  const { secret } = webhook.json() as Pick<Registration, 'secret'>;
  return { tenant: tenant.slug, path, secret };
};

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, expect } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { createAuthority } from '../../tools/shared/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tools/shared/https-receiver.js';
import { type Gateway, type GatewayParts, startGateway } from '../../src/start/compose.js';
import { SCOPES } from '../../src/domain/scopes.js';
import { createTestDatabase } from './database.js';
import { BULK_URN, USER_URN } from './scim-urns.js';

/** Longer than any test, so that the machine's load never turns a 200 into a 202. */
const HOUR_MS = 3_600_000;

export const ADMIN_TOKEN = 'an-operators-token-for-tests';

export interface ApiResponse<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Sends requests to a gateway with one bearer token. */
export type Client = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiResponse<Body>>;

export const createClient =
  (base: string, token: string): Client =>
  // The type of the body is the test's claim.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  async <Body>(method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Body,
    };
  };

/** What most responses have in common. */
export interface Identified {
  readonly id: string;
}

/** Creates a resource, expects 201, and returns its id. */
export const createResource = async (
  client: Client,
  path: string,
  body: object,
): Promise<string> => {
  const response = await client<Identified>('POST', path, body);
  expect(response).toMatchObject({ status: 201 });
  return response.body.id;
};

/** The scopes of the core and of the built-in plugins. */
export const ALL_SCOPES: readonly string[] = [...SCOPES, 'webhooks'];

/** A tenant with an API key, and clients for its two interfaces. */
export interface TestTenant {
  readonly slug: string;
  readonly key: string;
  readonly keyId: string;
  readonly native: Client;
  readonly scim: Client;
}

const BULK_SIZE = 1_000;

/** Creates users by SCIM Bulk and returns their ids. */
export const createUsersInBulk = async (
  { scim }: TestTenant,
  prefix: string,
  count: number,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let from = 0; from < count; from += BULK_SIZE) {
    const Operations = Array.from({ length: Math.min(BULK_SIZE, count - from) }, (_, at) => ({
      method: 'POST',
      path: '/Users',
      bulkId: `${at}`,
      data: {
        schemas: [USER_URN],
        userName: `${prefix}-${from + at}@example.com`,
        displayName: `User ${from + at}`,
      },
    }));
    const { body } = await scim<{ Operations: readonly { readonly location: string }[] }>(
      'POST',
      '/Bulk',
      { schemas: [BULK_URN], Operations },
    );
    ids.push(...body.Operations.map(({ location }) => location.slice(-36)));
  }
  return ids;
};

/** A gateway for the calling file or `describe`, with its own database on the shared mongod. */
export class TestGateway {
  #gateway: Gateway | undefined;
  #slugs = 0;

  private constructor(private readonly start: () => Promise<Gateway>) {}

  /**
   * Call it in a file or `describe`. `env` returns further settings and is called at the start;
   * `overrides` replaces parts of the gateway.
   */
  static use(
    env: (uri: string) => Record<string, string> = () => ({}),
    overrides: Partial<Pick<GatewayParts, 'builtIns' | 'log' | 'jobWaitMs' | 'names' | 'now'>> = {},
  ): TestGateway {
    const { uri } = createTestDatabase();
    const gateway = new TestGateway(async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-journey-'));
      cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
      const settings = {
        ROLLGATE_PORT: '0',
        ROLLGATE_DATA_DIR: dataDir,
        ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
        ROLLGATE_MONGODB_URI: uri,
        ROLLGATE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...env(uri),
      };
      const loaded = loadConfig({ env: settings, cwd: dataDir });
      return startGateway({
        loaded,
        log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
        env: settings,
        jobWaitMs: HOUR_MS,
        ...overrides,
      });
    });
    const cleanUps: (() => Promise<void>)[] = [];
    afterAll(async () => {
      await gateway.stop();
      for (const run of cleanUps) await run();
    });
    return gateway;
  }

  async open(): Promise<Gateway> {
    this.#gateway ??= await this.start();
    return this.#gateway;
  }

  async stop(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    await gateway?.stop();
  }

  async operator(): Promise<Client> {
    const { url } = await this.open();
    return createClient(`${url}/admin/v1`, ADMIN_TOKEN);
  }

  async tenant(
    settings: Record<string, unknown> = {},
    scopes: readonly string[] = ALL_SCOPES,
  ): Promise<TestTenant> {
    const operator = await this.operator();
    const slug = `tenant-${(this.#slugs += 1)}`;
    const created = await operator('POST', '/tenants', { slug, name: slug, ...settings });
    if (created.status !== 201) throw new Error(JSON.stringify(created.body));
    const { key, keyId } = await this.createKey(slug, scopes);
    return this.tenantWithKey(slug, key, keyId);
  }

  async createKey(slug: string, scopes: readonly string[] = ALL_SCOPES) {
    const operator = await this.operator();
    const { body } = await operator<{ key: string; key_id: string }>(
      'POST',
      `/tenants/${slug}/api-keys`,
      { description: 'test', scopes },
    );
    return { key: body.key, keyId: body.key_id };
  }

  /** Clients with this key, which may be invalid. */
  async tenantWithKey(slug: string, key: string, keyId = ''): Promise<TestTenant> {
    const { url } = await this.open();
    const native = createClient(`${url}/v1/${slug}`, key);
    const scim = createClient(`${url}/v1/${slug}/scim/v2`, key);
    return { slug, key, keyId, native, scim };
  }
}

/** An HTTPS receiver on loopback; `env` returns the settings that let a gateway reach it. */
export interface TestReceiver {
  readonly receiver: () => HttpsReceiver;
  readonly env: () => Record<string, string>;
  readonly open: () => Promise<void>;
}

export const useReceiver = (names: readonly string[] = []): TestReceiver => {
  let folder = '';
  let receiver: HttpsReceiver | undefined;
  afterAll(async () => {
    await receiver?.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    open: async () => {
      const authority = await createAuthority();
      folder = await mkdtemp(join(tmpdir(), 'rollgate-receiver-'));
      await writeFile(join(folder, 'ca.pem'), authority.certificate);
      receiver = await openHttpsReceiver(
        await authority.issue(['localhost', '127.0.0.1', ...names]),
      );
    },
    receiver: () => {
      if (!receiver) throw new Error('Call open() first.');
      return receiver;
    },
    env: () => ({
      ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
      ROLLGATE_WEBHOOKS_CA: join(folder, 'ca.pem'),
      ROLLGATE_WEBHOOKS_RETRY: '1s,2s',
    }),
  };
};

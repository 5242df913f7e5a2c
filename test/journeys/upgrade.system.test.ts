import { readdirSync, readFileSync } from 'node:fs';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../tools/shared/authority.js';
import { createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tools/shared/https-receiver.js';
import { startDatabase } from '../../tools/shared/start-database.js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GatewayProcess, startGatewayProcess } from '../../tools/shared/gateway-process.js';
import { ALL_COLLECTIONS } from '../../src/store/tables/collections.js';
import { type Client, createClient } from '../support/gateway.js';
import { eventually } from '../support/eventually.js';
import { VERSION } from '../../src/process/program.js';

/** Databases that released versions have left behind: see README.md there. */
const FIXTURES = new URL('../fixtures/upgrade/', import.meta.url);
const versions = readdirSync(FIXTURES).flatMap((name) => /^(.*)\.ndjson$/.exec(name)?.[1] ?? []);

interface Facts {
  readonly written_at: string;
  readonly receiver: string;
  readonly api_key: string;
  readonly secrets: { readonly works: string; readonly fails: string };
  readonly ids: Readonly<Record<'ada' | 'grace' | 'alan' | 'leaver' | 'list', string>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** As `tools/shared/faults/context.ts` set them when the fixture was written. */
const ADMIN_TOKEN = 'an-operators-token-for-fault-tests';
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const NUMBERS = 1_010;

/** Moves every date, so that nothing in the fixture expires with the years. */
const moved = (value: unknown, byMs: number): unknown => {
  if (value instanceof Date) return new Date(value.getTime() + byMs);
  if (Array.isArray(value)) return value.map((item) => moved(item, byMs));
  if (
    value !== null &&
    typeof value === 'object' &&
    Object.getPrototypeOf(value) === Object.prototype
  )
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, moved(item, byMs)]),
    );
  return value;
};

const restore = async (
  uri: string,
  text: string,
  { written_at, receiver }: Facts,
  to: HttpsReceiver,
): Promise<void> => {
  const byMs = Date.now() - new Date(written_at).getTime();
  const client = new mongo.MongoClient(uri);
  try {
    for (const line of text.replaceAll(receiver, to.url).trim().split('\n')) {
      const { collection, document } = mongo.BSON.EJSON.parse(line, { relaxed: false }) as {
        readonly collection: string;
        readonly document: mongo.BSON.Document;
      };
      await client
        .db()
        .collection(collection)
        .insertOne(moved(document, byMs) as object);
    }
  } finally {
    await client.close();
  }
};

describe.each(versions)(`a database of %s under ${VERSION}`, (version) => {
  const cleanup = createCleanup();
  const read = (name: string): string =>
    readFileSync(new URL(`${version}.${name}`, FIXTURES), 'utf8');
  const facts = JSON.parse(read('json')) as Facts;
  let receiver: HttpsReceiver;
  let gateway: GatewayProcess;
  let native: Client;
  let scim: Client;
  let operator: Client;
  let uri: string;

  beforeAll(async () => {
    const authority = await createAuthority();
    const folder = await temporaryFolder('upgrade', cleanup);
    await writeFile(join(folder, 'ca.pem'), authority.certificate);
    receiver = await openHttpsReceiver(await authority.issue(['localhost']));
    cleanup.defer(receiver.close);
    ({ uri } = await startDatabase(cleanup));
    await restore(uri, read('ndjson'), facts, receiver);
    gateway = await startGatewayProcess({
      ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      ROLLGATE_SECRET_KEY: SECRET_KEY,
      ROLLGATE_MONGODB_URI: uri,
      ROLLGATE_DATA_DIR: folder,
      ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
      ROLLGATE_WEBHOOKS_CA: join(folder, 'ca.pem'),
    });
    cleanup.defer(gateway.stop);
    native = createClient(`${gateway.url}/v1/acme`, facts.api_key);
    scim = createClient(`${gateway.url}/v1/acme/scim/v2`, facts.api_key);
    operator = createClient(`${gateway.url}/admin/v1/tenants/acme`, ADMIN_TOKEN);
  });
  afterAll(cleanup.run);

  it('was written with something in each collection', () => {
    // A job about members, of a thousand users, would be most of the fixture; plugins of our own
    // have no jobs.
    const empty = Object.entries(facts.counts).filter(([, count]) => count === 0);
    expect(empty.map(([name]) => name).sort()).toEqual(['job_parts', 'plugin_jobs']);
  });

  it('gets the collections and indexes of this version', async () => {
    const client = new mongo.MongoClient(uri);
    cleanup.defer(() => client.close());
    for (const { name, indexes } of ALL_COLLECTIONS) {
      const found = await client.db().collection(name).indexes();
      expect(found).toHaveLength(indexes.length + 1);
    }
  });

  it('has its users, with their ids, states and roles', async () => {
    const { body } = await native<{ total: number }>('GET', '/users');
    expect(body.total).toBe(4);
    expect((await native('GET', `/users/${facts.ids.ada}`)).body).toMatchObject({
      email: 'ada@acme.example',
      external_id: 'ext-ada',
      role: 'dispatcher',
    });
    expect((await native('GET', `/users/${facts.ids.alan}`)).body).toMatchObject({ active: false });
    expect((await native('GET', `/users/${facts.ids.leaver}`)).status).toBe(404);
    const found = await scim<{ totalResults: number }>(
      'GET',
      `/Users?filter=${encodeURIComponent('externalId eq "ext-grace"')}`,
    );
    expect(found.body.totalResults).toBe(1);
  });

  it('finds its users by any word of their names', async () => {
    await eventually(async () => {
      const { body } = await operator('GET', '/search?q=hopper');
      expect(body).toMatchObject({ results: [{ kind: 'user', title: 'Rear Admiral Hopper' }] });
    });
  });

  it('has its rooms, groups and members, and explains them', async () => {
    const { body } = await native<{ rooms: readonly { id: string; name: string }[] }>(
      'GET',
      '/rooms',
    );
    const dispatch = body.rooms.find(({ name }) => name === 'Dispatch')!;
    const members = await native<{ total: number }>('GET', `/rooms/${dispatch.id}/members`);
    expect(members.body.total).toBe(2);
    const explained = await operator('GET', `/explain?user=${facts.ids.ada}&room=${dispatch.id}`);
    expect(explained).toMatchObject({ status: 200 });
  });

  it('changes users and rooms', async () => {
    const path = `/Users/${facts.ids.alan}`;
    const change = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: true }],
    };
    expect((await scim('PATCH', path, change)).status).toBe(200);
    const created = await native('POST', '/users', {
      email: 'new@acme.example',
      display_name: 'N',
    });
    expect(created.status).toBe(201);
  });

  it('has its keys, its log and its events', async () => {
    const keys = await operator<{ total: number }>('GET', '/api-keys');
    expect(keys.body.total).toBe(1);
    const log = await operator<{ commands: readonly { type: string }[] }>(
      'GET',
      '/commands?limit=500',
    );
    expect(log.body.commands.map(({ type }) => type)).toContain('user.delete');
    const events = await native<{ events: readonly { event: string }[] }>(
      'GET',
      '/events?limit=100',
    );
    expect(events.body.events.map(({ event }) => event)).toContain('user.created');
  });

  it('sends what was pending, signed with the secrets of the registrations', async () => {
    const { webhooks } = (
      await native<{ webhooks: readonly { id: string; url: string }[] }>('GET', '/webhooks')
    ).body;
    expect(webhooks.map(({ url }) => new URL(url).pathname).sort()).toEqual(['/fails', '/works']);
    await eventually(() => {
      const old = receiver.requests.filter(({ path, json }) => {
        const { event } = json as { readonly event?: string };
        return path === '/fails' && event === 'user.updated';
      });
      expect(old.length).toBeGreaterThan(0);
      for (const request of old) expect(request.hasValidSignature(facts.secrets.fails)).toBe(true);
    });
    const [fails] = webhooks.filter(({ url }) => url.endsWith('/fails'));
    await eventually(async () => {
      const { body } = await native<{
        deliveries: readonly { state: string; attempts: readonly object[] }[];
      }>('GET', `/webhooks/${fails!.id}/deliveries?limit=500`);
      const old = body.deliveries.filter(({ attempts }) => attempts.length > 1);
      expect(old.length).toBeGreaterThan(0);
      expect(old.every(({ state }) => state === 'delivered')).toBe(true);
    });
  });

  it('completes the job that was interrupted, and decrypts the numbers', async () => {
    const path = `/sms-lists/${facts.ids.list}/members`;
    await eventually(async () => {
      const { body } = await native<{ total: number }>('GET', `${path}?limit=1`);
      expect(body.total).toBe(NUMBERS);
    });
    const { body } = await native<{ members: readonly { phone_number: string }[] }>(
      'GET',
      `${path}?limit=3`,
    );
    for (const { phone_number } of body.members) expect(phone_number).toMatch(/^\+4915\d{9}$/);
  });

  it('knows the records of its connectors', async () => {
    const ferry = createClient(`${gateway.url}/admin/v1/tenants/ferry`, ADMIN_TOKEN);
    const users = await ferry<{ total: number }>('GET', '/users');
    expect(users.body.total).toBe(2);
  });
});

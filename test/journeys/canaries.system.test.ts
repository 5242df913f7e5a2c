import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { type Gateway, startGateway } from '../../src/start/compose.js';
import { createLogger } from '../../src/process/logger.js';
import { ADMIN_TOKEN_FILE, SECRET_KEY_FILE } from '../../src/secrets/local-secrets.js';
import {
  MONGOD_KEY_FILE,
  mongodAddress,
  readMongodKey,
} from '../../src/store/embedded/mongod-settings.js';
import { findServingMongod } from '../../src/store/embedded/running-process.js';
import { type Canaries, createCanaries, type Leak } from '../support/canaries.js';
import { dumpDatabase } from '../support/dump-database.js';
import { ALL_SCOPES, useReceiver } from '../support/gateway.js';
import { BULK_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';
import { eventually } from '../support/eventually.js';

// ── Sources ──────────────────────────────────────────────────────────────────────────────────────

const LOG = 'the log';
const METRICS = 'the metrics';
/** Responses with status 400 and above. */
const ERROR = 'an error response';
const RESPONSE = 'a response';
/** Operators see a tenant's users, but no numbers and no tokens. */
const MASKED = "a response to an operator's read";
/** The only response that shows a secret. */
const SHOWN = 'the response that shows the secret';
const DELIVERY = 'a delivery';
const file = (name: string): string => `file ${name}`;
const collection = (name: string): string => `collection ${name}`;

/** Where names and e-mail addresses may appear. */
const USER_DATA = [
  ...[RESPONSE, ERROR, DELIVERY, MASKED],
  // The provisioning log has names and addresses before and after a change (decisions.md 8).
  ...['users', 'departed_users', 'events', 'command_log'].map(collection),
];
/** Where other profile data may appear; events do not contain it. */
const PROFILE_DATA = [RESPONSE, ...['users', 'departed_users'].map(collection)];

// ── The gateway ──────────────────────────────────────────────────────────────────────────────────

const receiver = useReceiver();
const canaries: Canaries = createCanaries();
/** All output of the gateway. */
const outputs: { readonly source: string; readonly text: string }[] = [];
let dataDir: string;
let gateway: Gateway;
let mongod: { readonly pid: number; readonly client: mongo.MongoClient };

beforeAll(async () => {
  await receiver.open();
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-canaries-'));
  const env = { ROLLGATE_PORT: '0', ROLLGATE_DATA_DIR: dataDir, ...receiver.env() };
  const log = createLogger('trace', {
    write: (line) => void outputs.push({ source: LOG, text: line }),
  });
  gateway = await startGateway({ loaded: loadConfig({ env, cwd: dataDir }), log, env });
  mongod = await findMongod();
  await addGeneratedSecrets();
});

afterAll(async () => {
  await mongod.client.close();
  await gateway.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const findMongod = async () => {
  const { pid, port } = (await findServingMongod(join(dataDir, 'db')))!;
  const address = mongodAddress(`127.0.0.1:${port}`, await readMongodKey(dataDir));
  const uri = `${address}/rollgate?authSource=local&directConnection=true`;
  return { pid, client: await new mongoose.mongo.MongoClient(uri).connect() };
};

const addGeneratedSecrets = async (): Promise<void> => {
  const contentOf = async (name: string) => (await readFile(join(dataDir, name), 'utf8')).trim();
  canaries.add('admin token', gateway.adminToken, file(ADMIN_TOKEN_FILE));
  canaries.add('key of the database', await contentOf(MONGOD_KEY_FILE), file(MONGOD_KEY_FILE));
  const secretKey = await contentOf(SECRET_KEY_FILE);
  canaries.add('secret key', secretKey, file(SECRET_KEY_FILE));
  const bytes = Buffer.from(secretKey, 'base64').toString('hex');
  canaries.add('secret key in hexadecimal', bytes);
};

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────

interface RequestOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the response is meant to show a secret. */
  readonly showsSecret?: boolean;
  /** Whether the response shows an operator a tenant's data. */
  readonly isMasked?: boolean;
}

interface RecordedResponse {
  readonly status: number;
  readonly body: {
    readonly id: string;
    readonly key: string;
    readonly key_id: string;
    readonly secret: string;
    readonly deliveries: readonly { readonly id: string }[];
    readonly users: readonly { readonly id: string }[];
    readonly webhooks: readonly { readonly id: string }[];
  };
}

/** Sends a request and records the response. */
const send = async (
  path: string,
  { method = 'GET', body, headers = {}, showsSecret = false, isMasked = false }: RequestOptions,
): Promise<RecordedResponse> => {
  const response = await fetch(gateway.url + path, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const received = await response.text();
  const unmarked = response.status >= 400 ? ERROR : RESPONSE;
  const source = showsSecret ? SHOWN : isMasked ? MASKED : unmarked;
  outputs.push({ source, text: `${JSON.stringify([...response.headers])} ${received}` });
  return {
    status: response.status,
    body: (received === '' ? {} : JSON.parse(received)) as RecordedResponse['body'],
  };
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Sends raw bytes, for requests that are not valid HTTP. */
const sendRaw = async (bytes: string): Promise<void> => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write(bytes);
  outputs.push({ source: ERROR, text: await text(socket) });
};

interface Tenant {
  readonly base: string;
  readonly key: Readonly<Record<string, string>>;
}

const createTenant = async (slug: string): Promise<Tenant> => {
  const admin = bearer(gateway.adminToken);
  const tenants = '/admin/v1/tenants';
  await send(tenants, { method: 'POST', headers: admin, body: { slug, name: 'Canary Row' } });
  const createKey = async (description: string) => {
    const { body } = await send(`${tenants}/${slug}/api-keys`, {
      method: 'POST',
      headers: admin,
      body: { description, scopes: ALL_SCOPES },
      showsSecret: true,
    });
    // The prefix of the key is public.
    canaries.add(`API key ${description}`, body.key.slice('rg_12345678_'.length), SHOWN);
    return body;
  };
  const [{ key }, deleted] = [await createKey('in use'), await createKey('deleted')];
  const base = `/v1/${slug}`;
  await send(`${base}/me`, { headers: bearer(deleted.key) });
  const deletedKey = `${tenants}/${slug}/api-keys/${deleted.key_id}`;
  await send(deletedKey, { method: 'DELETE', headers: admin });
  expect((await send(`${base}/me`, { headers: bearer(deleted.key) })).status).toBe(401);
  return { base, key: bearer(key) };
};

const failToAuthenticate = async ({ base, key }: Tenant): Promise<void> => {
  const wrong = (name: string, shape?: (token: string) => string) =>
    canaries.create(`wrong ${name}`, shape);
  const headers = [
    bearer(wrong('bearer token')),
    bearer(wrong('API key', (token) => `rg_00000000_${token.padEnd(38, '0')}`)),
    { authorization: wrong('scheme') },
    {
      authorization: wrong(
        'password in Basic',
        (token) => `Basic ${Buffer.from(`ada:${token}`).toString('base64')}`,
      ),
    },
    { cookie: wrong('cookie', (token) => `session=${token}`) },
  ];
  for (const one of headers)
    for (const path of [`${base}/users`, `${base}/scim/v2/Users`, '/admin/v1/tenants'])
      expect((await send(path, { headers: one })).status).toBe(401);
  const inQuery = wrong('token in a query');
  expect((await send(`${base}/users?access_token=${inQuery}`, {})).status).toBe(401);
  const inPath = wrong('token in a path');
  await send(`/v1/${inPath}/users`, {});
  await send(`${base}/${inPath}`, { headers: key });
  const broken = wrong('token of a broken request');
  await sendRaw(`GET / HTTP/1.1\r\nAuthorization: Bearer ${broken}\r\nbroken\r\n\r\n`);
  await sendRaw(`GET / HTTP/1.1\r\nX: ${broken}${'x'.repeat(20_000)}\r\n\r\n`);
};

const provision = async ({ base, key }: Tenant): Promise<void> => {
  const name = canaries.create('name', undefined, ...USER_DATA);
  const userName = canaries.create('e-mail', (token) => `${token}@example.com`, ...USER_DATA);
  const value = canaries.create('number', (token) => `tel:${token}`, ...PROFILE_DATA);
  const password = canaries.create('password');
  const headers = { ...key, 'idempotency-key': canaries.create('Idempotency-Key') };
  const users = `${base}/scim/v2/Users`;
  const body = {
    schemas: [USER_URN],
    userName,
    displayName: name,
    phoneNumbers: [{ value }],
    password,
  };
  const write = (method: string, path: string, given: object) =>
    send(path, { method, body: given, headers });
  const created = await write('POST', users, body);
  expect(created.status).toBe(201);
  const user = `${users}/${created.body.id}`;
  const patch = (operation: object) =>
    write('PATCH', user, { schemas: [PATCH_URN], Operations: [operation] });

  expect((await write('POST', users, body)).status).toBe(409);
  // The command log stores the outcome of each operation, for idempotent retries.
  const another = { ...body, userName: `another-${userName}` };
  const operations = [another, body].map((data, at) => ({
    ...{ method: 'POST', path: '/Users', bulkId: `bird-${at}` },
    data,
  }));
  const bulk = { schemas: [BULK_URN], Operations: operations };
  expect((await write('POST', `${base}/scim/v2/Bulk`, bulk)).status).toBe(200);
  expect((await write('PUT', user, { ...body, title: 'Bird' })).status).toBe(200);
  expect((await patch({ op: 'replace', path: 'password', value: password })).status).toBe(200);
  await patch({ op: 'replace', value: { password, title: 'Canary' } });
  // Each is refused for a reason that involves the password; the message must not repeat it.
  await patch({ op: 'replace', path: `password[value eq "${password}"]`, value: password });
  await patch({ op: 'shred', path: 'password', value: password });
  await write('POST', users, { ...body, password: { value: password } });
  await write('POST', users, { ...body, userName: `other-${userName}`, password: [password] });
  await send(users, { method: 'POST', body: `{"password":"${password}",,}`, headers });
  await send(users, { method: 'POST', body: `{"password":"${password}\\u0000"}`, headers });
  await send(`${users}?filter=${encodeURIComponent(`password eq "${password}"`)}`, { headers });
  await send(`${users}?sortBy=password&attributes=password`, { headers });

  const nativeUser = { email: `native-${userName}`, display_name: name };
  for (const status of [201, 201])
    expect((await write('POST', `${base}/users`, nativeUser)).status).toBe(status);
  const conflict = await write('POST', `${base}/users`, { ...nativeUser, display_name: 'Other' });
  expect(conflict.status).toBe(409);
  const unknown = { ...nativeUser, password, api_key: password };
  expect((await write('POST', `${base}/users`, unknown)).status).toBe(400);
  const badKey = { ...key, 'idempotency-key': `${canaries.create('bad Idempotency-Key')} x` };
  const refused = await send(`${base}/users`, {
    method: 'POST',
    body: nativeUser,
    headers: badKey,
  });
  expect(refused.status).toBe(400);
  await send(user, { method: 'DELETE', headers });
};

/** Registers a webhook, adds its secrets as canaries and returns its id. */
const register = async (
  { base, key }: Tenant,
  path: string,
  given: { readonly secret?: string; readonly headers?: Record<string, string> } = {},
): Promise<string> => {
  const query = canaries.create(`query of ${path}`, undefined, ...[RESPONSE, SHOWN]);
  const idempotent = { ...key, 'idempotency-key': canaries.create(`Idempotency-Key of ${path}`) };
  const body = { url: `${receiver.receiver().url}${path}?token=${query}`, events: ['*'], ...given };
  const create = { method: 'POST', headers: idempotent, body, showsSecret: true };
  const created = await send(`${base}/webhooks`, create);
  expect(created.status).toBe(201);
  expect((await send(`${base}/webhooks`, create)).body).toEqual(created.body);
  if (given.secret === undefined) {
    const random = created.body.secret.slice('whsec_'.length);
    canaries.add(`secret generated for ${path}`, random, SHOWN);
    const bytes = Buffer.from(random, 'base64').toString('hex');
    canaries.add(`secret generated for ${path} in hexadecimal`, bytes);
  }
  return created.body.id;
};

const deliver = async (tenant: Tenant): Promise<void> => {
  const { base, key } = tenant;
  const secret = canaries.create('webhook secret', (random) => `given-${random}`, SHOWN);
  const header = canaries.create(
    'header of a registration',
    (random) => `Bearer ${random}`,
    DELIVERY,
  );
  const given = await register(tenant, '/given', { secret, headers: { Authorization: header } });
  const rotate = { method: 'POST', headers: key, showsSecret: true };
  const rotated = await send(`${base}/webhooks/${given}/rotate-secret`, rotate);
  expect(rotated.status).toBe(200);
  canaries.add('secret of a rotation', rotated.body.secret.slice('whsec_'.length), SHOWN);
  const id = await register(tenant, '/generated');
  const webhook = `${base}/webhooks/${id}`;
  const token = canaries.create(
    'response of a receiver',
    undefined,
    ...[RESPONSE, MASKED, collection('deliveries')],
  );
  const respond = (status: number) => ({
    kind: 'answer' as const,
    status,
    body: token,
    headers: { location: `https://${token}.example.com/`, 'x-echo': token },
  });
  receiver.receiver().queueBehaviours(respond(200), respond(500), respond(302), { kind: 'reset' });
  for (let test = 0; test < 4; test += 1)
    expect((await send(`${webhook}/test`, { method: 'POST', headers: key })).status).toBe(200);

  const bad = canaries.create('refused webhook secret', (random) => `${random}\u0007`);
  const credentials = canaries.create(
    'credentials in a URL',
    (random) => `https://ada:${random}@a.b/`,
  );
  const wrong = [
    { url: credentials },
    { url: credentials.replace('https', 'http') },
    { url: `https://10.0.0.1/${canaries.create('path of a refused URL')}` },
    { secret: bad },
    { secret: [bad] },
    { [canaries.create('unknown field', undefined, ERROR)]: bad },
  ];
  for (const part of wrong) {
    const body = { url: 'https://hooks.example.com/', events: ['*'], ...part };
    const options = { method: 'POST', headers: key, body };
    expect((await send(`${base}/webhooks`, options)).status).toBe(400);
    await send(webhook, { ...options, method: 'PATCH', body: part });
  }
  for (const path of ['/webhooks', `/webhooks/${id}`]) await send(base + path, { headers: key });

  // Deliveries that fail, one that is repeated, and one whose secret cannot be unsealed.
  receiver.receiver().queueBehaviours(respond(410), respond(500), { kind: 'gibberish' });
  receiver.receiver().setBehaviour(respond(200));
  await mongod.client
    .db()
    .collection<{ _id: string }>('plugin_records')
    .updateOne({ _id: id }, { $set: { 'data.secret': 'v1.00000000.AAAAAAAAAAAAAAAA.AAAA' } });
  await provision(tenant);
  const page = await send(`${base}/webhooks/${given}/deliveries`, { headers: key });
  const [delivery] = page.body.deliveries;
  const one = `${base}/webhooks/${given}/deliveries/${delivery!.id}`;
  expect((await send(one, { headers: key })).status).toBe(200);
  expect((await send(`${one}/redeliver`, { method: 'POST', headers: key })).status).toBe(202);
};

/**
 * Writes that fail in the database, whose errors contain the whole document, and some that time
 * out.
 */
const writeWithDatabaseFaults = async ({ base, key }: Tenant): Promise<void> => {
  const database = mongod.client.db();
  const password = canaries.create('password in a failed write');
  const idempotencyKey = canaries.create('Idempotency-Key of a failed write');
  const name = canaries.create('name in a failed write', undefined, ...USER_DATA);
  const number = canaries.create('number in a failed write');
  const headers = { ...key, 'idempotency-key': idempotencyKey };
  const native = { email: `${name}@example.com`, display_name: name };
  const phoneNumbers = [{ value: number }];
  const scim = { schemas: [USER_URN], userName: name, displayName: name, phoneNumbers, password };
  const statuses = async (): Promise<readonly number[]> => {
    const responses = [
      send(`${base}/users`, { method: 'POST', headers, body: native }),
      send(`${base}/scim/v2/Users`, { method: 'POST', headers, body: scim }),
      send(`${base}/webhooks`, {
        method: 'POST',
        headers,
        body: { url: `https://hooks.example.com/${password}`, events: ['*'], secret: password },
      }),
    ];
    return (await Promise.all(responses)).map(({ status }) => status);
  };
  const refuseAll = { validator: { $expr: false }, validationAction: 'error' };
  for (const collMod of ['users', 'plugin_records'])
    await database.command({ collMod, ...refuseAll });
  expect(await statuses()).toEqual([500, 500, 500]);
  for (const collMod of ['users', 'plugin_records'])
    await database.command({ collMod, validator: {} });

  process.kill(mongod.pid, 'SIGSTOP');
  try {
    expect(await statuses()).toEqual([503, 503, 503]);
  } finally {
    process.kill(mongod.pid, 'SIGCONT');
  }
};

const readAll = async ({ base, key }: Tenant, slug: string): Promise<void> => {
  const admin = { headers: bearer(gateway.adminToken) };
  const tenant = `/admin/v1/tenants/${slug}`;
  for (const path of ['', '/api-keys', '/commands', '/commands?limit=500&q=canary'])
    await send(tenant + path, admin);
  await send('/admin/v1/plugins', admin);
  await readAsOperator(tenant, admin);
  for (const path of ['/me', '/users', '/scim/v2/Users', '/webhooks'])
    await send(base + path, { headers: key });
};

/** Reads everything that operators can read of a tenant. */
const readAsOperator = async (
  tenant: string,
  admin: { readonly headers: Readonly<Record<string, string>> },
): Promise<void> => {
  const read = async (path: string) => {
    const response = await send(tenant + path, { ...admin, isMasked: true });
    expect([path, response.status]).toEqual([path, 200]);
    return response.body;
  };
  const { users } = await read('/users');
  const { webhooks } = await read('/webhooks');
  for (const path of ['/groups', '/sms-lists', '/events']) await read(path);
  const [user] = users;
  await read(`/users/${user!.id}`);
  await read(`/explain?user=${user!.id}&role`);
  for (const { id } of webhooks) {
    await read(`/webhooks/${id}`);
    const { deliveries } = await read(`/webhooks/${id}/deliveries`);
    for (const delivery of deliveries.slice(0, 5))
      await read(`/webhooks/${id}/deliveries/${delivery.id}`);
  }
};

// ── Search ───────────────────────────────────────────────────────────────────────────────────────

const metrics = async (): Promise<string> => (await fetch(`${gateway.url}/metrics`)).text();

/** Waits until deliveries have ended in every way. */
const settled = (): Promise<void> =>
  eventually(async () => {
    const counts = (await metrics()).matchAll(/ending="(\w+)"\} [1-9]/g);
    const endings = [...counts].map(([, ending]) => ending);
    expect(endings).toEqual(expect.arrayContaining(['delivered', 'retry', 'failed']));
  });

const collectOutputs = async (): Promise<void> => {
  outputs.push({ source: METRICS, text: await metrics() });
  for (const { headers, body } of receiver.receiver().requests)
    outputs.push({ source: DELIVERY, text: `${JSON.stringify(headers)} ${body.toString('utf8')}` });
  outputs.push(...(await dumpDatabase(mongod.client.db(), mongod.client)));
  await gateway.stop();
  const entries = await readdir(dataDir, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isFile()))
    outputs.push({ source: file(name), text: await readFile(join(dataDir, name), 'utf8') });
};

const leaks = (): readonly Leak[] =>
  outputs.flatMap(({ source, text: shown }) => canaries.findIn(source, shown));

/** The sources that contain a canary, whether or not they may. */
const sourcesOf = (name: string): ReadonlySet<string> => {
  const all = createCanaries();
  for (const canary of canaries.all()) if (canary.name === name) all.add(name, canary.value);
  const found = outputs.filter(({ source, text: shown }) => all.findIn(source, shown).length > 0);
  return new Set(found.map(({ source }) => source));
};

const logLines = (): string =>
  outputs
    .flatMap(({ source, text: line }) => (source === collection('command_log') ? [line] : []))
    .join();

describe('secrets and personal data', () => {
  it('appear only where they belong, also after refusals and failures', async () => {
    const tenant = await createTenant('aviary');
    await failToAuthenticate(tenant);
    await provision(tenant);
    await deliver(tenant);
    await settled();
    await writeWithDatabaseFaults(tenant);
    await readAll(tenant, 'aviary');
    await collectOutputs();

    expect(leaks()).toEqual([]);
    // The search works: it finds canaries in each source that may contain them.
    const found = new Set(canaries.all().flatMap(({ name }) => [...sourcesOf(name)]));
    expect(logLines()).toContain('Another user has this e-mail address.');
    expect([...found]).toEqual(
      expect.arrayContaining([
        ...[RESPONSE, ERROR, SHOWN, DELIVERY],
        ...['users', 'departed_users', 'events'].map(collection),
        ...[ADMIN_TOKEN_FILE, MONGOD_KEY_FILE, SECRET_KEY_FILE].map(file),
      ]),
    );
    const sources = new Set(outputs.map(({ source }) => source));
    for (const source of [LOG, METRICS, MASKED, file('mongod.log'), collection('command_log')])
      expect(sources).toContain(source);
  }, 90_000);
});

describe('the search for canaries', () => {
  const bird = 'Ünter "den" Vögeln, 4711';
  const search = createCanaries();
  search.add('bird', bird, 'the cage');
  const bytes = (prefix: string) => Buffer.from(`${prefix}${bird} and more`);

  it.each([
    ['unencoded', `tweet ${bird} tweet`],
    ['in JSON', JSON.stringify({ bird })],
    ['in a URL', `/?bird=${encodeURIComponent(bird)}`],
    ['in hexadecimal', bytes('').toString('hex')],
    ['in base64', bytes('').toString('base64')],
    ['in base64 at offset 1', bytes('x').toString('base64')],
    ['in base64 at offset 2', bytes('xy').toString('base64')],
  ])('finds a canary %s', (_how, shown) => {
    expect(search.findIn('the garden', shown)[0]).toMatchObject({
      canary: 'bird',
      source: 'the garden',
    });
  });

  it('ignores a canary in an allowed source', () => {
    expect(search.findIn('the cage', bird)).toEqual([]);
    expect(search.findIn('the garden', 'no bird')).toEqual([]);
  });

  it('refuses values so short that they may appear by chance', () => {
    expect(() => search.add('egg', 'abc')).toThrow(/too short/);
  });
});

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { type Gateway, startGateway } from '../../src/compose.js';
import { SCOPES } from '../../src/domain/scopes.js';
import { createLogger } from '../../src/logger.js';
import { ADMIN_TOKEN_FILE, SECRET_KEY_FILE } from '../../src/local-secrets.js';
import {
  MONGOD_KEY_FILE,
  mongodAddress,
  readMongodKey,
} from '../../src/store/embedded/mongod-key.js';
import { findServingMongod } from '../../src/store/embedded/serving-mongod.js';
import { type Canaries, createCanaries, type Sighting } from '../support/canaries.js';
import { dumpDatabase } from '../support/dump-database.js';
import { useReceiver } from '../support/gateway.js';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

// ── The places ───────────────────────────────────────────────────────────────────────────────────

const LOG = 'the log';
const METRICS = 'the metrics';
/** Answers of 400 and more. */
const REFUSAL = 'a refusal';
const ANSWER = 'an answer';
/** What operators are shown of a tenant's data: of people, but no number and no token. */
const MASKED = "an operators' answer";
/** The one answer that a secret is shown in. */
const SHOWN = 'the answer that shows it';
const DELIVERY = 'a delivery';
const file = (name: string): string => `file ${name}`;
const collection = (name: string): string => `collection ${name}`;

/** Where people's data belongs: never in the log or the metrics. */
const ABOUT_USERS = [
  ...[ANSWER, REFUSAL, DELIVERY, MASKED],
  // The provisioning log keeps names and addresses before and after (decisions.md 8).
  ...['users', 'departed_users', 'events', 'command_log'].map(collection),
];
/** What identity providers tell of people and no event repeats. */
const IN_PROFILES = [ANSWER, ...['users', 'departed_users'].map(collection)];

// ── A gateway with everything of its own ─────────────────────────────────────────────────────────

const receiver = useReceiver();
const canaries: Canaries = createCanaries();
/** What came out, by place. */
const seen: { readonly place: string; readonly text: string }[] = [];
let dataDir: string;
let gateway: Gateway;
let mongod: { readonly pid: number; readonly client: mongo.MongoClient };

beforeAll(async () => {
  await receiver.open();
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-canaries-'));
  const env = { ROLLGATE_PORT: '0', ROLLGATE_DATA_DIR: dataDir, ...receiver.env() };
  const log = createLogger('trace', {
    write: (line) => void seen.push({ place: LOG, text: line }),
  });
  gateway = await startGateway({ loaded: loadConfig({ env, cwd: dataDir }), log, env });
  mongod = await findMongod();
  await addOwnSecrets();
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

const addOwnSecrets = async (): Promise<void> => {
  const contentOf = async (name: string) => (await readFile(join(dataDir, name), 'utf8')).trim();
  canaries.add('admin token', gateway.adminToken, file(ADMIN_TOKEN_FILE));
  canaries.add('key of the database', await contentOf(MONGOD_KEY_FILE), file(MONGOD_KEY_FILE));
  const secretKey = await contentOf(SECRET_KEY_FILE);
  canaries.add('secret key', secretKey, file(SECRET_KEY_FILE));
  const bytes = Buffer.from(secretKey, 'base64').toString('hex');
  canaries.add('secret key in hexadecimal', bytes);
};

// ── What is asked of it ──────────────────────────────────────────────────────────────────────────

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer shows a secret, as it is meant to. */
  readonly shows?: boolean;
  /** The answer shows an operator what is a tenant's. */
  readonly isMasked?: boolean;
}

interface Answered {
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

/** Asks and keeps what came back for the search. */
const ask = async (
  path: string,
  { method = 'GET', body, headers = {}, shows = false, isMasked = false }: Asked,
): Promise<Answered> => {
  const response = await fetch(gateway.url + path, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answered = await response.text();
  const place = shows ? SHOWN : isMasked ? MASKED : response.status >= 400 ? REFUSAL : ANSWER;
  seen.push({ place, text: `${JSON.stringify([...response.headers])} ${answered}` });
  return {
    status: response.status,
    body: (answered === '' ? {} : JSON.parse(answered)) as Answered['body'],
  };
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Bytes as they are, for what no client would send. */
const exchange = async (bytes: string): Promise<void> => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write(bytes);
  seen.push({ place: REFUSAL, text: await text(socket) });
};

interface Tenant {
  readonly base: string;
  readonly key: Readonly<Record<string, string>>;
}

const openTenant = async (slug: string): Promise<Tenant> => {
  const admin = bearer(gateway.adminToken);
  const tenants = '/admin/v1/tenants';
  await ask(tenants, { method: 'POST', headers: admin, body: { slug, name: 'Canary Row' } });
  const makeKey = async (description: string) => {
    const { body } = await ask(`${tenants}/${slug}/api-keys`, {
      method: 'POST',
      headers: admin,
      body: { description, scopes: SCOPES },
      shows: true,
    });
    // What comes before it is made to be shown.
    canaries.add(`API key ${description}`, body.key.slice('rg_12345678_'.length), SHOWN);
    return body;
  };
  const [{ key }, deleted] = [await makeKey('in use'), await makeKey('deleted')];
  const base = `/v1/${slug}`;
  await ask(`${base}/me`, { headers: bearer(deleted.key) });
  const own = `${tenants}/${slug}/api-keys/${deleted.key_id}`;
  await ask(own, { method: 'DELETE', headers: admin });
  expect((await ask(`${base}/me`, { headers: bearer(deleted.key) })).status).toBe(401);
  return { base, key: bearer(key) };
};

const failToAuthenticate = async ({ base, key }: Tenant): Promise<void> => {
  const wrong = (name: string, shape?: (token: string) => string) =>
    canaries.make(`wrong ${name}`, shape);
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
      expect((await ask(path, { headers: one })).status).toBe(401);
  const inQuery = wrong('token in a query');
  expect((await ask(`${base}/users?access_token=${inQuery}`, {})).status).toBe(401);
  const inPath = wrong('token in a path');
  await ask(`/v1/${inPath}/users`, {});
  await ask(`${base}/${inPath}`, { headers: key });
  const broken = wrong('token of a broken request');
  await exchange(`GET / HTTP/1.1\r\nAuthorization: Bearer ${broken}\r\nbroken\r\n\r\n`);
  await exchange(`GET / HTTP/1.1\r\nX: ${broken}${'x'.repeat(20_000)}\r\n\r\n`);
};

const provision = async ({ base, key }: Tenant): Promise<void> => {
  const name = canaries.make('name', undefined, ...ABOUT_USERS);
  const userName = canaries.make('e-mail', (token) => `${token}@example.com`, ...ABOUT_USERS);
  const value = canaries.make('number', (token) => `tel:${token}`, ...IN_PROFILES);
  const password = canaries.make('password');
  const headers = { ...key, 'idempotency-key': canaries.make('Idempotency-Key') };
  const users = `${base}/scim/v2/Users`;
  const body = {
    schemas: [USER],
    userName,
    displayName: name,
    phoneNumbers: [{ value }],
    password,
  };
  const send = (method: string, path: string, given: object) =>
    ask(path, { method, body: given, headers });
  const made = await send('POST', users, body);
  expect(made.status).toBe(201);
  const user = `${users}/${made.body.id}`;
  const operation = (op: object) => send('PATCH', user, { schemas: [PATCH], Operations: [op] });

  expect((await send('POST', users, body)).status).toBe(409);
  // The log keeps what became of each operation, for whoever sends it again.
  const another = { ...body, userName: `another-${userName}` };
  const operations = [another, body].map((data, at) => ({
    ...{ method: 'POST', path: '/Users', bulkId: `bird-${at}` },
    data,
  }));
  const bulk = { schemas: [BULK], Operations: operations };
  expect((await send('POST', `${base}/scim/v2/Bulk`, bulk)).status).toBe(200);
  expect((await send('PUT', user, { ...body, title: 'Bird' })).status).toBe(200);
  expect((await operation({ op: 'replace', path: 'password', value: password })).status).toBe(200);
  await operation({ op: 'replace', value: { password, title: 'Canary' } });
  // Each is refused for something in it: the sentence must not repeat what that was.
  await operation({ op: 'replace', path: `password[value eq "${password}"]`, value: password });
  await operation({ op: 'shred', path: 'password', value: password });
  await send('POST', users, { ...body, password: { value: password } });
  await send('POST', users, { ...body, userName: `other-${userName}`, password: [password] });
  await ask(users, { method: 'POST', body: `{"password":"${password}",,}`, headers });
  await ask(users, { method: 'POST', body: `{"password":"${password}\\u0000"}`, headers });
  await ask(`${users}?filter=${encodeURIComponent(`password eq "${password}"`)}`, { headers });
  await ask(`${users}?sortBy=password&attributes=password`, { headers });

  const person = { email: `native-${userName}`, display_name: name };
  for (const status of [201, 201])
    expect((await send('POST', `${base}/users`, person)).status).toBe(status);
  const conflict = await send('POST', `${base}/users`, { ...person, display_name: 'Other' });
  expect(conflict.status).toBe(409);
  const unknown = { ...person, password, api_key: password };
  expect((await send('POST', `${base}/users`, unknown)).status).toBe(400);
  const badKey = { ...key, 'idempotency-key': `${canaries.make('bad Idempotency-Key')} x` };
  const refused = await ask(`${base}/users`, { method: 'POST', body: person, headers: badKey });
  expect(refused.status).toBe(400);
  await ask(user, { method: 'DELETE', headers });
};

/** Registers a webhook and adds its secrets; answers with its id. */
const register = async (
  { base, key }: Tenant,
  path: string,
  given: { readonly secret?: string; readonly headers?: Record<string, string> } = {},
): Promise<string> => {
  const query = canaries.make(`query of ${path}`, undefined, ...[ANSWER, SHOWN]);
  const idempotent = { ...key, 'idempotency-key': canaries.make(`Idempotency-Key of ${path}`) };
  const body = { url: `${receiver.receiver().url}${path}?token=${query}`, events: ['*'], ...given };
  const create = { method: 'POST', headers: idempotent, body, shows: true };
  const made = await ask(`${base}/webhooks`, create);
  expect(made.status).toBe(201);
  expect((await ask(`${base}/webhooks`, create)).body).toEqual(made.body);
  if (given.secret === undefined) {
    const random = made.body.secret.slice('whsec_'.length);
    canaries.add(`secret made for ${path}`, random, SHOWN);
    const bytes = Buffer.from(random, 'base64').toString('hex');
    canaries.add(`secret made for ${path} in hexadecimal`, bytes);
  }
  return made.body.id;
};

const deliver = async (tenant: Tenant): Promise<void> => {
  const { base, key } = tenant;
  const secret = canaries.make('webhook secret', (token) => `given-${token}`, SHOWN);
  const header = canaries.make('header of a registration', (token) => `Bearer ${token}`, DELIVERY);
  const given = await register(tenant, '/given', { secret, headers: { Authorization: header } });
  const rotate = { method: 'POST', headers: key, shows: true };
  const rotated = await ask(`${base}/webhooks/${given}/rotate-secret`, rotate);
  expect(rotated.status).toBe(200);
  canaries.add('secret of a rotation', rotated.body.secret.slice('whsec_'.length), SHOWN);
  const id = await register(tenant, '/made');
  const webhook = `${base}/webhooks/${id}`;
  const answered = canaries.make(
    'answer of a receiver',
    undefined,
    ...[ANSWER, MASKED, collection('outbox_attempts')],
  );
  const answer = (status: number) => ({
    kind: 'answer' as const,
    status,
    body: answered,
    headers: { location: `https://${answered}.example.com/`, 'x-echo': answered },
  });
  receiver.receiver().behaveOnce(answer(200), answer(500), answer(302), { kind: 'reset' });
  for (let test = 0; test < 4; test += 1)
    expect((await ask(`${webhook}/test`, { method: 'POST', headers: key })).status).toBe(200);

  const bad = canaries.make('refused webhook secret', (token) => `${token}\u0007`);
  const credentials = canaries.make('credentials in a URL', (token) => `https://ada:${token}@a.b/`);
  const wrong = [
    { url: credentials },
    { url: credentials.replace('https', 'http') },
    { url: `https://10.0.0.1/${canaries.make('path of a refused URL')}` },
    { secret: bad },
    { secret: [bad] },
    { [canaries.make('unknown field', undefined, REFUSAL)]: bad },
  ];
  for (const part of wrong) {
    const body = { url: 'https://hooks.example.com/', events: ['*'], ...part };
    const asked = { method: 'POST', headers: key, body };
    expect((await ask(`${base}/webhooks`, asked)).status).toBe(400);
    await ask(webhook, { ...asked, method: 'PATCH', body: part });
  }
  for (const path of ['/webhooks', `/webhooks/${id}`]) await ask(base + path, { headers: key });

  // Deliveries that fail, one that comes again, and one whose secret cannot be read.
  receiver.receiver().behaveOnce(answer(410), answer(500), { kind: 'gibberish' });
  receiver.receiver().behave(answer(200));
  await mongod.client
    .db()
    .collection<{ _id: string }>('plugin_records')
    .updateOne({ _id: id }, { $set: { 'data.secret': 'v1.00000000.AAAAAAAAAAAAAAAA.AAAA' } });
  await provision(tenant);
  const page = await ask(`${base}/webhooks/${given}/deliveries`, { headers: key });
  const [delivery] = page.body.deliveries;
  const one = `${base}/webhooks/${given}/deliveries/${delivery!.id}`;
  expect((await ask(one, { headers: key })).status).toBe(200);
  expect((await ask(`${one}/redeliver`, { method: 'POST', headers: key })).status).toBe(202);
};

/** Writes that the database refuses, whose errors hold the whole document, and one that it never answers. */
const meetFaults = async ({ base, key }: Tenant): Promise<void> => {
  const database = mongod.client.db();
  const password = canaries.make('password in a failed write');
  const idempotencyKey = canaries.make('Idempotency-Key of a failed write');
  const name = canaries.make('name in a failed write', undefined, ...ABOUT_USERS);
  const number = canaries.make('number in a failed write');
  const headers = { ...key, 'idempotency-key': idempotencyKey };
  const native = { email: `${name}@example.com`, display_name: name };
  const phoneNumbers = [{ value: number }];
  const scim = { schemas: [USER], userName: name, displayName: name, phoneNumbers, password };
  const statuses = async (): Promise<readonly number[]> => {
    const answers = [
      ask(`${base}/users`, { method: 'POST', headers, body: native }),
      ask(`${base}/scim/v2/Users`, { method: 'POST', headers, body: scim }),
      ask(`${base}/webhooks`, {
        method: 'POST',
        headers,
        body: { url: `https://hooks.example.com/${password}`, events: ['*'], secret: password },
      }),
    ];
    return (await Promise.all(answers)).map(({ status }) => status);
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
    await ask(tenant + path, admin);
  await ask('/admin/v1/plugins', admin);
  await readAsOperator(tenant, admin);
  for (const path of ['/me', '/users', '/scim/v2/Users', '/webhooks'])
    await ask(base + path, { headers: key });
};

/** Everything that operators read of a tenant. */
const readAsOperator = async (
  tenant: string,
  admin: { readonly headers: Readonly<Record<string, string>> },
): Promise<void> => {
  const read = async (path: string) => {
    const answer = await ask(tenant + path, { ...admin, isMasked: true });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body;
  };
  const { users } = await read('/users');
  const { webhooks } = await read('/webhooks');
  for (const path of ['/groups', '/sms-lists', '/events']) await read(path);
  const [person] = users;
  await read(`/users/${person!.id}`);
  await read(`/explain?user=${person!.id}&role`);
  for (const { id } of webhooks) {
    await read(`/webhooks/${id}`);
    const { deliveries } = await read(`/webhooks/${id}/deliveries`);
    for (const delivery of deliveries.slice(0, 5))
      await read(`/webhooks/${id}/deliveries/${delivery.id}`);
  }
};

// ── Where they are looked for ────────────────────────────────────────────────────────────────────

const metrics = async (): Promise<string> => (await fetch(`${gateway.url}/metrics`)).text();

/** Waits until deliveries have come to every sort of end. */
const settled = (): Promise<void> =>
  vi.waitFor(async () => {
    const counts = (await metrics()).matchAll(/ending="(\w+)"\} [1-9]/g);
    const endings = [...counts].map(([, ending]) => ending);
    expect(endings).toEqual(expect.arrayContaining(['delivered', 'retry', 'failed']));
  }, 20_000);

const collectPlaces = async (): Promise<void> => {
  seen.push({ place: METRICS, text: await metrics() });
  for (const { headers, body } of receiver.receiver().requests)
    seen.push({ place: DELIVERY, text: `${JSON.stringify(headers)} ${body.toString('utf8')}` });
  seen.push(...(await dumpDatabase(mongod.client.db(), mongod.client)));
  await gateway.stop();
  const entries = await readdir(dataDir, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isFile()))
    seen.push({ place: file(name), text: await readFile(join(dataDir, name), 'utf8') });
};

const sightings = (): readonly Sighting[] =>
  seen.flatMap(({ place, text: shown }) => canaries.findIn(place, shown));

/** Places where a canary is, whether it may be there or not. */
const placesOf = (name: string): ReadonlySet<string> => {
  const all = createCanaries();
  for (const canary of canaries.all()) if (canary.name === name) all.add(name, canary.value);
  const found = seen.filter(({ place, text: shown }) => all.findIn(place, shown).length > 0);
  return new Set(found.map(({ place }) => place));
};

const logLines = (): string =>
  seen
    .flatMap(({ place, text: line }) => (place === collection('command_log') ? [line] : []))
    .join();

describe('secrets, and what is told of people', () => {
  it('are nowhere but where they belong, whatever was done and whatever failed', async () => {
    const tenant = await openTenant('aviary');
    await failToAuthenticate(tenant);
    await provision(tenant);
    await deliver(tenant);
    await settled();
    await meetFaults(tenant);
    await readAll(tenant, 'aviary');
    await collectPlaces();

    expect(sightings()).toEqual([]);
    // What may be seen was seen: the search looks into every one of these places.
    const everywhere = new Set(canaries.all().flatMap(({ name }) => [...placesOf(name)]));
    expect(logLines()).toContain('Another user has this e-mail address.');
    expect([...everywhere]).toEqual(
      expect.arrayContaining([
        ...[ANSWER, REFUSAL, SHOWN, DELIVERY],
        ...['users', 'departed_users', 'events'].map(collection),
        ...[ADMIN_TOKEN_FILE, MONGOD_KEY_FILE, SECRET_KEY_FILE].map(file),
      ]),
    );
    const places = new Set(seen.map(({ place }) => place));
    for (const place of [LOG, METRICS, MASKED, file('mongod.log'), collection('command_log')])
      expect(places).toContain(place);
  }, 90_000);
});

describe('the search for canaries', () => {
  const bird = 'Ünter "den" Vögeln, 4711';
  const search = createCanaries();
  search.add('bird', bird, 'the cage');
  const bytes = (prefix: string) => Buffer.from(`${prefix}${bird} and more`);

  it.each([
    ['as it is', `tweet ${bird} tweet`],
    ['in JSON', JSON.stringify({ bird })],
    ['in a URL', `/?bird=${encodeURIComponent(bird)}`],
    ['in hexadecimal', bytes('').toString('hex')],
    ['in base64', bytes('').toString('base64')],
    ['in base64, one byte later', bytes('x').toString('base64')],
    ['in base64, two bytes later', bytes('xy').toString('base64')],
  ])('finds one %s', (_how, shown) => {
    expect(search.findIn('the garden', shown)[0]).toMatchObject({
      canary: 'bird',
      place: 'the garden',
    });
  });

  it('lets it be where it may be', () => {
    expect(search.findIn('the cage', bird)).toEqual([]);
    expect(search.findIn('the garden', 'no bird')).toEqual([]);
  });

  it('takes nothing that may stand somewhere by chance', () => {
    expect(() => search.add('egg', 'abc')).toThrow(/too short/);
  });
});

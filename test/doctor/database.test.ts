import { randomBytes, randomUUID } from 'node:crypto';
import { mongo } from 'mongoose';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkClock } from '../../src/doctor/checks/clock.js';
import { checkDatabase } from '../../src/doctor/checks/database.js';
import { checkDatabaseVersion } from '../../src/doctor/checks/database-version.js';
import { checkDeliveries } from '../../src/doctor/checks/deliveries.js';
import { checkGateways } from '../../src/doctor/checks/gateways.js';
import { checkIndexes } from '../../src/doctor/checks/indexes.js';
import { checkMajority } from '../../src/doctor/checks/majority.js';
import { checkSecretKey } from '../../src/doctor/checks/secret-key.js';
import { checkTopology } from '../../src/doctor/checks/topology.js';
import { checkTransactions } from '../../src/doctor/checks/transactions.js';
import type { Check } from '../../src/doctor/verdict.js';
import { createSecretBox } from '../../src/plugin/secret-box.js';
import { checkSecretKey as sealProbe } from '../../src/store/check-secret-key.js';
import { connect } from '../../src/store/connect.js';
import {
  DECLARED_INDEXES,
  nameOfIndex,
  readIndex,
} from '../../src/store/inspect/declared-indexes.js';
import { openStore } from '../../src/store/open-store.js';
import { createTestDatabase } from '../support/database.js';
import { examine, type Surroundings } from '../support/doctor.js';

const { uri } = createTestDatabase({ isEmpty: true });
let client: mongo.MongoClient;
let database: mongo.Db;

beforeAll(() => {
  client = new mongo.MongoClient(uri);
  database = client.db();
});
afterAll(() => client.close());

const ask = (check: Check, more: Surroundings = {}) =>
  examine(check, { ...more, env: { ROLLGATE_MONGODB_URI: uri, ...more.env } });

/** What a gateway's start makes. */
const startAndStop = async (): Promise<void> => {
  const store = await openStore(await connect(uri), {
    own: randomUUID(),
    secrets: { seal: (plain) => plain, unseal: (sealed) => sealed },
    plugins: [],
    keepEventsMs: 86_400_000,
    keepLogMs: 86_400_000,
    rateLimit: 600,
    log: pino({ level: 'silent' }),
  });
  await store.close();
  await database.collection('settings').deleteMany({});
};

describe('a database that is well', () => {
  it('answers', async () => {
    const { host } = new URL(uri);
    expect(await ask(checkDatabase)).toMatchObject({
      status: 'OK',
      message: expect.stringMatching(
        new RegExp(`^MongoDB at ${host} answers in [\\d.]+ m?s\\.$`),
      ) as string,
    });
  });

  it('is told with its version', async () => {
    const { version } = (await client.db('admin').command({ buildInfo: 1 })) as {
      readonly version: string;
    };
    expect(await ask(checkDatabaseVersion)).toMatchObject({ status: 'OK', details: { version } });
  });

  it('is a replica set that takes writes', async () => {
    expect(await ask(checkTopology)).toMatchObject({
      status: 'OK',
      details: { kind: 'replica set', is_writable: true, members: [new URL(uri).host] },
    });
  });

  it('is confirmed by a majority', async () => {
    expect(await ask(checkMajority)).toMatchObject({
      status: 'OK',
      message: expect.stringMatching(/^A majority confirmed in /) as string,
    });
  });

  it('ends open transactions soon', async () => {
    expect(await ask(checkTransactions)).toMatchObject({
      status: 'OK',
      details: { transaction_lifetime_limit_seconds: 15 },
    });
  });
});

describe('a majority that takes its time', () => {
  it.each([
    [500, 'OK'],
    [501, 'WARN'],
  ])('of %d ms is %s', async (ms, status) => {
    let elapsed = 0;
    const clocks = { now: Date.now, elapsed: () => (elapsed += ms) };
    expect(await ask(checkMajority, { clocks })).toMatchObject({
      status,
      details: { confirmed_in_ms: ms },
    });
  });
});

describe('a database over a long line', () => {
  it('is a warning', async () => {
    let elapsed = 0;
    const clocks = { now: Date.now, elapsed: () => (elapsed += 40) };
    expect(await ask(checkDatabase, { clocks })).toMatchObject({
      status: 'WARN',
      details: { round_trip_ms: 40 },
    });
  });
});

describe('a user who may not ask how long transactions live', () => {
  const name = `reader-${randomUUID()}`;
  beforeAll(() => database.command({ createUser: name, pwd: 'hunter2', roles: ['readWrite'] }));
  afterAll(() => database.command({ dropUser: name }));

  it('is a warning with what to set', async () => {
    const own = new URL(uri);
    own.username = name;
    own.password = 'hunter2';
    own.searchParams.set('authSource', database.databaseName);
    const env = { ROLLGATE_MONGODB_URI: own.href };
    const { status, message, remedy } = await ask(checkTransactions, { env });
    expect(status).toBe('WARN');
    expect(message).toContain('this user may not ask');
    expect(remedy).toContain('clusterMonitor');
    expect(remedy).toContain('transactionLifetimeLimitSeconds: 15');
    expect(await ask(checkMajority, { env })).toMatchObject({ status: 'OK' });
  });
});

describe('the indexes', () => {
  afterEach(() => database.dropDatabase());

  it('are no matter before the first start', async () => {
    expect(await ask(checkIndexes)).toMatchObject({ status: 'SKIP' });
  });

  it('are all there after a start, and no others', async () => {
    await startAndStop();
    expect(await ask(checkIndexes)).toMatchObject({
      status: 'OK',
      details: { declared: DECLARED_INDEXES.length },
    });
    const collections = await database.listCollections({}, { nameOnly: true }).toArray();
    const made = await Promise.all(
      collections.map(async ({ name }) => {
        const found = await database.collection(name).listIndexes().toArray();
        return (found as readonly { name: string; key: unknown }[])
          .filter((index) => index.name !== '_id_')
          .map(({ key }) => nameOfIndex(readIndex(name, { key })));
      }),
    );
    expect(made.flat().sort()).toEqual(DECLARED_INDEXES.map(nameOfIndex).sort());
  });

  it('fail where a unique one is missing', async () => {
    await startAndStop();
    await database.collection('users').dropIndex({ tenant: 1, 'folded.email': 1 } as never);
    expect(await ask(checkIndexes)).toMatchObject({
      status: 'FAIL',
      message: 'Missing: users (tenant, folded.email).',
      remedy: expect.stringContaining('Restart a gateway') as string,
    });
  });

  it('are a warning where another one is missing, or a whole collection with them', async () => {
    await startAndStop();
    await database.collection('command_log').dropIndex({ tenant: 1, at: -1, _id: -1 } as never);
    await database.collection('rate_windows').drop();
    expect(await ask(checkIndexes)).toMatchObject({
      status: 'WARN',
      details: { missing: ['command_log (tenant, -at, -_id)', 'rate_windows (expireAt)'] },
    });
  });

  it('fail where one is not as declared', async () => {
    await startAndStop();
    const keys = database.collection('api_keys');
    await keys.dropIndex({ hash: 1 } as never);
    await keys.createIndexes([{ key: { hash: 1 } }]);
    expect(await ask(checkIndexes)).toMatchObject({
      status: 'FAIL',
      message: 'Not as declared: api_keys (hash).',
    });
  });
});

describe('the clocks', () => {
  const apart = (milliseconds: number) => ({
    clocks: { now: () => Date.now() + milliseconds, elapsed: () => performance.now() },
  });

  it.each([0, 1_500, -1_500])('may be %d ms apart', async (milliseconds) => {
    expect(await ask(checkClock, apart(milliseconds))).toMatchObject({ status: 'OK' });
  });

  it.each([
    [-5_000, 'ahead of'],
    [5_000, 'behind'],
  ])('are a warning where ours is %d ms off', async (milliseconds, word) => {
    expect(await ask(checkClock, apart(milliseconds))).toMatchObject({
      status: 'WARN',
      message: `The database's clock is 5 s ${word} this machine's.`,
    });
  });
});

describe('the gateways', () => {
  const instances = () => database.collection<{ _id: string }>('instances');
  /** One that said this long ago, by the database's clock, that it lives. */
  const putInstance = (_id: string, silentMs: number) =>
    instances().updateOne(
      { _id },
      [
        {
          $set: {
            startedAt: '$$NOW',
            heartbeatAt: { $subtract: ['$$NOW', silentMs] },
            sessions: [],
          },
        },
      ],
      { upsert: true },
    );
  beforeEach(() => instances().deleteMany({}));

  it('may be none', async () => {
    expect(await ask(checkGateways)).toMatchObject({ status: 'OK', message: 'None runs.' });
  });

  it('are counted where they live', async () => {
    await putInstance('one', 0);
    await putInstance('other', 500);
    expect(await ask(checkGateways)).toMatchObject({
      status: 'OK',
      message: '2 gateways are alive.',
    });
  });

  it('have a moment to bury one that fell silent', async () => {
    await putInstance('alive', 0);
    await putInstance('silent', 6_000);
    expect(await ask(checkGateways)).toMatchObject({ status: 'OK' });
  });

  it('are a warning where one is silent and nobody buries it', async () => {
    await putInstance('alive', 0);
    await putInstance('silent', 60_000);
    expect(await ask(checkGateways)).toMatchObject({
      status: 'WARN',
      message: expect.stringMatching(/^1 gateway is silent for 60 s, 1 alive\.$/) as string,
      details: { silent: [{ instance: 'silent' }] },
    });
  });

  it('are a warning where the only one crashed', async () => {
    await putInstance('silent', 6_000);
    expect(await ask(checkGateways)).toMatchObject({
      status: 'WARN',
      remedy: 'Start a gateway: it takes over what the silent one held.',
    });
  });
});

describe('what is owed', () => {
  const outbox = () => database.collection<{ _id: string }>('outbox');
  const owe = (_id: string, overdueMs: number, st = 'p') =>
    outbox().updateOne({ _id }, [{ $set: { st, due: { $subtract: ['$$NOW', overdueMs] } } }], {
      upsert: true,
    });
  beforeEach(() => outbox().deleteMany({}));

  it('is nothing', async () => {
    await owe('delivered', 3_600_000, 'd');
    expect(await ask(checkDeliveries)).toMatchObject({
      status: 'OK',
      message: 'No delivery is owed.',
    });
  });

  it('may wait for its time', async () => {
    await owe('due', 30_000);
    await owe('later', -60_000);
    expect(await ask(checkDeliveries)).toMatchObject({ status: 'OK', details: { owed: 2 } });
  });

  it('is a warning where it should long have been sent', async () => {
    await owe('stuck', 3_000_000);
    await owe('due', 0);
    expect(await ask(checkDeliveries)).toMatchObject({
      status: 'WARN',
      message: '2 deliveries are owed, the oldest overdue for 50 minutes.',
    });
  });
});

describe('the secret key', () => {
  const key = randomBytes(32);
  const env = (own: Buffer) => ({ env: { ROLLGATE_SECRET_KEY: own.toString('base64') } });
  beforeEach(() => database.collection('settings').deleteMany({}));
  const seal = () => sealProbe(database, createSecretBox(key));

  it('may be any one before the first start', async () => {
    expect(await ask(checkSecretKey, env(key))).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('nothing is sealed yet') as string,
    });
    expect(await database.collection('settings').countDocuments()).toBe(0);
  });

  it('is the one that opens the secrets', async () => {
    await seal();
    expect(await ask(checkSecretKey, env(key))).toMatchObject({
      status: 'OK',
      message: expect.stringContaining("opens the database's secrets") as string,
    });
  });

  it('fails where it is another gateway’s', async () => {
    await seal();
    expect(await ask(checkSecretKey, env(randomBytes(32)))).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('another key') as string,
    });
  });

  it('fails where it is not here at all', async () => {
    await seal();
    expect(await ask(checkSecretKey)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('a key that is not here') as string,
    });
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { mongo } from 'mongoose';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  checkClock,
  checkDatabase,
  checkDatabaseVersion,
  checkIndexes,
  checkMajority,
  checkTopology,
  checkTransactions,
} from '../../src/doctor/checks/database.js';
import { checkDeliveries, checkGateways } from '../../src/doctor/checks/gateways.js';
import { checkSecretKey } from '../../src/doctor/checks/secrets.js';
import type { Check } from '../../src/doctor/check.js';
import { createSecretBox } from '../../src/plugin/host/secret-box.js';
import { checkSecretKey as sealProbe } from '../../src/store/shared-secrets.js';
import { connect } from '../../src/store/connect.js';
import { openStore } from '../../src/store/open-store.js';
import { ALL_COLLECTIONS } from '../../src/store/tables/collections.js';
import { createTestDatabase } from '../support/database.js';
import { runCheck, type CheckEnvironment } from '../support/doctor.js';

const { uri } = createTestDatabase({ isEmpty: true });
let client: mongo.MongoClient;
let database: mongo.Db;

beforeAll(() => {
  client = new mongo.MongoClient(uri);
  database = client.db();
});
afterAll(() => client.close());

const run = (check: Check, more: CheckEnvironment = {}) =>
  runCheck(check, { ...more, env: { ROLLGATE_MONGODB_URI: uri, ...more.env } });

/** Creates what a gateway creates at its start. */
const startAndStop = async (): Promise<void> => {
  const store = await openStore(await connect(uri), {
    instanceId: randomUUID(),
    secrets: { seal: (plain) => plain, unseal: (sealed) => sealed },
    keepEventsMs: 86_400_000,
    keepLogMs: 86_400_000,
    rateLimits: { perMinute: 600, operatorsPerMinute: 3_000 },
    log: pino({ level: 'silent' }),
  });
  await store.close();
  await database.collection('settings').deleteMany({});
};

describe('a healthy database', () => {
  it('passes the check "database"', async () => {
    const { host } = new URL(uri);
    expect(await run(checkDatabase)).toMatchObject({
      status: 'OK',
      message: expect.stringMatching(
        new RegExp(`^MongoDB at ${host} responds in [\\d.]+ m?s\\.$`),
      ) as string,
    });
  });

  it('passes the check "database-version" with its version', async () => {
    const { version } = (await client.db('admin').command({ buildInfo: 1 })) as {
      readonly version: string;
    };
    expect(await run(checkDatabaseVersion)).toMatchObject({ status: 'OK', details: { version } });
  });

  it('passes the check "topology"', async () => {
    expect(await run(checkTopology)).toMatchObject({
      status: 'OK',
      details: { kind: 'replica set', is_writable: true, members: [new URL(uri).host] },
    });
  });

  it('passes the check "majority"', async () => {
    expect(await run(checkMajority)).toMatchObject({
      status: 'OK',
      message: expect.stringMatching(/^A majority confirmed a write in /) as string,
    });
  });

  it('passes the check "transactions"', async () => {
    expect(await run(checkTransactions)).toMatchObject({
      status: 'OK',
      details: { transaction_lifetime_limit_seconds: 15 },
    });
  });
});

describe('the check "majority"', () => {
  it.each([
    [500, 'OK'],
    [501, 'WARN'],
  ])('with %d ms is %s', async (ms, status) => {
    let elapsed = 0;
    const clocks = { now: Date.now, elapsed: () => (elapsed += ms) };
    expect(await run(checkMajority, { clocks })).toMatchObject({
      status,
      details: { confirmed_in_ms: ms },
    });
  });
});

describe('the check "database"', () => {
  it('warns if a round trip takes long', async () => {
    let elapsed = 0;
    const clocks = { now: Date.now, elapsed: () => (elapsed += 40) };
    expect(await run(checkDatabase, { clocks })).toMatchObject({
      status: 'WARN',
      details: { round_trip_ms: 40 },
    });
  });
});

describe('the check "transactions"', () => {
  const name = `reader-${randomUUID()}`;
  beforeAll(() => database.command({ createUser: name, pwd: 'hunter2', roles: ['readWrite'] }));
  afterAll(() => database.command({ dropUser: name }));

  it('warns with a remedy if the database user cannot read the limit', async () => {
    const own = new URL(uri);
    own.username = name;
    own.password = 'hunter2';
    own.searchParams.set('authSource', database.databaseName);
    const env = { ROLLGATE_MONGODB_URI: own.href };
    const { status, message, remedy } = await run(checkTransactions, { env });
    expect(status).toBe('WARN');
    expect(message).toContain('the database user lacks the permission');
    expect(remedy).toContain('clusterMonitor');
    expect(remedy).toContain('transactionLifetimeLimitSeconds: 15');
    expect(await run(checkMajority, { env })).toMatchObject({ status: 'OK' });
  });
});

describe('the check "indexes"', () => {
  afterEach(() => database.dropDatabase());

  it('is skipped before the first start', async () => {
    expect(await run(checkIndexes)).toMatchObject({ status: 'SKIP' });
  });

  it('passes after a start, which creates exactly the declared indexes', async () => {
    await startAndStop();
    const nameOf = (collection: string, key: unknown) => `${collection} ${JSON.stringify(key)}`;
    const declared = ALL_COLLECTIONS.flatMap(({ name, indexes }) =>
      indexes.map(({ key }) => nameOf(name, key)),
    );
    expect(await run(checkIndexes)).toMatchObject({
      status: 'OK',
      details: { declared: declared.length },
    });
    const collections = await database.listCollections({}, { nameOnly: true }).toArray();
    const made = await Promise.all(
      collections.map(async ({ name }) => {
        const found = await database.collection(name).listIndexes().toArray();
        return (found as readonly { name: string; key: unknown }[])
          .filter((index) => index.name !== '_id_')
          .map(({ key }) => nameOf(name, key));
      }),
    );
    expect(made.flat().sort()).toEqual(declared.sort());
  });

  it('fails if a unique index is missing', async () => {
    await startAndStop();
    await database.collection('users').dropIndex({ tenant: 1, 'folded.email': 1 } as never);
    expect(await run(checkIndexes)).toMatchObject({
      status: 'FAIL',
      message: 'Missing: users (tenant, folded.email).',
      remedy: expect.stringContaining('Restart a gateway') as string,
    });
  });

  it('warns if another index or a whole collection is missing', async () => {
    await startAndStop();
    await database.collection('command_log').dropIndex({ tenant: 1, at: -1, _id: -1 } as never);
    await database.collection('rate_windows').drop();
    expect(await run(checkIndexes)).toMatchObject({
      status: 'WARN',
      details: { missing: ['command_log (tenant, -at, -_id)', 'rate_windows (expireAt)'] },
    });
  });

  it('fails if an index differs from its definition', async () => {
    await startAndStop();
    const keys = database.collection('api_keys');
    await keys.dropIndex({ hash: 1 } as never);
    await keys.createIndexes([{ key: { hash: 1 } }]);
    expect(await run(checkIndexes)).toMatchObject({
      status: 'FAIL',
      message: 'Different from their definition: api_keys (hash).',
    });
  });
});

describe('the check "clock"', () => {
  const apart = (milliseconds: number) => ({
    clocks: { now: () => Date.now() + milliseconds, elapsed: () => performance.now() },
  });

  it.each([0, 1_500, -1_500])('passes with a difference of %d ms', async (milliseconds) => {
    expect(await run(checkClock, apart(milliseconds))).toMatchObject({ status: 'OK' });
  });

  it.each([
    [-5_000, 'ahead of'],
    [5_000, 'behind'],
  ])('warns with a difference of %d ms', async (milliseconds, word) => {
    expect(await run(checkClock, apart(milliseconds))).toMatchObject({
      status: 'WARN',
      message: `The database's clock is 5 s ${word} this machine's.`,
    });
  });
});

describe('the check "gateways"', () => {
  const instances = () => database.collection<{ _id: string }>('instances');
  /** An instance whose last heartbeat was this long ago, by the database's clock. */
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

  it('passes without gateways', async () => {
    expect(await run(checkGateways)).toMatchObject({ status: 'OK', message: 'None running.' });
  });

  it('counts running gateways', async () => {
    await putInstance('one', 0);
    await putInstance('other', 500);
    expect(await run(checkGateways)).toMatchObject({
      status: 'OK',
      message: '2 gateways running.',
    });
  });

  it('passes if a gateway died a moment ago', async () => {
    await putInstance('alive', 0);
    await putInstance('silent', 6_000);
    expect(await run(checkGateways)).toMatchObject({ status: 'OK' });
  });

  it('warns if a dead gateway is not removed', async () => {
    await putInstance('alive', 0);
    await putInstance('silent', 60_000);
    expect(await run(checkGateways)).toMatchObject({
      status: 'WARN',
      message: expect.stringMatching(
        /^1 gateway without a heartbeat for 60 s, 1 running\.$/,
      ) as string,
      details: { silent: [{ instance: 'silent' }] },
    });
  });

  it('warns if the only gateway crashed', async () => {
    await putInstance('silent', 6_000);
    expect(await run(checkGateways)).toMatchObject({
      status: 'WARN',
      remedy: 'Start a gateway; it takes over the work of the dead one.',
    });
  });
});

describe('the check "deliveries"', () => {
  const deliveries = () => database.collection<{ _id: string }>('deliveries');
  const putRow = (_id: string, overdueMs: number, st = 'p') =>
    deliveries().updateOne({ _id }, [{ $set: { st, due: { $subtract: ['$$NOW', overdueMs] } } }], {
      upsert: true,
    });
  beforeEach(() => deliveries().deleteMany({}));

  it('passes without pending deliveries', async () => {
    await putRow('delivered', 3_600_000, 'd');
    expect(await run(checkDeliveries)).toMatchObject({
      status: 'OK',
      message: 'No pending deliveries.',
    });
  });

  it('passes with deliveries that are not overdue', async () => {
    await putRow('due', 30_000);
    await putRow('later', -60_000);
    expect(await run(checkDeliveries)).toMatchObject({ status: 'OK', details: { pending: 2 } });
  });

  it('warns about overdue deliveries', async () => {
    await putRow('stuck', 3_000_000);
    await putRow('due', 0);
    expect(await run(checkDeliveries)).toMatchObject({
      status: 'WARN',
      message: '2 pending deliveries, the oldest overdue for 50 minutes.',
    });
  });
});

describe('the check "secret-key"', () => {
  const key = randomBytes(32);
  const env = (own: Buffer) => ({ env: { ROLLGATE_SECRET_KEY: own.toString('base64') } });
  beforeEach(() => database.collection('settings').deleteMany({}));
  const seal = () => sealProbe(database, createSecretBox(key));

  it('passes with any key before the first start', async () => {
    expect(await run(checkSecretKey, env(key))).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('nothing is encrypted yet') as string,
    });
    expect(await database.collection('settings').countDocuments()).toBe(0);
  });

  it('passes with the key of the database', async () => {
    await seal();
    expect(await run(checkSecretKey, env(key))).toMatchObject({
      status: 'OK',
      message: expect.stringContaining("decrypts the database's secrets") as string,
    });
  });

  it('fails with another key', async () => {
    await seal();
    expect(await run(checkSecretKey, env(randomBytes(32)))).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('another key') as string,
    });
  });

  it('fails if the key is missing', async () => {
    await seal();
    expect(await run(checkSecretKey)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('a key that is missing here') as string,
    });
  });
});

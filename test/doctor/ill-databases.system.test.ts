import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  checkDatabase,
  checkIndexes,
  checkMajority,
  checkTopology,
  checkTransactions,
} from '../../src/doctor/checks/database.js';
import type { Check } from '../../src/doctor/check.js';
import { freePort } from '../../src/store/embedded/start-embedded-mongo.js';
import { runCheck } from '../support/doctor.js';
import { type RawMongod, startRawMongod } from '../support/raw-mongod.js';

const servers: RawMongod[] = [];
afterAll(() => Promise.all(servers.map(({ kill }) => kill())));

const start = async (...words: readonly string[]): Promise<RawMongod> => {
  const server = await startRawMongod(...words);
  servers.push(server);
  return server;
};

const run = (check: Check, uri: string) => runCheck(check, { env: { ROLLGATE_MONGODB_URI: uri } });

describe('an unreachable database', () => {
  it('fails with its address, without its password', async () => {
    const port = await freePort('127.0.0.1');
    const found = await run(checkDatabase, `mongodb://user:hunter2@127.0.0.1:${port}/rollgate`);
    expect(found).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining(`MongoDB at 127.0.0.1:${port} does not respond`) as string,
      remedy: expect.stringContaining('ROLLGATE_MONGODB_URI') as string,
    });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it.each([
    ['maxPoolSise=5', 'option maxpoolsise is not supported'],
    ['tls=hunter2', 'tls/ssl must be either "true" or "false"'],
  ])('names the option that is wrong: %s', async (option, reason) => {
    const found = await run(checkDatabase, `mongodb://127.0.0.1/rollgate?${option}`);
    expect(found).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining(`the connection string is malformed (${reason})`) as string,
    });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('fails if the server never responds, whatever timeouts the string sets', async () => {
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    // Longer than the time limit of a test.
    const uri = `mongodb://127.0.0.1:${port}/x?serverSelectionTimeoutMS=600000&connectTimeoutMS=600000`;
    expect(await run(checkDatabase, uri)).toMatchObject({ status: 'FAIL' });
    mute.close();
  });

  it('fails if the connection string is malformed, without printing it', async () => {
    const found = await run(checkDatabase, 'mongodb://user:hunter2@:/rollgate');
    expect(found).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('the connection string is malformed') as string,
    });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('lets checks of its contents be skipped', async () => {
    const port = await freePort('127.0.0.1');
    await expect(run(checkIndexes, `mongodb://127.0.0.1:${port}/x`)).rejects.toThrow(
      'No database to check; see database.',
    );
  });
});

describe('a single server', () => {
  let uri: string;
  beforeAll(async () => {
    uri = `mongodb://${(await start()).host}/rollgate`;
  });

  it('fails the check "topology" with a remedy', async () => {
    expect(await run(checkTopology, uri)).toMatchObject({
      status: 'FAIL',
      remedy: expect.stringContaining('rs.initiate()') as string,
    });
    await expect(run(checkMajority, uri)).rejects.toThrow('see topology');
  });

  it('warns about the transaction limit', async () => {
    expect(await run(checkTransactions, uri)).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining('60 s') as string,
      remedy: expect.stringContaining('transactionLifetimeLimitSeconds: 15') as string,
    });
  });

  it('fails if the connection string names a replica set', async () => {
    expect(await run(checkDatabase, `${uri}?replicaSet=rs0`)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('is not a member of the replica set') as string,
    });
  });
});

describe('a replica set', () => {
  let data: RawMongod;
  let arbiter: RawMongod;
  let uri: string;
  beforeAll(async () => {
    [data, arbiter] = await Promise.all([start('--replSet', 'rs0'), start('--replSet', 'rs0')]);
    uri = `mongodb://${data.host}/rollgate`;
  });

  const isPrimary = async (): Promise<boolean> =>
    (await data.command({ hello: 1 })).isWritablePrimary === true;

  // The tests depend on each other: one set goes through these states.
  it('fails if it was never initiated', async () => {
    expect(await run(checkDatabase, uri)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('never initiated: run rs.initiate()') as string,
    });
  });

  it('of one member passes', async () => {
    await data.command({
      replSetInitiate: {
        _id: 'rs0',
        settings: { electionTimeoutMillis: 1_000, heartbeatIntervalMillis: 200 },
        members: [{ _id: 0, host: data.host }],
      },
    });
    await vi.waitUntil(isPrimary, { timeout: 20_000 });
    expect(await run(checkTopology, uri)).toMatchObject({ status: 'OK' });
    expect(await run(checkMajority, uri)).toMatchObject({ status: 'OK' });
  });

  it('fails the check "majority" if only an arbiter is left beside the primary', async () => {
    const { config } = (await data.command({ replSetGetConfig: 1 })) as {
      readonly config: { readonly version: number; readonly members: readonly object[] };
    };
    const gone = { _id: 1, host: `127.0.0.1:${await freePort('127.0.0.1')}`, priority: 0 };
    const voter = { _id: 2, host: arbiter.host, arbiterOnly: true };
    await data.command({ setDefaultRWConcern: 1, defaultWriteConcern: { w: 1 } });
    const members = [...config.members, gone, voter];
    const changed = { ...config, version: config.version + 1, members };
    await data.command({ replSetReconfig: changed, force: true });

    await vi.waitFor(
      async () =>
        expect(await run(checkTopology, uri)).toMatchObject({
          status: 'WARN',
          message: `The replica set rs0 (3 members) accepts writes, but of its members ${gone.host} is DOWN.`,
          details: { ailing: [`${gone.host}: DOWN`] },
        }),
      { timeout: 20_000, interval: 200 },
    );
    expect(await run(checkMajority, uri)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('no majority') as string,
    });
  });

  it('without a primary fails the check "topology"', async () => {
    await data.command({ replSetStepDown: 60, force: true });
    expect(await run(checkDatabase, uri)).toMatchObject({ status: 'OK' });
    expect(await run(checkTopology, uri)).toMatchObject({
      status: 'FAIL',
      message: 'The replica set rs0 (3 members) has no primary and accepts no writes.',
    });
    await expect(run(checkMajority, uri)).rejects.toThrow('see topology');
  });
});

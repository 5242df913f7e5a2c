import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkDatabase } from '../../src/doctor/checks/database.js';
import { checkIndexes } from '../../src/doctor/checks/indexes.js';
import { checkMajority } from '../../src/doctor/checks/majority.js';
import { checkTopology } from '../../src/doctor/checks/topology.js';
import { checkTransactions } from '../../src/doctor/checks/transactions.js';
import type { Check } from '../../src/doctor/verdict.js';
import { freePort } from '../../src/store/embedded/free-port.js';
import { examine } from '../support/doctor.js';
import { type RawMongod, startRawMongod } from '../support/raw-mongod.js';

const servers: RawMongod[] = [];
afterAll(() => Promise.all(servers.map(({ kill }) => kill())));

const start = async (...words: readonly string[]): Promise<RawMongod> => {
  const server = await startRawMongod(...words);
  servers.push(server);
  return server;
};

const look = (check: Check, uri: string) => examine(check, { env: { ROLLGATE_MONGODB_URI: uri } });

describe('a database that is not there', () => {
  it('fails with its address and without its password', async () => {
    const port = await freePort('127.0.0.1');
    const found = await look(checkDatabase, `mongodb://user:hunter2@127.0.0.1:${port}/rollgate`);
    expect(found).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining(`MongoDB at 127.0.0.1:${port} does not answer`) as string,
      remedy: expect.stringContaining('ROLLGATE_MONGODB_URI') as string,
    });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('fails in seconds where something listens and never answers, whatever its string says', async () => {
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const begun = performance.now();
    const uri = `mongodb://127.0.0.1:${port}/x?serverSelectionTimeoutMS=60000&connectTimeoutMS=60000`;
    expect(await look(checkDatabase, uri)).toMatchObject({ status: 'FAIL' });
    expect(performance.now() - begun).toBeLessThan(10_000);
    mute.close();
  });

  it('fails where its string is malformed, without repeating it', async () => {
    const found = await look(checkDatabase, 'mongodb://user:hunter2@:/rollgate');
    expect(found).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('the connection string is malformed') as string,
    });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('leaves nothing to say of what is in it', async () => {
    const port = await freePort('127.0.0.1');
    await expect(look(checkIndexes, `mongodb://127.0.0.1:${port}/x`)).rejects.toThrow(
      'There is no database to look at, see database.',
    );
  });
});

describe('a single server', () => {
  let uri: string;
  beforeAll(async () => {
    uri = `mongodb://${(await start()).host}/rollgate`;
  });

  it('fails for want of transactions, with what to do', async () => {
    expect(await look(checkTopology, uri)).toMatchObject({
      status: 'FAIL',
      remedy: expect.stringContaining('rs.initiate()') as string,
    });
    await expect(look(checkMajority, uri)).rejects.toThrow('see topology');
  });

  it('is a warning where transactions live for a minute', async () => {
    expect(await look(checkTransactions, uri)).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining('60 s') as string,
      remedy: expect.stringContaining('transactionLifetimeLimitSeconds: 15') as string,
    });
  });

  it('is not the replica set that the connection string names', async () => {
    expect(await look(checkDatabase, `${uri}?replicaSet=rs0`)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('is not of the replica set') as string,
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

  // Each is the state that the one before leaves: a set is made once, and falls ill.
  it('that nobody initiated says so', async () => {
    expect(await look(checkDatabase, uri)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('never initiated: rs.initiate()') as string,
    });
  });

  it('of one member is well', async () => {
    await data.command({
      replSetInitiate: {
        _id: 'rs0',
        settings: { electionTimeoutMillis: 1_000, heartbeatIntervalMillis: 200 },
        members: [{ _id: 0, host: data.host }],
      },
    });
    await vi.waitUntil(isPrimary, { timeout: 20_000 });
    expect(await look(checkTopology, uri)).toMatchObject({ status: 'OK' });
    expect(await look(checkMajority, uri)).toMatchObject({ status: 'OK' });
  });

  it('whose primary has only an arbiter left looks well, and is not', async () => {
    const { config } = (await data.command({ replSetGetConfig: 1 })) as {
      readonly config: { readonly version: number; readonly members: readonly object[] };
    };
    const gone = { _id: 1, host: `127.0.0.1:${await freePort('127.0.0.1')}`, priority: 0 };
    const voter = { _id: 2, host: arbiter.host, arbiterOnly: true };
    await data.command({ setDefaultRWConcern: 1, defaultWriteConcern: { w: 1 } });
    const members = [...config.members, gone, voter];
    const changed = { ...config, version: config.version + 1, members };
    await data.command({ replSetReconfig: changed, force: true });

    expect(await look(checkTopology, uri)).toMatchObject({ status: 'OK' });
    expect(await look(checkMajority, uri)).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('no majority') as string,
    });
  });

  it('without a primary answers, and takes no writes', async () => {
    await data.command({ replSetStepDown: 60, force: true });
    expect(await look(checkDatabase, uri)).toMatchObject({ status: 'OK' });
    expect(await look(checkTopology, uri)).toMatchObject({
      status: 'FAIL',
      message: 'The replica set rs0 (3 members) has no primary: nothing can be written.',
    });
    await expect(look(checkMajority, uri)).rejects.toThrow('see topology');
  });
});

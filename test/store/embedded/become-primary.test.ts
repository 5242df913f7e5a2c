import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type MongodKey, openMongodKey } from '../../../src/store/embedded/mongod-key.js';
import { REPLICA_SET } from '../../../src/store/embedded/mongod-options.js';
import { becomePrimary } from '../../../src/store/embedded/replica-set.js';
import { type RawMongod, startRawMongod } from '../../support/raw-mongod.js';

const RUNS_ON = new Promise<void>(() => undefined);

const makeKey = async (): Promise<MongodKey> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return openMongodKey(folder, { warn: () => undefined });
};

/** A member without a set, that breaks off so many connections on which it is told the command. */
const startMember = async (key: MongodKey, command: string, times: number): Promise<RawMongod> => {
  const data = { failCommands: [command], closeConnection: true };
  const failCommand = JSON.stringify({ mode: { times }, data });
  const parameters = ['enableTestCommands=1', `failpoint.failCommand=${failCommand}`];
  const member = await startRawMongod(
    ...['--replSet', REPLICA_SET, '--keyFile', key.path],
    ...parameters.flatMap((parameter) => ['--setParameter', parameter]),
  );
  onTestFinished(member.kill);
  return member;
};

const isPrimary = async ({ command }: RawMongod): Promise<boolean> =>
  (await command({ hello: 1 })).isWritablePrimary === true;

describe('a mongod that breaks off connections', () => {
  it.each(['replSetGetConfig', 'replSetInitiate'])(
    'while it answers %s becomes primary all the same',
    async (command) => {
      const key = await makeKey();
      const member = await startMember(key, command, 2);
      await becomePrimary(member.port, key, RUNS_ON);
      expect(await isPrimary(member)).toBe(true);
    },
  );
});

describe('a mongod that ends before it is primary', () => {
  it('is waited for no longer', async () => {
    const key = await makeKey();
    const { port } = await startMember(key, 'replSetGetConfig', 100_000);
    await expect(becomePrimary(port, key, Promise.resolve())).rejects.toThrow('it ended by itself');
  });
});

describe('a mongod with another key', () => {
  it('is not asked again and again', async () => {
    const member = await startMember(await makeKey(), 'replSetInitiate', 1);
    await expect(becomePrimary(member.port, await makeKey(), RUNS_ON)).rejects.toThrow(
      mongo.MongoServerError,
    );
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type MongodKey,
  openMongodKey,
  REPLICA_SET,
} from '../../../src/store/embedded/mongod-settings.js';
import { becomePrimary } from '../../../src/store/embedded/start-primary.js';
import { type RawMongod, startRawMongod } from '../../support/raw-mongod.js';

const NEVER_EXITS = new Promise<void>(() => undefined);

const makeKey = async (): Promise<MongodKey> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return openMongodKey(folder, { warn: () => undefined });
};

/** A member without a set that closes the connection on the first commands of this name. */
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

describe('a mongod that closes connections', () => {
  it.each(['replSetGetConfig', 'replSetInitiate'])(
    'during %s still becomes primary',
    async (command) => {
      const key = await makeKey();
      const member = await startMember(key, command, 2);
      await becomePrimary(member.port, key, NEVER_EXITS);
      expect(await isPrimary(member)).toBe(true);
    },
  );
});

describe('a mongod that exits before it is primary', () => {
  it('fails the start at once', async () => {
    const key = await makeKey();
    const { port } = await startMember(key, 'replSetGetConfig', 100_000);
    await expect(becomePrimary(port, key, Promise.resolve())).rejects.toThrow('mongod exited');
  });
});

describe('a mongod with another key', () => {
  it('fails the start without retries', async () => {
    const member = await startMember(await makeKey(), 'replSetInitiate', 1);
    await expect(becomePrimary(member.port, await makeKey(), NEVER_EXITS)).rejects.toThrow(
      mongo.MongoServerError,
    );
  });
});

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose, { mongo } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../src/store/embedded/running-process.js';
import {
  startEmbeddedMongo,
  type EmbeddedMongo,
} from '../../../src/store/embedded/start-embedded-mongo.js';
import { openFullDisk } from '../../support/full-disk.js';
import { eventually } from '../../support/eventually.js';

interface Mark {
  readonly _id: string;
}

let root: string;
let logged: string[];
const started: EmbeddedMongo[] = [];
const gateways: ChildProcess[] = [];
const log = (_fields: object, message: string): void => void logged.push(message);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rollgate-embedded-'));
  logged = [];
});
afterEach(() => Promise.all(started.splice(0).map(({ stop }) => stop())));
afterAll(async () => {
  for (const gateway of gateways) gateway.kill('SIGKILL');
  await rm(root, { recursive: true, force: true });
});

const start = async (dataDir: string): Promise<EmbeddedMongo> => {
  logged = [];
  const running = await startEmbeddedMongo({
    dataDir,
    log: { info: log, warn: log, error: log },
  });
  started.push(running);
  return running;
};

/** Runs an action on the collection of marks and closes the connection. */
const withMarks = async <Result>(
  uri: string,
  action: (marks: mongo.Collection<Mark>) => Promise<Result>,
): Promise<Result> => {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 20_000 });
  try {
    return await action(client.db().collection<Mark>('marks'));
  } finally {
    await client.close();
  }
};

const marksOf = (uri: string): Promise<readonly string[]> =>
  withMarks(uri, async (marks) =>
    (await marks.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id),
  );

const mongodPid = async (dataDir: string): Promise<number> =>
  Number(await readFile(join(dataDir, 'db/mongod.lock'), 'utf8'));

/** A gateway in a process group of its own, like in a terminal. */
const startGateway = async (dataDir: string): Promise<ChildProcess> => {
  const gateway = fork(new URL('../../support/embedded-gateway.ts', import.meta.url), [dataDir], {
    execArgv: ['--import', 'tsx'],
    detached: true,
  });
  gateways.push(gateway);
  await once(gateway, 'message');
  return gateway;
};

const hasExited = (pid: number): Promise<void> =>
  eventually(() => expect(isAlive(pid)).toBe(false));

describe('an embedded mongod', () => {
  it('keeps its data between runs on different ports', async () => {
    const dataDir = join(root, 'runs');
    const first = await start(dataDir);
    await withMarks(first.uri, (marks) => marks.insertOne({ _id: 'kept' }));
    await started.pop()?.stop();

    const next = await start(dataDir);

    expect(new URL(next.uri).port).not.toBe(new URL(first.uri).port);
    expect(await marksOf(next.uri)).toEqual(['kept']);
  });

  describe('that runs', () => {
    let dataDir: string;
    let running: EmbeddedMongo;
    beforeAll(async () => {
      dataDir = join(root, 'shared');
      running = await start(dataDir);
      started.length = 0;
    });
    afterAll(() => running.stop());

    it('has transactions, aborted after 15 s', async () => {
      const connection = await mongoose.createConnection(running.uri).asPromise();
      await connection.transaction((session) =>
        connection.collection<Mark>('marks').insertOne({ _id: 'committed' }, { session }),
      );
      const admin = connection.getClient().db('admin');
      const limit = await admin.command({ getParameter: 1, transactionLifetimeLimitSeconds: 1 });
      expect(await marksOf(running.uri)).toContain('committed');
      expect(limit.transactionLifetimeLimitSeconds).toBe(15);
      await connection.close();
    });

    it('listens on loopback only', async () => {
      const client = new mongo.MongoClient(running.uri);
      const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
      await client.close();
      expect(parsed).toMatchObject({ net: { bindIp: '127.0.0.1' } });
      expect(new URL(running.uri).hostname).toBe('127.0.0.1');
    });

    it('is not accessible to other users of the machine', async () => {
      const open = new URL(running.uri);
      open.username = '';
      open.password = '';
      open.search = 'directConnection=true';
      await expect(marksOf(open.href)).rejects.toThrow(/not authorized|requires authentication/);
      const modes = (await readdir(dataDir)).map(async (name) =>
        ((await stat(join(dataDir, name))).mode & 0o077).toString(8),
      );
      expect(new Set(await Promise.all(modes))).toEqual(new Set(['0']));
    });

    it('refuses a second gateway on its folder and names the first', async () => {
      const second = start(dataDir);
      await expect(second).rejects.toMatchObject({ name: 'DataFolderInUseError' });
      await expect(second).rejects.toThrow(
        `Another Rollgate (process ${process.pid}) uses the data folder ${dataDir}. ` +
          'Stop it, or choose another folder with ROLLGATE_DATA_DIR.',
      );
      expect(await marksOf(running.uri)).toBeDefined();
    });

    it('restarts at the same address when it is killed', async () => {
      await withMarks(running.uri, (marks) => marks.insertOne({ _id: 'survivor' }));
      const pid = await mongodPid(dataDir);

      process.kill(pid, 'SIGKILL');
      await hasExited(pid);

      expect(await marksOf(running.uri)).toContain('survivor');
      expect(await mongodPid(dataDir)).not.toBe(pid);
      expect(logged).toContain(
        'the embedded mongod exited unexpectedly; restarting it (see mongod.log)',
      );
    });
  });

  it('leaves no process and no lock when it is stopped', async () => {
    const dataDir = join(root, 'stopped');
    await start(dataDir);
    const pid = await mongodPid(dataDir);
    await started.pop()?.stop();
    expect(isAlive(pid)).toBe(false);
    expect((await readdir(dataDir)).join()).not.toContain('.lock');
  });

  it('runs if its log cannot be written', async () => {
    const dataDir = join(root, 'mute');
    await mkdir(join(dataDir, 'mongod.log'), { recursive: true });
    const { uri } = await start(dataDir);
    expect(await marksOf(uri)).toEqual([]);
  });

  it('reports where to look if it does not start', async () => {
    const dataDir = join(root, 'damaged');
    await start(dataDir);
    await started.pop()?.stop();
    await writeFile(join(dataDir, 'db/WiredTiger.turtle'), 'damaged');
    await expect(start(dataDir)).rejects.toThrow(
      /^The embedded mongod did not start \(.+\)\. See .+mongod\.log\.$/,
    );

    await writeFile(join(dataDir, 'mongod-version'), '4.4.6\n');
    await expect(start(dataDir)).rejects.toThrow(
      /The data was written by mongod 4\.4\.6, and mongod .* may not be able to read it: set MONGOMS_SYSTEM_BINARY to a mongod 4\.4\.$/,
    );
    expect((await readdir(dataDir)).join()).not.toContain('.lock');
  });
});

describe('when the gateway exits', () => {
  interface Run {
    readonly dataDir: string;
    readonly gateway: ChildProcess;
    readonly mongod: number;
  }
  const runs: Record<string, Run> = {};
  const run = async (name: string): Promise<void> => {
    const dataDir = join(root, name);
    const gateway = await startGateway(dataDir);
    runs[name] = { dataDir, gateway, mongod: await mongodPid(dataDir) };
  };
  beforeAll(() => Promise.all(['interrupted', 'killed', 'abandoned'].map(run)));

  it('by Ctrl-C, mongod runs until the gateway has drained', async () => {
    const { dataDir, gateway, mongod } = runs.interrupted!;

    process.kill(-(gateway.pid ?? 0), 'SIGINT');
    const [code] = (await once(gateway, 'exit')) as [number | null];

    expect(code).toBe(0);
    expect(isAlive(mongod)).toBe(false);
    const next = await start(dataDir);
    expect(await marksOf(next.uri)).toEqual(['drained', `served by ${mongod}`, 'started']);
  });

  it('by kill -9, the next one starts at once on the same data', async () => {
    const { dataDir, gateway, mongod } = runs.killed!;

    gateway.kill('SIGKILL');
    await once(gateway, 'exit');
    const next = await start(dataDir);

    expect(isAlive(mongod)).toBe(false);
    expect(await marksOf(next.uri)).toEqual(['started']);
  });

  it('by kill -9 without a next one, mongod exits', async () => {
    const { gateway, mongod } = runs.abandoned!;
    gateway.kill('SIGKILL');
    await hasExited(mongod);
  });
});

it('names the folder and the remedy on a full disk', async ({ skip }) => {
  const disk = openFullDisk(64);
  if (!disk) return skip('cannot mount a disk');
  try {
    const dataDir = join(disk.path, 'data');
    await expect(start(dataDir)).rejects.toThrow(
      `The embedded mongod did not start: the disk of ${dataDir} is full. Free at least 1 GB on it, ` +
        'or choose another folder with ROLLGATE_DATA_DIR',
    );
  } finally {
    disk.close();
  }
});

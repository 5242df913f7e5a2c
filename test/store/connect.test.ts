import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as dial, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { mongo } from 'mongoose';
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { connect, DatabaseError } from '../../src/store/connect.js';
import { cacheFolder } from '../../src/process/cache-folder.js';
import { freePort } from '../../src/store/embedded/start-embedded-mongo.js';
import { MONGOD_SOURCES, resolveMongod } from '../../src/store/embedded/resolve-mongod.js';
import { createTestDatabase } from '../support/database.js';

const database = createTestDatabase();
const opened: mongo.MongoClient[] = [];
afterAll(() => Promise.all(opened.map((connection) => connection.close())));

const open = async (uri: string, monitorCommands = false): Promise<mongo.MongoClient> => {
  const connection = await connect(uri, { monitorCommands, timeoutMs: 0 });
  opened.push(connection);
  return connection;
};

const failure = (uri: string): Promise<unknown> =>
  open(uri).then(
    () => undefined,
    (error: unknown) => error,
  );

/** The driver's options, from ours and the connection string. */
const optionsOf = (connection: mongo.MongoClient): mongo.MongoOptions => connection.options;

const forward = (socket: Socket, target: URL): void => {
  const upstream = dial(Number(target.port), target.hostname);
  socket.pipe(upstream).pipe(socket);
  socket.on('error', () => upstream.destroy());
  upstream.on('error', () => socket.destroy());
};

const startStandalone = async (dbPath: string, port: number): Promise<ChildProcess> => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const { env } = process;
  const { path } = await resolveMongod({ env, cacheDir: cacheFolder(env), log }, MONGOD_SOURCES);
  return spawn(path, ['--dbpath', dbPath, '--port', String(port), '--nounixsocket'], {
    stdio: 'ignore',
  });
};

describe('a connection', () => {
  it('writes to a majority and its journal', async () => {
    const connection = await open(database.uri, true);
    const started: mongo.CommandStartedEvent[] = [];
    connection.on('commandStarted', (event) => started.push(event));

    await connection.db().collection<{ _id: string }>('things').insertOne({ _id: 'one' });

    const insert = started.find((event) => event.commandName === 'insert');
    expect(insert?.command).toMatchObject({ writeConcern: { w: 'majority', j: true } });
  });

  it('reads what a majority has', async () => {
    const connection = await open(database.uri, true);
    const started: mongo.CommandStartedEvent[] = [];
    connection.on('commandStarted', (event) => started.push(event));

    await connection.db().collection('things').findOne({});

    const find = started.find((event) => event.commandName === 'find');
    expect(find?.command).toMatchObject({ readConcern: { level: 'majority' } });
  });

  it('keeps safe writes whatever the connection string says', async () => {
    const connection = await open(`${database.uri}&w=1&journal=false&readConcernLevel=local`);
    expect(optionsOf(connection)).toMatchObject({
      writeConcern: { w: 'majority', journal: true },
      readConcern: { level: 'majority' },
      retryWrites: true,
    });
  });

  it('takes other options from the connection string', async () => {
    const connection = await open(`${database.uri}&maxPoolSize=7&appName=mine`);
    expect(optionsOf(connection)).toMatchObject({
      maxPoolSize: 7,
      appName: 'mine',
      serverSelectionTimeoutMS: 2_000,
    });
  });
});

describe('a database that cannot be used', () => {
  it('is reported by its address, without the password', async () => {
    const port = await freePort('127.0.0.1');
    const error = await failure(`mongodb://user:hunter2@127.0.0.1:${port}/rollgate`);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(String(error)).toContain(
      `MongoDB at 127.0.0.1:${port} does not respond: connect ECONNREFUSED`,
    );
    expect(String(error)).toContain('ROLLGATE_MONGODB_URI');
    expect(String(error)).not.toContain('hunter2');
  });

  it('is refused at once if it belongs to another replica set, with the same message as in doctor', async () => {
    const uri = new URL(database.uri);
    uri.searchParams.delete('directConnection');
    uri.searchParams.set('replicaSet', 'not-this-one');
    const error = await connect(uri.href, { timeoutMs: 600_000 }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DatabaseError);
    expect(String(error)).toContain(
      `MongoDB at ${uri.host} is not a member of the replica set in the connection string.`,
    );
    expect(String(error)).toContain('ROLLGATE_MONGODB_URI');
  });

  it('is reported without the password if the connection string is malformed', async () => {
    const error = await failure('mongodb://user:hunter2@:/rollgate');
    expect(error).toBeInstanceOf(DatabaseError);
    expect(String(error)).toContain('the connection string is malformed');
    expect(String(error)).not.toContain('hunter2');
  });

  it('is refused at once if it rejects the password', async () => {
    const uri = new URL(inject('mongodbUri'));
    uri.username = 'unknown';
    uri.password = 'hunter2';
    uri.search = '';
    const error = await connect(uri.href, { timeoutMs: 60_000 }).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/cannot be used: Authentication failed/);
  });

  it('is retried while it is starting', async () => {
    const target = new URL(database.uri);
    const port = await freePort('127.0.0.1');
    const attempt = connect(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
      timeoutMs: 20_000,
    });
    const proxy = createServer((socket) => forward(socket, target));
    proxy.listen(port, '127.0.0.1');
    const connection = await attempt;
    expect(await connection.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
    await connection.close();
    proxy.close();
  });

  it('is refused if it is not a replica set', async () => {
    const dbPath = await mkdtemp(join(tmpdir(), 'rollgate-standalone-'));
    const port = await freePort('127.0.0.1');
    const mongod = await startStandalone(dbPath, port);
    onTestFinished(async () => {
      mongod.kill('SIGKILL');
      await once(mongod, 'exit');
      await rm(dbPath, { recursive: true });
    });
    const attempt = connect(`mongodb://127.0.0.1:${port}/rollgate`, { timeoutMs: 20_000 });
    await expect(attempt).rejects.toThrow(
      `MongoDB at 127.0.0.1:${port} is a standalone server, which has no transactions. ` +
        'Run it as a replica set',
    );
  });
});

import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { afterEach, expect, inject, it, onTestFinished, vi } from 'vitest';
import { connect } from '../../src/store/connect.js';
import { openSessionPool } from '../../src/store/commit/session-pool.js';
import { type Instances, joinInstances } from '../../src/store/instances.js';
import { collectionsOf } from '../../src/store/tables/collections.js';
import { useDatabase } from '../support/core.js';
import { openCutProxy, throughProxy } from '../support/cut-proxy.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

const database = useDatabase();
const behindProxy = createTestDatabase();
const SILENT = { info: () => undefined, warn: () => undefined };
const running: Instances[] = [];

/** The heartbeat of a gateway, as it is sent. */
const HEARTBEAT = /findAndModify\0[^]{4}instances\0/;

/** A gateway, and the commands that it has sent for its heartbeat. */
const join = async (given?: mongo.MongoClient) => {
  const client = given ?? (await database.open({ monitorCommands: true }));
  const sent: string[] = [];
  client.on('commandStarted', ({ commandName, command }: mongo.CommandStartedEvent) => {
    if (command[commandName] === 'instances') sent.push(commandName);
  });
  const instanceId = randomUUID();
  const sessions = openSessionPool(client, 1, { register: () => instances.registerSessions() });
  const instances: Instances = await joinInstances({
    collections: collectionsOf(client),
    sessions,
    instanceId,
    onExpired: () => Promise.resolve(),
    log: SILENT,
  });
  running.push(instances);
  const count = (name: string): number => sent.filter((each) => each === name).length;
  return {
    ...instances,
    sessions,
    registered: () =>
      collectionsOf(client).instances.findOne(
        { _id: instanceId },
        { readConcern: { level: 'local' } },
      ),
    heartbeats: () => count('findAndModify'),
    lists: () => count('aggregate'),
  };
};

afterEach(() => Promise.all(running.splice(0).map((instances) => instances.leave())));

it('a gateway that is alone lists the gateways once, and sends one command a second', async () => {
  const alone = await join();
  await eventually(() => expect(alone.heartbeats()).toBeGreaterThanOrEqual(4));
  expect(alone.alive()).toBe(1);
  expect(alone.lists()).toBe(1);
});

it('sees with its next heartbeat that another gateway has joined', async () => {
  const one = await join();
  const other = await join();
  const before = one.heartbeats();
  expect(other.alive()).toBe(2);
  await eventually(() => expect(one.heartbeats()).toBeGreaterThanOrEqual(before + 2));
  expect(one.alive()).toBe(2);
});

it('lists them with every heartbeat until it is alone again', async () => {
  const one = await join();
  const other = await join();
  await eventually(() => expect(one.alive()).toBe(2));
  await other.leave();
  const before = one.heartbeats();
  await eventually(() => expect(one.heartbeats()).toBeGreaterThanOrEqual(before + 2));
  expect(one.alive()).toBe(1);
});

it('sees gateways that join without announcing it, as those of earlier versions do', async () => {
  const one = await join();
  const client = await database.open();
  await client
    .db()
    .collection<{ _id: string }>('instances')
    .updateOne(
      { _id: randomUUID() },
      [{ $set: { startedAt: '$$NOW', heartbeatAt: new Date(Date.now() + 60_000), sessions: [] } }],
      { upsert: true },
    );
  await eventually(() => expect(one.alive()).toBe(2));
});

it('registers a session before its first use, also one more than usual', async () => {
  const { sessions, registered } = await join();
  const whileUsed = await sessions.use(() => sessions.use(registered));
  expect(whileUsed?.sessions).toHaveLength(2);
});

it('sends the next heartbeat when one hangs, though the database responds', async () => {
  const { hostname: host, port } = new URL(inject('mongodbUri'));
  const proxy = await openCutProxy({ host, port: Number(port) });
  onTestFinished(proxy.close);
  const client = await connect(throughProxy(behindProxy.uri, proxy));
  onTestFinished(() => client.close());
  const { timesEvicted } = await join(client);
  // When the connection of a heartbeat hangs, until others think that the gateway is dead
  proxy.swallow(HEARTBEAT);
  await eventually(() => expect(timesEvicted()).toBeUndefined());
  expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
  proxy.swallow(undefined);
  // Then the next ones are sent
  await eventually(() => expect(timesEvicted()).toBeGreaterThan(0));
});

it('is overdue without a heartbeat for 30 s', async () => {
  const { isOverdue } = await join();
  expect(isOverdue()).toBe(false);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 31_000);
  expect(isOverdue()).toBe(true);
  clock.mockRestore();
});

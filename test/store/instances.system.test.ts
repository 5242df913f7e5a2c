import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { afterEach, expect, it } from 'vitest';
import { openSessionPool } from '../../src/store/commit/session-pool.js';
import { type Instances, joinInstances } from '../../src/store/instances.js';
import { collectionsOf } from '../../src/store/tables/collections.js';
import { useDatabase } from '../support/core.js';
import { eventually } from '../support/eventually.js';

const database = useDatabase();
const SILENT = { info: () => undefined, warn: () => undefined };
const running: Instances[] = [];

/** A gateway, and the commands that it has sent for its heartbeat. */
const join = async () => {
  const client = await database.open({ monitorCommands: true });
  const sent: string[] = [];
  client.on('commandStarted', ({ commandName, command }: mongo.CommandStartedEvent) => {
    if (command[commandName] === 'instances') sent.push(commandName);
  });
  const instances = await joinInstances({
    collections: collectionsOf(client),
    sessions: openSessionPool(client, 1),
    instanceId: randomUUID(),
    onExpired: () => Promise.resolve(),
    log: SILENT,
  });
  running.push(instances);
  const count = (name: string): number => sent.filter((each) => each === name).length;
  return {
    ...instances,
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

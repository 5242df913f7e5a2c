import * as mongodb from 'mongodb';
import type { mongo } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import { collectionsOf } from '../../../src/store/tables/collections.js';
import { upgradeOutbox } from '../../../src/store/stream/upgrade-outbox.js';
import { createTestDatabase } from '../../support/database.js';
import { connect } from '../../../src/store/connect.js';

const { uri } = createTestDatabase({ isEmpty: true });
const log = { info: () => undefined };
const due = new Date('2026-11-21T09:00:00.000Z');
const common = { tenant: 'acme', plugin: 'webhooks', key: 'hook:1' };

/** Positions 3, 5 and 6; the first is a row by now. */
const SPAN = {
  ...{ _id: 'span', ...common, ev: null, seq: 5, res: 'span:acme', st: 'p', due, own: null },
  ...{ claim: null, n: 0, left: 2 },
  span: { seqs: { from: 3, bits: new mongodb.Binary(Buffer.from([0b1101])) }, since: due },
};

const row = (seq: number, more: object) => ({
  ...{ _id: `row-${seq}`, ...common, ev: `event-${seq}`, seq, name: 'user.created', at: due },
  ...{ res: 'user:ada', own: null, claim: null, n: 1, due },
  ...more,
});

describe('the outbox of an earlier version', () => {
  let client: mongo.MongoClient;
  let database: mongo.Db;

  beforeAll(async () => {
    client = await connect(uri);
    database = client.db();
    await database
      .collection<{ _id: string }>('tenant_state')
      .insertOne({ _id: 'acme', seq: 6, pluginVersions: { webhooks: 1 } } as never);
    await database
      .collection<{ _id: string }>('outbox')
      .insertMany([
        row(1, { st: 'd', first: { at: due, ms: 1, reason: null }, expireAt: new Date() }),
        row(2, { st: 'f', first: { at: due, ms: 1, reason: 'status 500' }, expireAt: new Date() }),
        row(3, { st: 'p', own: 'a gateway', due: new Date('2126-01-01') }),
        row(4, { st: 'p' }),
        SPAN,
      ]);
    await database
      .collection('outbox_attempts')
      .insertOne({ d: 'row-2', tenant: 'acme', at: due, ms: 2, reason: 'status 503' });
    await upgradeOutbox(database, log);
    // When another gateway starts, nothing is left to do.
    await upgradeOutbox(database, log);
  });

  it('becomes retries, due now, and history with all attempts', async () => {
    const { deliveries } = collectionsOf(client);
    const found = await deliveries.find({}).sort({ seq: 1 }).toArray();
    expect(found.map(({ _id, st }) => [_id, st])).toEqual([
      ['row-1', 'd'],
      ['row-2', 'f'],
      ['row-3', 'p'],
      ['row-4', 'p'],
    ]);
    for (const { due: at, part } of found.slice(2)) {
      expect(at!.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
      expect(part).toBeTypeOf('number');
    }
    expect(found[1]).toMatchObject({ first: { reason: 'status 500' } });
    expect(found[1]!.attempts).toMatchObject([{ reason: 'status 503', ms: 2 }]);
    await client.close();
  });

  it('becomes positions: all is settled but the events of its spans', async () => {
    const another = await connect(uri);
    const { cursors } = collectionsOf(another);
    expect(await cursors.findOne({ tenant: 'acme' })).toMatchObject({
      base: 6,
      low: 4,
      keys: [{ key: 'hook:1', at: 4, upTo: 6, open: [5, 6] }],
    });
    await another.close();
  });

  it('takes no more rows, so that a gateway of that version commits none', async () => {
    const another = await connect(uri);
    const insert = another.db().collection('outbox').insertOne({ st: 'p' });
    await expect(insert).rejects.toThrow(/validation/u);
    await another.close();
  });
});

import { describe, expect, it } from 'vitest';
import {
  ALL_COLLECTIONS,
  collectionsOf,
  ensureCollections,
} from '../../../src/store/tables/collections.js';
import { events as eventsDescriptor } from '../../../src/store/tables/events.js';
import { useDatabase } from '../../support/core.js';

const database = useDatabase();

describe('creating collections', () => {
  it('changes nothing when a gateway restarts or a second one starts', async () => {
    const connection = await database.open();
    await Promise.all([ensureCollections(connection), ensureCollections(connection)]);
    const found = await connection.db().listCollections().toArray();
    const declared = ALL_COLLECTIONS.map(({ name }) => name);
    expect(found.map(({ name }) => name).toSorted()).toEqual(declared.toSorted());
  });

  it('only reads when nothing is missing, and creates what is', async () => {
    const connection = await database.open({ monitorCommands: true });
    const sent = new Set<string>();
    connection.on('commandStarted', ({ commandName }) => sent.add(commandName));
    await ensureCollections(connection);
    expect([...sent].toSorted()).toEqual(['listCollections', 'listIndexes']);

    await connection.db().collection('events').drop();
    await connection.db().collection('users').dropIndex('tenant_1_n_1');
    await ensureCollections(connection);
    const { users, events } = collectionsOf(connection);
    expect(await users.indexExists('tenant_1_n_1')).toBe(true);
    expect(await events.indexes()).toHaveLength(1 + eventsDescriptor.indexes.length);
  });

  it('lets tests notice a field that the descriptor does not have', async () => {
    const { users } = collectionsOf(await database.open());
    const document = { _id: 'one', tenant: 'acme', nickname: 'Ada' };
    await expect(users.insertOne(document as never)).rejects.toThrow('Document failed validation');
  });
});

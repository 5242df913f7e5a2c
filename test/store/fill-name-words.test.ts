import { beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import { newId } from '../../src/pipeline/submit.js';
import { fillNameWords } from '../../src/store/upkeep.js';
import { mongoCommandLogReader } from '../../src/store/read/command-log-reader.js';
import { mongoSearchReader } from '../../src/store/read/search-reader.js';
import { type Collections, collectionsOf } from '../../src/store/tables/collections.js';
import { toUserDocument } from '../../src/store/tables/users.js';
import { aUser, NOW } from '../support/builders.js';
import { useDatabase } from '../support/core.js';

const database = useDatabase();
const NEVER = new AbortController().signal;
const MANY = 60;

let collections: Collections;

beforeAll(async () => {
  collections = collectionsOf(await database.open());
});

const find = async (tenantId: TenantId, text: string) => {
  const search = mongoSearchReader(collections, mongoCommandLogReader(collections));
  return (await search.find(tenantId, text)).map(({ kind, title }) => `${kind} ${title}`);
};

/** A tenant as an earlier version left it: no document has words. */
const anEarlierTenant = async (count: number): Promise<TenantId> => {
  const tenant = newId<TenantId>();
  await collections.tenants.insertOne({ _id: tenant, slug: tenant, name: 'A', createdAt: NOW });
  await collections.users.insertMany(
    Array.from({ length: count }, (_, at) => {
      const profile = { userName: `u${at}@example.com`, displayName: `Ada Lovelace ${at}` };
      const user = { ...aUser(at, profile), id: newId(), tenantId: tenant };
      const { folded, ...rest } = toUserDocument(user as never, at);
      const { words: _words, ...earlier } = folded;
      return { ...rest, folded: earlier };
    }),
  );
  const named = { tenant, v: 1, createdAt: NOW } as const;
  await collections.rooms.insertOne({
    ...{ ...named, _id: newId(), name: 'Ada Room', folded: { name: 'ada room' } },
    ...{ memberCount: 0, pendingJob: null, updatedAt: NOW },
  });
  await collections.roleMappings.insertOne({
    ...{ ...named, _id: newId(), groupDisplayName: 'The Room' },
    ...{ folded: { groupDisplayName: 'the room' }, role: 'lead', applies: true, priority: 1 },
  });
  return tenant;
};

const withoutWords = (tenant: string) =>
  collections.users.countDocuments({ tenant, 'folded.words': { $exists: false } });

describe('a database of an earlier version', () => {
  it('is searched by any word of a name after its words are indexed', async () => {
    // Given
    const tenant = await anEarlierTenant(MANY);
    expect(await find(tenant, 'room')).toEqual([]);
    // When
    const count = await fillNameWords(collections, new Map(), NEVER);
    // Then
    expect(count).toBe(MANY + 2);
    expect(await find(tenant, 'lovelace 59')).toContain('user Ada Lovelace 59');
    expect(await find(tenant, 'room')).toEqual(['room Ada Room', 'role_mapping The Room']);
    // And the next start finds nothing to do
    expect(await fillNameWords(collections, new Map(), NEVER)).toBe(0);
  });

  it('is resumed where an interrupted run ended', async () => {
    // Given a run that was interrupted after 25 users
    const tenant = await anEarlierTenant(MANY);
    const stopping = new AbortController();
    let updates = 0;
    const interrupted = {
      ...collections,
      users: new Proxy(collections.users, {
        get: (target, name) => {
          if (name === 'updateOne' && (updates += 1) === 25) stopping.abort();
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      }),
    };
    expect(await fillNameWords(interrupted, new Map(), stopping.signal)).toBe(25);
    expect(await withoutWords(tenant)).toBe(MANY - 25);
    // When the next one runs, then it does the rest
    expect(await fillNameWords(collections, new Map(), NEVER)).toBe(MANY - 25 + 2);
    expect(await withoutWords(tenant)).toBe(0);
  });

  it('keeps what a commit writes at the same time', async () => {
    // Given a user that a gateway of the earlier version renames after this one has read it
    const tenant = await anEarlierTenant(1);
    let isFirst = true;
    const raced = {
      ...collections,
      users: new Proxy(collections.users, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (name !== 'updateOne' || !isFirst) return value.bind(target) as unknown;
          isFirst = false;
          return async (...args: readonly unknown[]) => {
            await target.updateOne(
              { tenant },
              { $inc: { v: 1 }, $set: { 'profile.displayName': 'Grace Hopper' } },
            );
            return (value as (...all: readonly unknown[]) => unknown).apply(target, [...args]);
          };
        },
      }),
    };
    // When, then the next run finds the user
    expect(await fillNameWords(raced, new Map(), NEVER)).toBe(2);
    expect(await fillNameWords(collections, new Map(), NEVER)).toBe(1);
    expect((await collections.users.findOne({ tenant }))?.folded.words).toEqual(['hopper']);
  });
});

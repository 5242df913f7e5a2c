import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { GroupId, TenantId } from '../../../src/domain/kernel/ids.js';
import { newId } from '../../../src/pipeline/submit.js';
import { createGroupNames, type GroupNames } from '../../../src/store/read/group-names.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import { toGroupDocument } from '../../support/stored-documents.js';
import { idOf, NOW } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';

const database = useDatabase();
const ROSTERS = [idOf<GroupId>(1), idOf<GroupId>(2), idOf<GroupId>(3)] as const;
const [DISPATCH, CREW, ROOM_WITHOUT_GROUP] = ROSTERS;

let tenantId: TenantId;
let collections: Collections;
let names: GroupNames;
let now: number;
let queries: number;

const groupDocument = (id: GroupId, displayName: string) =>
  toGroupDocument({
    id,
    tenantId,
    displayName,
    externalId: null,
    roomId: null,
    memberCount: 0,
    version: 1,
    pendingJob: null,
    createdAt: NOW,
    updatedAt: NOW,
  });

const rename = (id: GroupId, displayName: string) =>
  collections.groups.updateOne({ _id: id }, { $set: { displayName } });

const namesOf = async (...rosters: readonly string[]) => {
  const found = await names.of(tenantId, rosters);
  return rosters.map((roster) => found.get(roster)?.displayName ?? null);
};

beforeEach(async () => {
  const connection = await database.open({ monitorCommands: true });
  collections = collectionsOf(connection);
  collections.client.on('commandStarted', ({ commandName }) => {
    queries += Number(commandName === 'find');
  });
  tenantId = newId<TenantId>();
  await collections.groups.deleteMany({});
  await collections.groups.insertMany([
    groupDocument(DISPATCH, 'Dispatch'),
    groupDocument(CREW, 'Crew'),
  ]);
  [now, queries] = [0, 0];
  names = createGroupNames(collections, () => now);
});

describe('the names of groups', () => {
  it('are read once, rosters without a group included', async () => {
    expect(await namesOf(...ROSTERS)).toEqual(['Dispatch', 'Crew', null]);
    expect(await namesOf(...ROSTERS)).toEqual(['Dispatch', 'Crew', null]);
    expect(queries).toBe(1);
  });

  it('are read where one is missing', async () => {
    await namesOf(DISPATCH);
    expect(await namesOf(DISPATCH, CREW)).toEqual(['Dispatch', 'Crew']);
    expect(await namesOf(CREW, DISPATCH)).toEqual(['Crew', 'Dispatch']);
    expect(queries).toBe(2);
  });

  it('are read again together after a second', async () => {
    await namesOf(...ROSTERS);
    await rename(CREW, 'Night crew');
    now = 999;
    expect(await namesOf(CREW)).toEqual(['Crew']);
    now = 1_000;
    const found = await Promise.all([
      namesOf(CREW),
      namesOf(DISPATCH),
      namesOf(ROOM_WITHOUT_GROUP),
    ]);
    expect(found).toEqual([['Night crew'], ['Dispatch'], [null]]);
    expect(queries).toBe(2);
  });

  it('need no query where there is no roster, even after a second', async () => {
    await namesOf(CREW);
    now = 1_000;
    expect(await namesOf()).toEqual([]);
    expect(queries).toBe(1);
  });

  it('are read again after the tenant is forgotten', async () => {
    await namesOf(CREW);
    await rename(CREW, 'Night crew');
    names.forget(tenantId);
    expect(await namesOf(CREW)).toEqual(['Night crew']);
  });

  it('are not cached if the tenant is forgotten while they are read', async () => {
    const reading = namesOf(CREW);
    names.forget(tenantId);
    await reading;
    await rename(CREW, 'Night crew');
    expect(await namesOf(CREW)).toEqual(['Night crew']);
  });

  it('belong to their tenant', async () => {
    await namesOf(CREW);
    const found = await names.of(newId<TenantId>(), [CREW]);
    expect(found.get(CREW)).toBeNull();
  });

  it('are read again after the database was away', async () => {
    await namesOf(CREW);
    now = 1_000;
    vi.spyOn(collections.groups, 'find').mockImplementation(() => {
      throw new Error('away');
    });
    await expect(namesOf(CREW)).rejects.toThrow('away');
    vi.restoreAllMocks();
    expect(await namesOf(CREW)).toEqual(['Crew']);
  });
});

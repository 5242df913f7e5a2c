import type * as mongo from 'mongodb';
import type { RoomConditions, RoomReader } from '../../ports/rooms.js';
import type { RoomView } from '../../domain/commands.js';
import { nameKey } from '../../domain/kernel/names.js';
import type { RoomId, TenantId } from '../../domain/kernel/ids.js';
import { bindReads, type Reads } from '../bind-reads.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import type { RoomDocument } from '../tables/rooms.js';
import { pageOfMembers, streamMembers, viewRooms } from './room-members.js';
import { createSearchLimits, type SearchLimits, type TimeBudget } from './search-limits.js';
import { hasName } from './similar-names.js';
import { readCounter } from './tenant-readers.js';
import { readDocuments } from '../read-documents.js';

const BATCH = 500;
/** Mapped rooms that are counted, and the time limit for it. */
const MAX_MAPPED = 10_000;
const MAX_TIME_MS = 2_000;
/** Memberships of a user that are read. */
const MAX_ROOMS_OF_USER = 1_000;
type Query = mongo.Filter<RoomDocument>;
type Sort = NonNullable<RoomConditions['sort']>;

const NAME = 'folded.name';
const BY_CREATION: Sort = { by: 'created', descending: false };

/** Each has an index. */
const orderOf = ({ by, descending }: Sort) => {
  const direction = descending ? -1 : 1;
  return by === 'name'
    ? ({ [NAME]: direction } as const)
    : ({ createdAt: direction, _id: direction } as const);
};

/** Rooms after this one in the order. */
const following = ({ createdAt, _id, folded }: RoomDocument, { by, descending }: Sort): Query => {
  const after = descending ? '$lt' : '$gt';
  if (by === 'name') return { [NAME]: { [after]: folded.name } };
  return {
    createdAt: { [`${after}e`]: createdAt },
    $or: [{ createdAt: { [after]: createdAt } }, { _id: { [after]: _id } }],
  };
};

interface Parts {
  readonly collections: Collections;
  readonly limits: SearchLimits;
}

/** Rooms of groups with a mapping to this role; a tenant has few mappings. */
const withRole = async (
  { groups, roleMappings }: Collections,
  tenant: TenantId,
  role: string,
): Promise<Query> => {
  const bounds = { batchSize: MAX_MAPPED, maxTimeMS: MAX_TIME_MS };
  const mappings = await roleMappings.find({ tenant, role, applies: true }, bounds).toArray();
  const names = mappings.map(({ folded }) => folded.groupDisplayName);
  const found = await groups
    .find({ tenant, 'folded.displayName': { $in: names } }, bounds)
    .toArray();
  return { _id: { $in: found.flatMap(({ room }) => room ?? []) } };
};

const queryOf = async (
  collections: Collections,
  tenantId: TenantId,
  { name, role, search }: RoomConditions,
): Promise<Query> => ({
  tenant: tenantId,
  ...(name === undefined ? {} : { [NAME]: nameKey(name) }),
  ...(role === undefined ? {} : await withRole(collections, tenantId, role)),
  ...(search === undefined ? {} : { $and: [hasName(NAME, search)] }),
});

/** The rooms that match, batch by batch; whether a room is mapped is known from its group. */
const stream = async function* (
  collections: Collections,
  tenantId: TenantId,
  { mapped, sort = BY_CREATION, ...conditions }: RoomConditions,
  { offset = 0, batch = BATCH }: { readonly offset?: number; readonly batch?: number } = {},
): AsyncGenerator<RoomView> {
  const named = await guardRead(() => queryOf(collections, tenantId, conditions));
  let query: Query | undefined = named;
  let skip = offset;
  while (query) {
    const current: Query = query;
    // Only if every room counts can the database skip them.
    const skipped = mapped === undefined ? skip : 0;
    const { found, views } = await guardRead(async () => {
      const cursor = collections.rooms
        .find(current, { batchSize: 1_000 })
        .sort(orderOf(sort))
        .skip(skipped)
        .limit(batch);
      const found = await readDocuments(cursor, tenantId);
      return { found, views: await viewRooms(collections, tenantId, found) };
    });
    const matching = views.filter(
      ({ group }) => mapped === undefined || mapped === (group !== null),
    );
    yield* matching.slice(skip - skipped);
    skip = Math.max(0, skip - skipped - matching.length);
    const last = found.length < batch ? undefined : found.at(-1);
    query = last && { ...named, ...following(last, sort) };
  }
};

const countAll = (collections: Collections, tenantId: TenantId) =>
  readCounter(collections, tenantId, 'roomCount');

const count = async (
  collections: Collections,
  tenantId: TenantId,
  conditions: RoomConditions,
  { left }: TimeBudget,
): Promise<number> => {
  const { name, mapped, role, search } = conditions;
  const countStream = async (most: number) =>
    (await take(stream(collections, tenantId, conditions), most)).length;
  // At most one room has a name.
  if (name !== undefined) return countStream(1);
  if (role !== undefined || search !== undefined) {
    if (mapped !== undefined) return countStream(MAX_MAPPED);
    const maxTimeMS = left();
    const query = await queryOf(collections, tenantId, conditions);
    return collections.rooms.countDocuments(query, { maxTimeMS });
  }
  if (mapped === undefined) return countAll(collections, tenantId);
  const withMapping = await collections.groups.countDocuments(
    { tenant: tenantId, room: { $ne: null } },
    { maxTimeMS: left() },
  );
  if (mapped) return withMapping;
  return Math.max(0, (await countAll(collections, tenantId)) - withMapping);
};

/** Whether rooms are mapped is known from their groups, so all of them are examined. */
const search = <Result>(
  { collections, limits }: Parts,
  tenantId: TenantId,
  { mapped, name, search: text }: RoomConditions,
  work: (budget: TimeBudget) => Promise<Result>,
): Promise<Result> =>
  limits.run(
    {
      tenantId,
      cost: name !== undefined || (mapped ?? text) === undefined ? 'point' : 'presence',
      size: () => countAll(collections, tenantId),
      resourceName: 'rooms',
      indexed: 'name',
    },
    work,
  );

const memberCount = async ({ rooms }: Collections, tenant: TenantId, _id: string) => {
  const found = await rooms.findOne({ _id, tenant }, { projection: { memberCount: 1 } });
  return found?.memberCount;
};

/** Reads of members, and of the rooms that a user is a member of. */
const MEMBER_READS: Pick<Reads<RoomReader, Parts>, 'roomsOf' | 'memberPage' | 'allMembers'> = {
  roomsOf: async ({ collections: { rooms, memberships } }, tenant, user, { offset, limit }) => {
    const own = await memberships
      .find({ tenant, user }, { batchSize: MAX_ROOMS_OF_USER })
      .sort({ roster: 1 })
      .limit(MAX_ROOMS_OF_USER)
      .toArray();
    const byRoster = new Map(own.map((membership) => [membership.roster, membership]));
    const found = await rooms
      .find(
        { _id: { $in: [...byRoster.keys()] }, tenant },
        { projection: { name: 1, folded: 1 }, batchSize: MAX_ROOMS_OF_USER },
      )
      .toArray();
    const sorted = found.sort((one, other) => (one.folded.name < other.folded.name ? -1 : 1));
    const items = sorted.slice(offset, offset + limit).flatMap(({ _id, name }) => {
      const membership = byRoster.get(_id);
      if (!membership) return [];
      return [
        { id: _id as RoomId, name, txPermission: membership.tx, addedAt: membership.addedAt },
      ];
    });
    return { items, total: sorted.length };
  },
  memberPage: async ({ collections }, tenantId, id, page) => {
    const total = await memberCount(collections, tenantId, id);
    if (total === undefined) return undefined;
    return { items: await pageOfMembers(collections, tenantId, id, page), total };
  },
  allMembers: async ({ collections }, tenantId, id, { offset }) => {
    const total = await memberCount(collections, tenantId, id);
    return total === undefined
      ? undefined
      : { items: streamMembers(collections, tenantId, id, offset), total };
  },
};

const READS: Reads<RoomReader, Parts> = {
  ...MEMBER_READS,
  find: async ({ collections }, tenantId, id) => {
    const found = await collections.rooms.findOne({ _id: id, tenant: tenantId });
    return found ? (await viewRooms(collections, tenantId, [found]))[0] : undefined;
  },
  page: (parts, tenantId, { offset, limit, ...conditions }) =>
    search(parts, tenantId, conditions, async (budget) => {
      const { collections } = parts;
      const batch = batchFor(conditions, limit);
      const [total, items] = await Promise.all([
        count(collections, tenantId, conditions, budget),
        take(stream(collections, tenantId, conditions, { offset, batch }), limit),
      ]);
      return { items, total };
    }),
  all: (parts, tenantId, { offset, ...conditions }) =>
    search(parts, tenantId, conditions, async (budget) => ({
      items: stream(parts.collections, tenantId, conditions, { offset }),
      total: await count(parts.collections, tenantId, conditions, budget),
    })),
  countMapped: async ({ collections: { database, groups } }, tenantId) => {
    const { n } = await database.command({
      count: groups.collectionName,
      // A text: null is not in this range of the index.
      query: { tenant: tenantId, room: { $gte: '' } },
      hint: { tenant: 1, room: 1 },
      limit: MAX_MAPPED,
      maxTimeMS: MAX_TIME_MS,
    });
    return Number(n);
  },
};

/** Reads of rooms, within one tenant. */
export const mongoRoomReader = (
  collections: Collections,
  limits: SearchLimits = createSearchLimits(),
): RoomReader => bindReads<RoomReader, Parts>(READS, { collections, limits });

/** How many rooms must be read for a page of mapped ones is unknown. */
const batchFor = ({ mapped }: RoomConditions, limit: number): number =>
  mapped === undefined ? Math.min(BATCH, limit) : BATCH;

/** The first items of a stream; the rest is not read. */
const take = async <Item>(items: AsyncIterable<Item>, most: number): Promise<readonly Item[]> => {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= most) break;
  }
  return taken;
};

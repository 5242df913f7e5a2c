import { beforeAll, describe, expect, it } from 'vitest';
import type {
  ActivityReader,
  CommandLogReader,
  ExplainReader,
} from '../../../src/ports/command-log.js';
import type { GroupViewReader, RoomReader } from '../../../src/ports/rooms.js';
import type { SearchReader } from '../../../src/ports/tenants.js';
import type { UserReader } from '../../../src/ports/users.js';
import type { GroupId, RoomId, TenantId, UserId } from '../../../src/domain/kernel/ids.js';
import { membershipIdOf } from '../../../src/domain/room/room.js';
import { newId } from '../../../src/pipeline/submit.js';
import { mongoActivityReader } from '../../../src/store/read/activity-reader.js';
import { mongoCommandLogReader } from '../../../src/store/read/command-log-reader.js';
import { mongoExplainReader } from '../../../src/store/read/explain-reader.js';
import { mongoRoomReader } from '../../../src/store/read/room-reader.js';
import { mongoGroupViewReader } from '../../../src/store/read/role-mapping-reader.js';
import { mongoSearchReader } from '../../../src/store/read/search-reader.js';
import { mongoUserReader } from '../../../src/store/read/user-reader.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import { toUserDocument } from '../../../src/store/tables/users.js';
import { aUser, idOf, NOW } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';
import { profileReads } from '../../support/profile-reads.js';
import { toGroupDocument, toMembershipDocument } from '../../support/stored-documents.js';

const database = useDatabase();
const TENANT = newId<TenantId>();
const MANY = 2_000;
const HOUR = 3_600_000;
/** The end of an hour. */
const END = new Date(Math.ceil(NOW.getTime() / HOUR) * HOUR);
/** The log is of the day before; one in ten commands was refused, each other one has an event. */
const atOf = (at: number): Date => new Date(END.getTime() - 24 * HOUR + at * 43_200 - 1);

let collections: Collections;
let log: CommandLogReader;
let activity: ActivityReader;
let search: SearchReader;
let rooms: RoomReader;
let groupViews: GroupViewReader;
let users: UserReader;
let explain: ExplainReader;

const userAt = (at: number) => idOf<UserId>(0x10_000 + at);
const roomAt = (at: number) => idOf<RoomId>(0x30_000 + at);

beforeAll(async () => {
  collections = collectionsOf(await database.open());
  log = mongoCommandLogReader(collections);
  activity = mongoActivityReader(collections, () => new Date(END.getTime() + HOUR));
  search = mongoSearchReader(collections, log);
  rooms = mongoRoomReader(collections);
  groupViews = mongoGroupViewReader(collections);
  users = mongoUserReader(collections);
  explain = mongoExplainReader(collections, log);
  const numbers = Array.from({ length: MANY }, (_, at) => at);
  const document = (fields: object) => ({ tenant: TENANT, ...fields }) as never;
  await collections.users.insertMany(
    numbers.map((at) => {
      const user = { ...aUser(at, { displayName: `Ada ${at}` }), id: userAt(at) };
      return toUserDocument({ ...user, tenantId: TENANT }, at);
    }),
  );
  await collections.rooms.insertMany(
    numbers.map((at) =>
      document({
        _id: roomAt(at),
        v: 1,
        name: `Ada ${at}`,
        folded: { name: `ada ${at}`, words: [String(at)] },
        memberCount: 0,
        pendingJob: null,
        createdAt: NOW,
        updatedAt: NOW,
      }),
    ),
  );
  await collections.groups.insertMany(
    numbers.map((at) =>
      toGroupDocument({
        id: idOf<GroupId>(0x20_000 + at),
        tenantId: TENANT,
        displayName: `Ada ${at}`,
        externalId: null,
        roomId: at < 7 ? roomAt(at) : null,
        memberCount: 0,
        version: 1,
        pendingJob: null,
        createdAt: NOW,
        updatedAt: NOW,
      }),
    ),
  );
  await collections.memberships.insertMany(
    numbers.map((at) =>
      toMembershipDocument({
        id: membershipIdOf(roomAt(3), userAt(at)),
        tenantId: TENANT,
        rosterId: roomAt(3),
        userId: userAt(at),
        txPermission: true,
        addedAt: NOW,
      }),
    ),
  );
  const outcomeOf = (at: number) => (at % 10 === 0 ? 'refused' : 'applied');
  await collections.commandLog.insertMany(
    numbers.map((at) =>
      document({
        _id: idOf(0x40_000 + at),
        at: atOf(at),
        actor: 'operator:admin-token',
        source: 'admin',
        type: 'user.update',
        outcome: outcomeOf(at),
        refusal: null,
        events: null,
        durationMs: 1,
        requestId: `request-${at}`,
        actorName: 'admin-token',
        subject: null,
        affected: [],
        affectedCount: 0,
        changes: [],
        changeCount: 0,
        keys: [
          `r:request-${at}`,
          ...(at % 10 === 0 ? ['o:refused'] : []),
          ...(at % 200 === 0 ? [`t:ada ${at}`] : []),
        ],
        expireAt: new Date(Date.now() + 24 * HOUR),
      }),
    ),
  );
  await collections.events.insertMany(
    numbers
      .filter((at) => at % 2 === 0)
      .map((at) =>
        document({
          _id: newId(),
          tenantSlug: 'acme',
          seq: at / 2 + 1,
          name: 'user.updated',
          res: { type: 'user', id: userAt(at) },
          data: {},
          at: atOf(at),
          apiKeyId: null,
        }),
      ),
  );
  await collections.tenantState.insertOne({ _id: TENANT, seq: MANY / 2 } as never);
}, 60_000);

const TEN = { offset: 0, limit: 10 };
const byName = { by: 'name', descending: false } as const;

const profile = (read: () => Promise<unknown>) => profileReads(collections, read);

describe('what operators read of a large tenant', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a search', () => search.find(TENANT, 'Ada')],
    ['a search for a later word of names', () => search.find(TENANT, '1')],
    ['a search for an id', () => search.find(TENANT, userAt(7))],
    ['a search for a request', () => search.find(TENANT, 'request-7')],
    ['a user to explain', () => explain.findUser(TENANT, 'user1999@example.com')],
    ['refused users to explain', () => explain.refusedUsers(TENANT, 'ada')],
    ['the history of a room to explain', () => explain.roomHistory(TENANT, 'Ada 7')],
    ['a deleted user to explain', () => explain.findUser(TENANT, 'gone@example.com')],
    ['the log of a user', () => log.page(TENANT, { affected: 'user1999@example.com', limit: 10 })],
    ['an entry of the log', () => log.find(TENANT, idOf(0x40_000))],
    ['the rooms of a user', () => rooms.roomsOf(TENANT, userAt(7), { offset: 0, limit: 10 })],
    ['a page of rooms by name', () => rooms.page(TENANT, { ...TEN, sort: byName })],
    ['rooms by a word', () => rooms.page(TENANT, { ...TEN, search: '1999', sort: byName })],
    ['rooms by a role', () => rooms.page(TENANT, { ...TEN, role: 'dispatcher' })],
    ['a page of groups by name', () => groupViews.page(TENANT, { ...TEN, sort: byName })],
    [
      'a page of groups by change',
      () => groupViews.page(TENANT, { ...TEN, sort: { by: 'updated', descending: true } }),
    ],
    ['groups by a word', () => groupViews.page(TENANT, { ...TEN, search: 'ada 1999' })],
    [
      'members of a room',
      () => users.page(TENANT, { ...TEN, defaultRole: 'member', room: roomAt(3) }),
    ],
    ...(['displayName', 'meta.created', 'meta.lastModified'] as const).map(
      (name): [string, () => Promise<unknown>] => [
        `users by ${name}`,
        () =>
          users.page(TENANT, {
            ...TEN,
            defaultRole: 'member',
            sort: {
              attribute: { path: name.split('.'), type: 'string', caseExact: false },
              descending: true,
            },
          }),
      ],
    ),
  ])('%s examines few documents', async (_what, read) => {
    const seen = await profile(read);
    expect(seen.length).toBeGreaterThan(0);
    for (const { ns, planSummary, keysExamined, docsExamined } of seen) {
      expect(planSummary, ns).not.toContain('COLLSCAN');
      expect(keysExamined, `${ns} ${planSummary}`).toBeLessThan(20);
      expect(docsExamined, `${ns} ${planSummary}`).toBeLessThan(20);
    }
  });

  it('similar names are looked up in bounded ranges of indexes', async () => {
    const seen = await profile(() => explain.similar(TENANT, 'Adda Lovelace'));
    expect(seen.length).toBeGreaterThan(5);
    for (const { ns, planSummary, docsExamined } of seen) {
      expect(planSummary, ns).not.toContain('COLLSCAN');
      expect(docsExamined, `${ns} ${planSummary}`).toBeLessThanOrEqual(100);
    }
  });

  it.each<[string, () => Promise<unknown>, unknown]>([
    ['mapped rooms', () => rooms.countMapped(TENANT), 7],
    [
      'refused commands',
      () =>
        activity.count(TENANT, 'refused', {
          from: new Date(END.getTime() - 48 * HOUR),
          until: END,
        }),
      MANY / 10,
    ],
  ])('%s are counted in an index, without their documents', async (_what, read, expected) => {
    let result: unknown;
    const seen = await profile(async () => (result = await read()));
    expect(result).toBe(expected);
    expect(seen.length).toBeGreaterThan(0);
    for (const { planSummary, docsExamined } of seen) {
      expect(planSummary).toContain('COUNT_SCAN');
      expect(docsExamined).toBe(0);
    }
  });

  it('the live log reads positions from an index, without entries', async () => {
    const after = { at: atOf(MANY - 6), id: idOf(0x40_000 + MANY - 6) };
    const seen = await profile(async () => {
      expect(await log.positions(TENANT, { after, until: atOf(MANY), limit: 100 })).toHaveLength(5);
    });
    for (const { keysExamined, docsExamined } of seen) {
      expect(keysExamined).toBeLessThan(10);
      expect(docsExamined).toBe(0);
    }
  });

  it('the activity of a day reads no entries, and few events; past hours are remembered', async () => {
    // Given a day of 2,000 commands and 1,000 events
    const period = { from: new Date(END.getTime() - 24 * HOUR), until: END, stepMs: HOUR };
    let points: Awaited<ReturnType<ActivityReader['points']>> = [];
    const seen = await profile(async () => (points = await activity.points(TENANT, period)));
    // The first command is just before the day.
    const sum = (name: 'applied' | 'refused' | 'events') =>
      points.reduce((total, point) => total + point[name], 0);
    expect(points).toHaveLength(24);
    expect([sum('applied'), sum('refused'), sum('events')]).toEqual([1_800, 199, 999]);
    const logs = seen.filter(({ ns }) => ns.endsWith('.command_log'));
    expect(logs.length).toBeGreaterThan(0);
    for (const { docsExamined } of logs) expect(docsExamined).toBe(0);
    const events = seen.filter(({ ns }) => ns.endsWith('.events'));
    expect(events.reduce((total, { docsExamined }) => total + docsExamined, 0)).toBeLessThan(500);
    // When it is read again
    const again = await profile(async () => {
      expect(await activity.points(TENANT, period)).toEqual(points);
    });
    // Then nothing is counted
    expect(again).toEqual([]);
  });
});

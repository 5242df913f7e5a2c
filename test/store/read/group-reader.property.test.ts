import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type {
  GroupQuery,
  GroupReader,
  CursorRequest,
  UserReader,
} from '../../../src/ports/users.js';
import {
  type AttributeReference,
  type Filter,
  matchFilter,
} from '../../../src/domain/kernel/filter.js';
import type { Group } from '../../../src/domain/group/group.js';
import type { GroupId, RoomId, TenantId, UserId } from '../../../src/domain/kernel/ids.js';
import { membershipIdOf } from '../../../src/domain/room/room.js';
import { RefusalError } from '../../../src/domain/kernel/refusals.js';
import { newId } from '../../../src/pipeline/submit.js';
import { findAttribute } from '../../../src/scim/attributes.js';
import { readFilter } from '../../../src/scim/filter-reader.js';
import { GROUP, USER } from '../../../src/scim/schemas.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import { mongoGroupReader } from '../../../src/store/read/group-reader.js';
import { toGroupDocument, toMembershipDocument } from '../../support/stored-documents.js';
import { toUserDocument } from '../../../src/store/tables/users.js';
import { mongoUserReader } from '../../../src/store/read/user-reader.js';
import { filterableGroup } from '../../scim/filterable.js';
import { printFilter } from '../../scim/print-filter.js';
import { aUser, idOf, NOW } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';
import { propertyRuns } from '../../support/property-runs.js';

const database = useDatabase();
const TENANT = newId<TenantId>();
const OTHER = newId<TenantId>();

const USERS = Array.from({ length: 6 }, (_, at) => idOf<UserId>(at + 1));
const NAMES = ['Alpha', 'bravo', 'Charlie', 'alpha 2', 'delta', 'É', 'zulu', 'Mike'];

/** Group `at` has the users whose bit is set in its number; every other group is a room's. */
const groups: readonly Group[] = NAMES.map((displayName, at) => ({
  id: idOf<GroupId>(0x100 + at),
  tenantId: TENANT,
  displayName,
  externalId: at % 3 === 0 ? null : `x-${at % 2}`,
  roomId: at % 2 === 0 ? idOf<RoomId>(0x200 + at) : null,
  memberCount: USERS.filter((_, bit) => ((at * 11) >> bit) & 1).length,
  version: 1,
  pendingJob: null,
  // Two groups each have the same age.
  createdAt: new Date(NOW.getTime() + Math.floor(at / 2) * 1_000),
  updatedAt: new Date(NOW.getTime() - Math.floor(at / 3) * 1_000),
}));

const membersOf = (group: Group): readonly UserId[] =>
  USERS.filter((_, bit) => ((groups.indexOf(group) * 11) >> bit) & 1);

let collections: Collections;
let reader: GroupReader;
let userReader: UserReader;

const membership = (rosterId: RoomId | GroupId, userId: UserId, tenantId = TENANT) =>
  toMembershipDocument({
    id: membershipIdOf(rosterId, userId),
    tenantId,
    rosterId,
    userId,
    txPermission: false,
    addedAt: NOW,
  });

beforeAll(async () => {
  collections = collectionsOf(await database.open());
  reader = mongoGroupReader(collections);
  userReader = mongoUserReader(collections);
  const users = USERS.map((id, at) => ({
    ...aUser(at + 1, { displayName: `Name ${at % 3}` }),
    id,
  }));
  await collections.users.insertMany(
    users.map((user, at) => toUserDocument({ ...user, tenantId: TENANT }, at)),
  );
  await collections.groups.insertMany(groups.map(toGroupDocument));
  const strange = { ...groups[0], id: newId<GroupId>(), roomId: null, tenantId: OTHER } as Group;
  await collections.groups.insertOne(toGroupDocument(strange));
  await collections.memberships.insertMany([
    ...groups.flatMap((group) =>
      membersOf(group).map((id) => membership(group.roomId ?? group.id, id)),
    ),
    // A room without a group has members, too.
    ...USERS.map((id) => membership(idOf<RoomId>(0x300), id)),
    ...USERS.map((id) => membership(strange.id, id, OTHER)),
  ]);
  await collections.tenantState.insertOne({
    _id: TENANT,
    groupCount: groups.length,
    userCount: USERS.length,
  } as never);
});

const filterOf = (text: string): Filter => readFilter(text, GROUP);

const find = async (filter: Filter, more: Partial<GroupQuery> = {}) => {
  const page = await reader.page(TENANT, { filter, offset: 0, limit: 100, ...more });
  return { ...page, ids: page.groups.map(({ id }) => id) };
};

const expectedOf = (filter: Filter): readonly string[] =>
  groups
    .filter((group) => matchFilter(filter, filterableGroup(group, membersOf(group))))
    .map(({ id }) => id);

const referenceOf = (name: string): AttributeReference => {
  const attribute = findAttribute(GROUP, name);
  if (!attribute) throw new Error(name);
  return attribute.reference;
};

const compare = (
  name: string,
  values: fc.Arbitrary<string | null>,
  operators: readonly ('eq' | 'ne' | 'co' | 'sw' | 'gt' | 'le')[] = ['eq', 'ne'],
) =>
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom(...operators),
    attribute: fc.constant(referenceOf(name)),
    value: values,
  });

const oneUser = fc.constantFrom(...USERS, 'unknown');
const inMember = (name: string): AttributeReference => {
  const reference = referenceOf(`members.${name}`);
  return { ...reference, path: reference.path.slice(1) };
};

const memberLeaf = fc.oneof(
  compare('members.value', fc.option(oneUser)).map((leaf) => ({
    ...leaf,
    attribute: inMember('value'),
  })),
  compare('members.type', fc.constantFrom('User', 'group'), ['eq', 'ne', 'co']).map((leaf) => ({
    ...leaf,
    attribute: inMember('type'),
  })),
  fc.constant({ kind: 'present' as const, attribute: inMember('value') }),
);

const TEXTS = fc.constantFrom('a', 'ALPHA', 'é', 'zulu', 'x-1', ' ');
const ORDERED = ['eq', 'ne', 'co', 'sw', 'gt', 'le'] as const;

const leaf = fc.oneof(
  compare('displayName', TEXTS, ORDERED),
  compare('externalId', fc.option(TEXTS)),
  compare('externalId', TEXTS, ORDERED),
  compare('id', fc.constantFrom(...groups.map(({ id }) => id))),
  compare('meta.created', fc.constant(NOW.toISOString()), ['gt', 'le', 'eq', 'ne']),
  compare('members.value', fc.option(oneUser)),
  compare('members.type', fc.constantFrom('User', 'Group')),
  fc.record({
    kind: fc.constant('present' as const),
    attribute: fc.constantFrom(
      ...['members', 'members.value', 'displayName', 'externalId', 'id'].map(referenceOf),
    ),
  }),
);

const tree = (leaves: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaves,
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        of: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
    ),
  })).filter;

const element = tree(memberLeaf).map((of): Filter => ({
  kind: 'element',
  attribute: referenceOf('members'),
  of,
}));

describe('groups in the database', () => {
  it('are returned if they match a filter', async () => {
    await fc.assert(
      fc.asyncProperty(tree(fc.oneof(leaf, element)), async (filter) => {
        const { ids, total } = await find(filter);
        expect(ids, printFilter(filter)).toEqual(expectedOf(filter));
        expect(total).toBe(ids.length);
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  it.each([
    `members eq "${USERS[0] ?? ''}"`,
    `members[value eq "${USERS[1] ?? ''}" and type eq "User"]`,
    `members[value ne "${USERS[0] ?? ''}"]`,
    `not (members.value eq "${USERS[0] ?? ''}")`,
    `id eq "${groups[1]?.id ?? ''}" and members eq "${USERS[0] ?? ''}"`,
    'externalId eq "x-1"',
    'displayName sw "AL"',
    'members eq null',
  ])('are found by %s', async (text) => {
    const expected = expectedOf(filterOf(text));
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(groups.length);
    expect((await find(filterOf(text))).ids).toEqual(expected);
  });

  it('cannot be filtered by attributes that members do not have', async () => {
    const filter: Filter = {
      kind: 'compare',
      operator: 'co',
      attribute: referenceOf('members.display'),
      value: 'x',
    };
    await expect(find(filter)).rejects.toBeInstanceOf(RefusalError);
  });

  it('are looked up by name with an index', async () => {
    const { ids } = await find(filterOf('displayName eq "CHARLIE"'));
    expect(ids).toEqual([groups[2]?.id]);
  });

  it('are found by id within their tenant', async () => {
    const [first] = groups as [Group];
    expect(await reader.find(TENANT, first.id)).toEqual(first);
    expect(await reader.find(OTHER, first.id)).toBeUndefined();
  });

  it('are listed by age with the total from the tenant’s counter', async () => {
    const page = await reader.page(TENANT, { offset: 3, limit: 2 });
    expect(page.groups).toEqual(groups.slice(3, 5));
    expect(page.total).toBe(groups.length);
    expect(await reader.page(TENANT, { offset: 0, limit: 0 })).toEqual({ groups: [], total: 8 });
  });
});

type Listed = readonly [name: string | undefined, descending: boolean];

const orders: readonly Listed[] = [
  [undefined, false],
  ...['displayName', 'id', 'meta.created', 'meta.lastModified'].flatMap((name): Listed[] => [
    [name, false],
    [name, true],
  ]),
];

describe.each([...orders])('a list by %s, descending: %s', (name, descending) => {
  const sort = name === undefined ? {} : { sort: { attribute: referenceOf(name), descending } };
  const userSort =
    name === undefined
      ? {}
      : {
          sort: {
            attribute: findAttribute(USER, name)?.reference ?? referenceOf(name),
            descending,
          },
        };

  const pageOfGroups = async (cursorRequest: CursorRequest, limit: number) => {
    const { groups: items, ...rest } = await reader.page(TENANT, {
      ...sort,
      offset: 0,
      limit,
      cursorRequest,
    });
    return { items, ...rest };
  };
  const pageOfUsers = async (cursorRequest: CursorRequest, limit: number) => {
    const query = { ...userSort, defaultRole: 'member', offset: 0, limit, cursorRequest };
    const { users: items, ...rest } = await userReader.page(TENANT, query);
    return { items, ...rest };
  };

  it.each([
    ['groups', pageOfGroups, 8],
    ['users', pageOfUsers, 6],
  ] as const)('of %s can be paged to its end and back', async (_what, readPage, total) => {
    for (const limit of [1, 2, 3, total]) {
      const pages = [await readPage({ to: 'first' }, limit)];
      for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
        pages.push(await readPage({ to: 'after', position: next }, limit));
      }
      const ids = pages.flatMap(({ items }) => items.map(({ id }) => id as string));
      expect(pages).toHaveLength(Math.ceil(total / limit));
      expect(new Set(ids).size).toBe(total);
      for (const page of pages) expect(page.total).toBe(total);
      const back: string[] = [];
      let before = pages.at(-1)?.previous;
      while (before) {
        const page = await readPage({ to: 'before', position: before }, limit);
        back.unshift(...page.items.map(({ id }) => id as string));
        before = page.previous;
      }
      expect(back).toEqual(ids.slice(0, back.length));
      expect(back).toHaveLength(ids.length - (pages.at(-1)?.items.length ?? 0));
    }
  });

  it('is the same with offsets', async () => {
    const byNumber = (await reader.page(TENANT, { ...sort, offset: 0, limit: 100 })).groups;
    const byPlace = (await pageOfGroups({ to: 'first' }, 100)).items;
    expect(byPlace).toEqual(byNumber);
  });
});

describe('a cursor', () => {
  const cursorRequest = { to: 'after', position: ['x', 1, 2] } as const;
  it.each([
    ['groups', () => reader.page(TENANT, { offset: 0, limit: 1, cursorRequest })],
    [
      'users',
      () => userReader.page(TENANT, { defaultRole: 'm', offset: 0, limit: 1, cursorRequest }),
    ],
  ])('of %s is refused if it is not valid', async (_what, ask) => {
    await expect(ask()).rejects.toMatchObject({ refusal: { scimType: 'invalidCursor' } });
  });
});

describe('a list that changes while it is paged', () => {
  it('skips no group and repeats none', async () => {
    const first = await reader.page(TENANT, {
      offset: 0,
      limit: 3,
      cursorRequest: { to: 'first' },
    });
    const gone = groups.slice(0, 3).map(toGroupDocument);
    await collections.groups.deleteMany({ _id: { $in: gone.map(({ _id }) => _id) } });
    try {
      const cursorRequest: CursorRequest = { to: 'after', position: first.next ?? [] };
      const rest = await reader.page(TENANT, { offset: 0, limit: 100, cursorRequest });
      expect(rest.groups).toEqual(groups.slice(3));
    } finally {
      await collections.groups.insertMany(gone);
    }
  });
});

describe('members in the database', () => {
  it('are in the order of their ids, with names if requested', async () => {
    for (const group of groups) {
      for (const withNames of [true, false]) {
        const read = [];
        for await (const batch of reader.members(group, { withNames })) read.push(...batch);
        expect(read).toEqual(
          membersOf(group).map((userId) => ({
            userId,
            displayName: withNames ? `Name ${USERS.indexOf(userId) % 3}` : null,
          })),
        );
      }
    }
  });

  it('of many groups are read at once', async () => {
    const all = await reader.membersOfAll(groups, { withNames: false });
    for (const group of groups) {
      expect(all.get(group.id)?.map(({ userId }) => userId)).toEqual(membersOf(group));
    }
    expect(await reader.membersOfAll([], { withNames: true })).toEqual(new Map());
  });

  it('of a long list are read 500 at a time', async () => {
    const roster = idOf<GroupId>(0x900);
    const ids = Array.from({ length: 1_345 }, (_, at) => idOf<UserId>(0x10000 + at));
    await collections.memberships.insertMany(ids.map((id) => membership(roster, id)));
    const long = { ...groups[0], id: roster, roomId: null, memberCount: ids.length } as Group;
    const batches = [];
    for await (const batch of reader.members(long, { withNames: false })) batches.push(batch);
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 345]);
    expect(batches.flat().map(({ userId }) => userId)).toEqual(ids);
  });

  it('have the groups that they are in, by name, and no rooms without a group', async () => {
    const found = await reader.groupsOf(TENANT, [...USERS, idOf<UserId>(0xdead)]);
    for (const id of USERS) {
      const expected = groups
        .filter((group) => membersOf(group).includes(id))
        .map(({ id: groupId, displayName }) => ({ id: groupId, displayName }))
        .toSorted((one, other) => (one.displayName < other.displayName ? -1 : 1));
      expect(found.get(id) ?? []).toEqual(expected);
    }
    expect(found.has(idOf<UserId>(0xdead))).toBe(false);
    expect(await reader.groupsOf(TENANT, [])).toEqual(new Map());
  });
});

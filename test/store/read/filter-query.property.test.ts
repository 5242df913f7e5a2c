import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CursorRequest, UserQuery, UserReader } from '../../../src/ports/users.js';
import { type Filter, matchFilter } from '../../../src/domain/kernel/filter.js';
import { fold } from '../../../src/domain/kernel/names.js';
import { type Group, rosterOf } from '../../../src/domain/group/group.js';
import type {
  GroupId,
  RoomId,
  RosterId,
  TenantId,
  UserId,
} from '../../../src/domain/kernel/ids.js';
import { membershipIdOf } from '../../../src/domain/room/room.js';
import type { User } from '../../../src/domain/user/user.js';
import { newId } from '../../../src/pipeline/submit.js';
import { findAttribute } from '../../../src/scim/attributes.js';
import { readFilter } from '../../../src/scim/filter-reader.js';
import { readUser } from '../../../src/scim/read-user.js';
import { USER } from '../../../src/scim/schemas.js';
import { collectionsOf } from '../../../src/store/tables/collections.js';
import { toGroupDocument, toMembershipDocument } from '../../support/stored-documents.js';
import { toUserDocument } from '../../../src/store/tables/users.js';
import { userFilterQuery, userSortField } from '../../../src/store/read/user-filter.js';
import { mongoUserReader } from '../../../src/store/read/user-reader.js';
import { userBody, userFilter, word } from '../../scim/arbitraries.js';
import { filterableUser } from '../../scim/filterable.js';
import { printFilter } from '../../scim/print-filter.js';
import { aUser, idOf, NOW } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';
import { propertyRuns } from '../../support/property-runs.js';

const DEFAULT_ROLE = 'a';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const filterOf = (text: string): Filter => readFilter(text, USER);
const queryOf = (filter: Filter) => userFilterQuery(filter, { defaultRole: DEFAULT_ROLE });

describe('the query of a filter', () => {
  it.each<[string, object]>([
    ['userName eq "BOB"', { 'folded.userName': 'bob' }],
    ['userName eq "E\u0301"', { 'folded.userName': 'é' }],
    ['externalId eq "BOB"', { 'profile.externalId': 'BOB' }],
    ['id eq "BOB"', { _id: 'BOB' }],
    ['active eq true', { 'profile.active': true }],
    ['title ne "X"', { $nor: [{ 'folded.title': 'x' }] }],
    ['title co "A.b*"', { 'folded.title': { $regex: 'a\\.b\\*' } }],
    ['title sw "A"', { 'folded.title': { $regex: '^a' } }],
    ['title ew "A"', { 'folded.title': { $regex: 'a\\z' } }],
    ['title gt "A"', { 'folded.title': { $gt: 'a' } }],
    ['title pr', { 'folded.title': { $gt: '' } }],
    ['active pr', { 'profile.active': { $in: [true, false] } }],
    ['emails pr', { 'profile.emails': { $type: 'object' } }],
    ['title eq null', { $nor: [{ 'folded.title': { $gt: '' } }] }],
    ['title ne null', { 'folded.title': { $gt: '' } }],
    [`${ENTERPRISE}:manager eq "X"`, { 'folded.enterprise.manager.value': 'x' }],
    [
      'meta.lastModified ge "2026-01-31T12:00:00Z"',
      { updatedAt: { $gte: new Date('2026-01-31T12:00:00Z') } },
    ],
    [
      'emails[type eq "WORK" and primary eq true]',
      { 'folded.emails': { $elemMatch: { $and: [{ type: 'work' }, { primary: true }] } } },
    ],
    [
      'x509Certificates[value eq "MII"]',
      { 'folded.x509Certificates': { $elemMatch: { value: 'MII' } } },
    ],
    ['not (active eq true)', { $nor: [{ 'profile.active': true }] }],
    ['roles.value eq "boss"', { role: 'boss' }],
    ['roles.value eq "a"', { $or: [{ role: 'a' }, { role: null }] }],
    ['roles.value ne "a"', { $nor: [{ $or: [{ role: 'a' }, { role: null }] }] }],
    ['roles pr', {}],
    ['roles[primary eq true]', { _id: { $exists: false } }],
    ['roles.primary eq false', { $nor: [{ _id: { $exists: false } }] }],
  ])('of %s can use an index', (text, expected) => {
    expect(queryOf(filterOf(text))).toEqual(expected);
  });

  it('never contains a case-insensitive regular expression', () => {
    fc.assert(
      fc.property(userFilter(fc.string()), (filter) => {
        expect(JSON.stringify(queryOf(filter))).not.toContain('$options');
      }),
    );
  });
});

describe('the order of an attribute', () => {
  it.each([
    ['id', '_id'],
    ['userName', 'folded.userName'],
    ['displayName', 'folded.label'],
    ['meta.created', 'n'],
    ['meta.lastModified', 'updatedAt'],
  ])('%s is that of a field that every user has', (name, field) => {
    const attribute = (filterOf(`${name} pr`) as Extract<Filter, { kind: 'present' }>).attribute;
    expect(userSortField(attribute).field).toBe(field);
  });
});

const TENANT = newId<TenantId>();
const FIRST = idOf<GroupId>(0x1000);
const SECOND = idOf<GroupId>(0x1001);

/** Conditions on groups as clients send them, and combinations. */
const GROUP_FILTERS = [
  `groups eq "${FIRST}"`,
  `groups.value eq "${SECOND}"`,
  `groups.value eq "${SECOND.toUpperCase()}"`,
  `groups[value eq "${FIRST}"]`,
  'groups.display eq "ab"',
  'groups[display eq "É" and type eq "direct"]',
  'groups pr',
  'groups ne null',
  'groups eq null',
  `groups ne "${FIRST}"`,
  `groups[value ne "${FIRST}"]`,
  `not (groups eq "${FIRST}")`,
  `groups eq "${FIRST}" and groups.display eq "work"`,
  `groups eq "${FIRST}" and not (groups.display eq "work")`,
  `groups[value eq "${FIRST}" or value eq "${SECOND}"]`,
  `groups eq "${FIRST}" or groups eq "${SECOND}"`,
  `groups eq "${FIRST}" and active eq true`,
  `groups eq "${FIRST}" and userName sw "a"`,
  `userName eq "a" or groups eq "${FIRST}"`,
  `(groups eq "${FIRST}" or title pr) and groups pr`,
] as const;

describe('MongoDB', () => {
  const database = useDatabase();
  let reader: UserReader;
  let allUsers: readonly User[];

  const time = fc.date({
    min: new Date('2020-01-01'),
    max: new Date('2030-01-01'),
    noInvalidDate: true,
  });

  const population = fc.array(
    fc.record({ body: userBody(word), role: fc.option(word), created: time, updated: time }),
    { minLength: 150, maxLength: 150 },
  );

  const makeUsers = (): readonly User[] => {
    const [drawn = []] = fc.sample(population, { numRuns: 1, seed: 20261121 });
    const emails = [[{ type: 'a', value: 'A' }], [{ type: 'a', value: 'b' }, { value: 'a' }]];
    const withEmails = emails.map((list) => ({ userName: 'z', emails: list }));
    const more = withEmails.map((body) => ({
      body,
      role: 'b',
      created: new Date(),
      updated: new Date(),
    }));
    const taken = new Set<string>();
    return [...drawn, ...more].map(({ body, role, created, updated }, at) => {
      const profile = readUser(body);
      // Unique as in a tenant, which a lookup by user name relies on.
      const userName = taken.has(fold(profile.userName))
        ? `${profile.userName}${at}`
        : profile.userName;
      taken.add(fold(userName));
      return {
        ...aUser(at),
        id: idOf(at),
        profile: { ...profile, userName },
        role,
        createdAt: created,
        updatedAt: updated,
      };
    });
  };

  /** Groups named by some of the words; every other one is a room's. */
  const groups: readonly Group[] = ['a', 'AB', 'é', '^a$', 'work', 'no members'].map(
    (displayName, at) => ({
      id: idOf<GroupId>(0x1000 + at),
      tenantId: TENANT,
      displayName,
      externalId: null,
      roomId: at % 2 === 0 ? idOf<RoomId>(0x2000 + at) : null,
      memberCount: 0,
      version: 1,
      pendingJob: null,
      createdAt: NOW,
      updatedAt: NOW,
    }),
  );

  /** The groups whose bit is set in the user's number; every third user is in none. */
  const groupsOf = (at: number): readonly Group[] =>
    groups.slice(0, -1).filter((_, bit) => at % 3 > 0 && ((at * 7) >> bit) & 1);

  const membershipOf = (rosterId: RosterId, userId: UserId) =>
    toMembershipDocument({
      id: membershipIdOf(rosterId, userId),
      tenantId: TENANT,
      rosterId,
      userId,
      txPermission: false,
      addedAt: NOW,
    });

  beforeAll(async () => {
    const collections = collectionsOf(await database.open());
    allUsers = makeUsers();
    // Random users may share an email address, so its index is not unique here.
    await collections.users.dropIndex('tenant_1_folded.email_1');
    await collections.users.createIndexes([{ key: { tenant: 1, 'folded.email': 1 } }]);
    await collections.users.insertMany(
      allUsers.map((user, at) => toUserDocument({ ...user, tenantId: TENANT }, at)),
    );
    const counted = groups.map((group) => ({
      ...group,
      memberCount: allUsers.filter((_, at) => groupsOf(at).includes(group)).length,
    }));
    await collections.groups.insertMany(counted.map(toGroupDocument));
    await collections.memberships.insertMany(
      allUsers.flatMap(({ id }, at) => [
        ...groupsOf(at).map((group) => membershipOf(rosterOf(group), id)),
        // A room without a group has members, too, and so have groups of other tenants.
        membershipOf(idOf<RoomId>(0x3000), id),
        { ...membershipOf(rosterOf(groups[5] as Group), id), _id: `other:${id}`, tenant: 'other' },
      ]),
    );
    const counts = { userCount: allUsers.length, seatsProvisioned: 0 };
    await collections.tenantState.insertOne({ _id: TENANT, ...counts } as never);
    reader = mongoUserReader(collections);
  });

  const pageBy = (filter: Filter, more: Partial<UserQuery> = {}) =>
    reader.page(TENANT, { filter, defaultRole: DEFAULT_ROLE, offset: 0, limit: 500, ...more });

  const foundBy = async (filter: Filter): Promise<readonly string[]> => {
    const { users: found } = await pageBy(filter);
    return found.map(({ id }) => id).sort();
  };

  const expectedOf = (filter: Filter): readonly string[] =>
    allUsers
      .filter((user, at) => matchFilter(filter, filterableUser(user, DEFAULT_ROLE, groupsOf(at))))
      .map(({ id }) => id)
      .sort();

  it('returns the users that match a filter', async () => {
    await fc.assert(
      fc.asyncProperty(userFilter(word), async (filter) => {
        const text = printFilter(filter);
        expect(await foundBy(filterOf(text)), text).toEqual(expectedOf(filter));
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  it.each([
    'emails.value eq "A"',
    'emails[type eq "a" and value eq "a"]',
    'emails.type eq "a" and emails.value eq "a"',
    'not (emails[primary eq true])',
    'emails[primary eq false]',
    'phoneNumbers.primary ne false',
    'addresses.formatted ew "b"',
    `${ENTERPRISE}:manager.$ref co "a"`,
    `${ENTERPRISE} pr`,
    'ims.display eq null',
    'userName co "^a$"',
    'userName lt "\u{1F600}"',
    'roles.value ge "a"',
    ...GROUP_FILTERS,
  ])('agrees with matching in memory for %s', async (text) => {
    const filter = filterOf(text);
    const expected = expectedOf(filter);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(allUsers.length);
    expect(await foundBy(filter)).toEqual(expected);
  });

  describe('finds members', () => {
    const sortBy = (name: string, descending = false) => {
      const attribute = findAttribute(USER, name)?.reference;
      if (!attribute) throw new Error(name);
      return { sort: { attribute, descending } };
    };

    it.each([
      `groups eq "${FIRST}"`,
      `groups eq "${FIRST}" and active eq true`,
      `not (groups eq "${FIRST}")`,
      `userName eq "a" or groups eq "${FIRST}"`,
    ])('of %s in pages by number and by cursor, in any order, without duplicates', async (text) => {
      const filter = filterOf(text);
      const expected = expectedOf(filter);
      for (const sort of [{}, sortBy('displayName'), sortBy('meta.lastModified', true)]) {
        const whole = (await pageBy(filter, sort)).users.map(({ id }) => id);
        expect(whole.toSorted()).toEqual(expected);
        const numbered: string[] = [];
        for (let offset = 0; offset < expected.length; offset += 7) {
          const { users, total } = await pageBy(filter, { ...sort, offset, limit: 7 });
          expect(total).toBe(expected.length);
          numbered.push(...users.map(({ id }) => id));
        }
        expect(numbered).toEqual(whole);
        const byCursor: string[] = [];
        let cursorRequest: CursorRequest | undefined = { to: 'first' };
        while (cursorRequest) {
          const page = await pageBy(filter, { ...sort, limit: 7, cursorRequest });
          expect(page.total).toBe(expected.length);
          byCursor.push(...page.users.map(({ id }) => id));
          cursorRequest = page.next && { to: 'after', position: page.next };
        }
        expect(byCursor).toEqual(whole);
      }
    });

    it('and counts them without reading them', async () => {
      const { users, total } = await pageBy(filterOf(`groups eq "${FIRST}"`), { limit: 0 });
      expect(users).toEqual([]);
      expect(total).toBe(expectedOf(filterOf(`groups eq "${FIRST}"`)).length);
    });

    it('of no group that was deleted or renamed', async () => {
      expect(await foundBy(filterOf('groups.display eq "gone"'))).toEqual([]);
      expect(await foundBy(filterOf(`groups eq "${idOf(0x1999)}"`))).toEqual([]);
      expect(await foundBy(filterOf(`not (groups eq "${idOf(0x1999)}")`))).toHaveLength(
        allUsers.length,
      );
    });
  });

  it('distinguishes one element that matches both conditions from two that match one each', async () => {
    const together = await foundBy(filterOf('emails[type eq "a" and value eq "a"]'));
    const apart = await foundBy(filterOf('emails.type eq "a" and emails.value eq "a"'));
    expect(apart).toEqual(expect.arrayContaining([...together]));
    expect(apart.length).toBeGreaterThan(together.length);
  });
});

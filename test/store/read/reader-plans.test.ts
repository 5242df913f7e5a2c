import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupReader, UserReader } from '../../../src/ports/users.js';
import type { Group } from '../../../src/domain/group/group.js';
import type { GroupId, TenantId, UserId } from '../../../src/domain/kernel/ids.js';
import { membershipIdOf } from '../../../src/domain/room/room.js';
import { newId } from '../../../src/pipeline/submit.js';
import { findAttribute, type ResourceSchema } from '../../../src/scim/attributes.js';
import { readFilter } from '../../../src/scim/filter-reader.js';
import { GROUP, USER } from '../../../src/scim/schemas.js';
import { userSchemaOf } from '../../../src/scim/tenant-schema.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import { mongoGroupReader } from '../../../src/store/read/group-reader.js';
import { toGroupDocument, toMembershipDocument } from '../../support/stored-documents.js';
import { toUserDocument } from '../../../src/store/tables/users.js';
import { mongoUserReader } from '../../../src/store/read/user-reader.js';
import { aTenant, aUser, idOf, NOW } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';
import { profileReads } from '../../support/profile-reads.js';

const database = useDatabase();
const TENANT = newId<TenantId>();
const MANY = 2_000;
const LIMIT = 10;

const userAt = (at: number) => idOf<UserId>(0x10_000 + at);
const groupAt = (at: number): Group => ({
  id: idOf<GroupId>(0x20_000 + at),
  tenantId: TENANT,
  displayName: `Group ${at}`,
  externalId: `x-${at}`,
  roomId: null,
  memberCount: at === 0 ? MANY : 1,
  version: 1,
  pendingJob: null,
  createdAt: new Date(NOW.getTime() + at),
  updatedAt: new Date(NOW.getTime() + at),
});

let collections: Collections;
let users: UserReader;
let groups: GroupReader;

beforeAll(async () => {
  collections = collectionsOf(await database.open());
  users = mongoUserReader(collections);
  groups = mongoGroupReader(collections);
  const numbers = Array.from({ length: MANY }, (_, at) => at);
  await collections.users.insertMany(
    numbers.map((at) => {
      const names = { displayName: 'Same name', name: { familyName: `Nickname${at}x` } };
      const custom = { custom: { costCenter: `CC-${at}`, level: 1 } };
      const active = at >= 100;
      const role = at >= MANY - 100 ? 'observer' : null;
      const user = { ...aUser(at, { ...names, ...custom, active }), id: userAt(at), role };
      return toUserDocument({ ...user, tenantId: TENANT, updatedAt: NOW }, at);
    }),
  );
  await collections.groups.insertMany(numbers.map((at) => toGroupDocument(groupAt(at))));
  const pairs = numbers.flatMap((at) => [
    [0, at] as const,
    ...(at === 0 ? [] : [[at, at] as const]),
  ]);
  await collections.memberships.insertMany(
    pairs.map(([group, user]) =>
      toMembershipDocument({
        id: membershipIdOf(groupAt(group).id, userAt(user)),
        tenantId: TENANT,
        rosterId: groupAt(group).id,
        userId: userAt(user),
        txPermission: false,
        addedAt: NOW,
      }),
    ),
  );
  await collections.tenantState.insertOne({
    _id: TENANT,
    groupCount: MANY,
    userCount: MANY,
  } as never);
}, 60_000);

const profile = (read: () => Promise<unknown>) => profileReads(collections, read);

const sorted = (schema: ResourceSchema, name: string, descending = false) => {
  const reference = findAttribute(schema, name)?.reference;
  if (!reference) throw new Error(name);
  return { sort: { attribute: reference, descending } };
};

const pageOfUsers = (more: object) =>
  users.page(TENANT, { defaultRole: 'member', offset: 0, limit: LIMIT, ...more });
const pageOfGroups = (more: object) => groups.page(TENANT, { offset: 0, limit: LIMIT, ...more });

const at = (...position: (string | number)[]) => ({
  cursorRequest: { to: 'after', position } as const,
});

const bounded = (text: string) => ({ filter: readFilter(text, GROUP) });
const ONE = groupAt(0).id;
const where = (text: string) => ({ filter: readFilter(text, USER) });

const anAttribute = { multiValued: false, required: false, caseExact: false } as const;
const OWN = userSchemaOf(
  aTenant({
    customAttributes: [
      {
        ...anAttribute,
        name: 'costCenter',
        type: 'string',
        description: '',
        canonicalValues: null,
      },
      { ...anAttribute, name: 'level', type: 'integer', description: '', canonicalValues: null },
    ],
  }),
);
const whereOwn = (text: string) => ({
  filter: readFilter(`urn:ietf:params:scim:schemas:extension:acme:2.0:User:${text}`, OWN),
});

describe('the documents examined do not grow with the tenant', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['users after a position', () => pageOfUsers(at(1_000))],
    [
      'users by name after a position',
      () => pageOfUsers({ ...sorted(USER, 'displayName'), ...at('same name', 1_000) }),
    ],
    ['the newest groups', () => pageOfGroups(sorted(GROUP, 'meta.lastModified', true))],
    ['groups after a position', () => pageOfGroups(at(NOW.getTime() + 1_000, groupAt(1_000).id))],
    [
      'groups by name after a position',
      () => pageOfGroups({ ...sorted(GROUP, 'displayName'), ...at('group 5') }),
    ],
    ['users by display name', () => pageOfUsers(where('displayName eq "other"'))],
    ['users by the beginning of one', () => pageOfUsers(where('displayName sw "other"'))],
    ['users by the beginning of a name', () => pageOfUsers({ prefix: 'Nickname7x' })],
    ['users by an attribute of the tenant', () => pageOfUsers(whereOwn('costCenter eq "cc-7"'))],
    ['users by the beginning of one', () => pageOfUsers(whereOwn('costCenter sw "CC-77"'))],
    ['users without one of two values', () => pageOfUsers(whereOwn('level eq 2'))],
    ['users by a word of a name', () => pageOfUsers({ search: 'Nickname7x' })],
    ['users by two words', () => pageOfUsers({ search: 'nickname7x  same' })],
    ['a group by name', () => pageOfGroups(bounded('displayName eq "group 7"'))],
    ['a group by external id', () => pageOfGroups(bounded('externalId eq "x-7"'))],
    ['the groups of a member', () => pageOfGroups(bounded(`members eq "${userAt(7)}"`))],
    [
      'whether a user is in a large group (Entra)',
      () => pageOfGroups(bounded(`id eq "${ONE}" and members eq "${userAt(7)}"`)),
    ],
    ['users of a large group', () => pageOfUsers(where(`groups eq "${ONE}"`))],
    [
      'users of a large group, far in it',
      () => pageOfUsers({ ...where(`groups eq "${ONE}"`), ...at(userAt(1_500)) }),
    ],
    [
      'the number of users of a large group',
      () => pageOfUsers({ ...where(`groups eq "${ONE}"`), limit: 0 }),
    ],
    [
      'users of a large group, by its name',
      () => pageOfUsers(where('groups.display eq "group 0"')),
    ],
    [
      'whether a user is in a large group',
      () => pageOfUsers(where(`groups eq "${ONE}" and id eq "${userAt(7)}"`)),
    ],
    [
      'users of two groups, one of them large',
      () => pageOfUsers(where(`groups eq "${ONE}" and groups eq "${groupAt(7).id}"`)),
    ],
    ['deactivated users', () => pageOfUsers({ active: false })],
    ['active users', () => pageOfUsers({ active: true })],
    ['deactivated users of a role', () => pageOfUsers({ role: 'observer', active: false })],
    ['a user with groups', () => users.findWithGroups(TENANT, userAt(5))],
    [
      'a user with groups, by user name',
      () =>
        pageOfUsers({
          ...where(`userName eq "${aUser(5).profile.userName}"`),
          withGroups: true,
        }),
    ],
    ['the groups of users', () => groups.groupsOf(TENANT, [userAt(5), userAt(6)])],
    ['a small group', () => groups.membersOfAll([groupAt(3)], { withNames: true })],
  ])('for %s', async (_what, read) => {
    const seen = await profile(read);
    expect(seen.length).toBeGreaterThan(0);
    for (const { ns, planSummary, keysExamined, docsExamined } of seen) {
      expect(planSummary, ns).not.toContain('COLLSCAN');
      expect(keysExamined, `${ns} ${planSummary}`).toBeLessThan(5 * LIMIT);
      expect(docsExamined, `${ns} ${planSummary}`).toBeLessThan(3 * LIMIT);
    }
  });
});

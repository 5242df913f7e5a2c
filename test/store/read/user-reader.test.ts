import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserReader } from '../../../src/ports/users.js';
import type { GroupId, RosterId, TenantId, UserId } from '../../../src/domain/kernel/ids.js';
import { newId } from '../../../src/pipeline/submit.js';
import { readFilter } from '../../../src/scim/filter-reader.js';
import { USER } from '../../../src/scim/schemas.js';
import { mongoUserReader } from '../../../src/store/read/user-reader.js';
import { toGroupDocument, toMembershipDocument } from '../../support/stored-documents.js';
import { membershipIdOf } from '../../../src/domain/room/room.js';
import { collectionsOf } from '../../../src/store/tables/collections.js';
import { toUserDocument } from '../../../src/store/tables/users.js';
import { aGroup, aUser, idOf, NOW } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';

const database = useDatabase();
const TENANT = newId<TenantId>();
const OTHER = newId<TenantId>();
const [ANNA, BEN, ANNA_ELSEWHERE] = [idOf<UserId>(1), idOf<UserId>(2), idOf<UserId>(3)] as const;

let users: UserReader;
let queries: number;

beforeAll(async () => {
  const connection = await database.open({ monitorCommands: true });
  const collections = collectionsOf(connection);
  users = mongoUserReader(collections);
  const stored = [
    { id: ANNA, tenantId: TENANT, userName: 'Anna' },
    { id: BEN, tenantId: TENANT, userName: 'ben' },
    { id: ANNA_ELSEWHERE, tenantId: OTHER, userName: 'anna' },
  ];
  await collections.users.insertMany(
    stored.map(({ userName, ...ids }, at) =>
      toUserDocument({ ...aUser(at, { userName }), ...ids }, at),
    ),
  );
  const [red, blue] = ['Red', 'Blue'].map((displayName, at) =>
    aGroup({ id: idOf<GroupId>(0x700 + at), tenantId: TENANT, displayName, roomId: null }),
  );
  await collections.groups.insertMany(
    [red, blue].flatMap((group) => (group ? [toGroupDocument(group)] : [])),
  );
  const memberships = [
    [red, TENANT],
    [blue, TENANT],
    // The same ids in another tenant: must not be seen.
    [{ id: 'elsewhere' }, OTHER],
  ] as const;
  await collections.memberships.insertMany(
    memberships.map(([group, tenantId]) =>
      toMembershipDocument({
        id: membershipIdOf(group?.id as RosterId, ANNA),
        tenantId,
        rosterId: group?.id as RosterId,
        userId: ANNA,
        txPermission: false,
        addedAt: NOW,
      }),
    ),
  );
  collections.client.on('commandStarted', ({ commandName }) => {
    queries += Number(commandName === 'find' || commandName === 'aggregate');
  });
});

beforeEach(() => {
  queries = 0;
});

const idsOf = async (tenantId: TenantId, filter: string, more: object = {}) => {
  const page = await users.page(tenantId, {
    filter: readFilter(filter, USER),
    defaultRole: 'member',
    offset: 0,
    limit: 100,
    ...more,
  });
  return [page.total, ...page.users.map(({ id }) => id)];
};

describe('concurrent lookups of users', () => {
  it('by id share a query', async () => {
    const ids = [ANNA, BEN, ANNA_ELSEWHERE, BEN];
    const found = await Promise.all(ids.map((id) => users.find(TENANT, id)));
    expect(found.map((user) => user?.id)).toEqual([ANNA, BEN, undefined, BEN]);
    expect(queries).toBe(2);
  });

  it('by user name share a query, whatever the case', async () => {
    const names = ['ANNA', 'ben', 'carl', 'anna'];
    const found = await Promise.all(names.map((name) => idsOf(TENANT, `userName eq "${name}"`)));
    expect(found).toEqual([[1, ANNA], [1, BEN], [0], [1, ANNA]]);
    expect(queries).toBe(2);
  });

  it('come with groups in the same query', async () => {
    const byId = await Promise.all([ANNA, BEN].map((id) => users.findWithGroups(TENANT, id)));
    // And one for the names of the groups, once a second.
    expect(queries).toBe(3);
    expect(
      byId.map((found) => [found?.user.id, found?.groups.map((each) => each.displayName)]),
    ).toEqual([
      [ANNA, ['Blue', 'Red']],
      [BEN, []],
    ]);
    expect(await users.findWithGroups(TENANT, ANNA_ELSEWHERE)).toBeUndefined();
    const page = await users.page(TENANT, {
      filter: readFilter('userName eq "anna"', USER),
      defaultRole: 'member',
      offset: 0,
      limit: 100,
      withGroups: true,
    });
    expect(page.groupsByUser?.get(ANNA)?.map((each) => each.displayName)).toEqual(['Blue', 'Red']);
  });

  it('do not cross tenants', async () => {
    const filter = 'userName eq "anna"';
    const found = await Promise.all([TENANT, OTHER, TENANT].map((id) => idsOf(id, filter)));
    expect(found).toEqual([
      [1, ANNA],
      [1, ANNA_ELSEWHERE],
      [1, ANNA],
    ]);
  });

  it('find nothing on a second page, and only the total for none', async () => {
    expect(await idsOf(TENANT, 'userName eq "anna"', { offset: 1 })).toEqual([1]);
    expect(await idsOf(TENANT, 'userName eq "anna"', { limit: 0 })).toEqual([1]);
    expect(await idsOf(TENANT, 'userName ne "anna"')).toEqual([1, BEN]);
  });
});

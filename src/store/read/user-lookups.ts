import type { UserKey, UserLookups } from '../../ports/users.js';
import { rosterOf } from '../../domain/group/group.js';
import type { UserId } from '../../domain/kernel/ids.js';
import { fold, nameKey } from '../../domain/kernel/names.js';
import { guardRead } from '../database-errors.js';
import { bindReads, type Reads } from '../bind-reads.js';
import type { Collections } from '../tables/collections.js';
import { fromUserDocument, USER_PROJECTION, type UserDocument } from '../tables/users.js';
import { entitiesOf, type Entities } from './entities.js';

/** Each has an index. */
const FIELDS: Readonly<Record<UserKey, string>> = {
  id: '_id',
  externalId: 'profile.externalId',
  userName: 'folded.userName',
  email: 'folded.email',
};

const isFolded = (key: UserKey): boolean => key === 'userName' || key === 'email';

const ACTIVE_BATCH = 1_000;

interface Parts {
  readonly collections: Collections;
  readonly entities: Entities;
}

const READS: Reads<UserLookups, Parts> = {
  find: ({ entities }, tenantId, by, values) => {
    if (values.length === 0) return Promise.resolve([]);
    const wanted = isFolded(by) ? values.map(fold) : [...values];
    return entities.users.all(tenantId, { [FIELDS[by]]: { $in: wanted } });
  },
  versions: async ({ collections: { users } }, tenant, ids) => {
    if (ids.length === 0) return new Map();
    const found = await users
      .find<Pick<UserDocument, '_id' | 'v'>>(
        { tenant, _id: { $in: [...ids] } },
        { projection: { v: 1 }, batchSize: Math.min(ids.length, 1_000) + 1 },
      )
      .toArray();
    return new Map(found.map(({ _id, v }) => [_id as UserId, v]));
  },
  activeUsers: async function* ({ collections: { users } }, tenant) {
    let after = -1;
    for (;;) {
      const found = await guardRead(() =>
        users
          .find(
            { tenant, 'profile.active': true, n: { $gt: after } },
            { projection: USER_PROJECTION },
          )
          .sort({ n: 1 })
          .limit(ACTIVE_BATCH)
          .toArray(),
      );
      const last = found.at(-1);
      if (!last) return;
      yield found.map(fromUserDocument);
      after = last.n;
    }
  },
  findGroups: ({ entities }, tenantId, names) =>
    names.length === 0
      ? Promise.resolve([])
      : entities.groups.all(tenantId, { 'folded.displayName': { $in: names.map(nameKey) } }),
  memberships: async ({ entities }, tenantId, groupIds, userIds) => {
    if (groupIds.length === 0 || userIds.length === 0) return [];
    const groups = await entities.groups.all(tenantId, { _id: { $in: [...groupIds] } });
    const byRoster = new Map(groups.map((group) => [rosterOf(group), group.id]));
    const members = await entities.memberships.all(tenantId, {
      ...{ user: { $in: [...userIds] }, roster: { $in: [...byRoster.keys()] } },
    });
    return members.flatMap(({ rosterId, userId, addedAt }) => {
      const groupId = byRoster.get(rosterId);
      return groupId ? [{ groupId, userId, addedAt }] : [];
    });
  },
};

/** Reads of many users and groups; one query for all values. */
export const mongoUserLookups = (collections: Collections): UserLookups =>
  bindReads<UserLookups, Parts>(READS, { collections, entities: entitiesOf(collections) });

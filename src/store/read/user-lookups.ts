import type { UserKey, UserLookups } from '../../api/user-lookups.js';
import { fold } from '../../domain/kernel/names.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { fromGroupDocument } from '../tables/groups.js';
import { fromUserDocument, USER_PROJECTION } from '../tables/users.js';

/** Each has an index. */
const FIELDS: Readonly<Record<UserKey, string>> = {
  id: '_id',
  externalId: 'profile.externalId',
  userName: 'folded.userName',
  email: 'folded.email',
};

const isFolded = (key: UserKey): boolean => key === 'userName' || key === 'email';

/** One query for all values. */
export const mongoUserLookups = ({ users, groups }: Collections): UserLookups => ({
  find: (tenantId, by, values) =>
    guardRead(async () => {
      if (values.length === 0) return [];
      const wanted = isFolded(by) ? values.map(fold) : [...values];
      const found = await users
        .find(
          { tenant: tenantId, [FIELDS[by]]: { $in: wanted } },
          { projection: USER_PROJECTION, batchSize: Math.min(values.length, 1_000) + 1 },
        )
        .toArray();
      return found.map(fromUserDocument);
    }),
  findGroups: (tenantId, displayNames) =>
    guardRead(async () => {
      if (displayNames.length === 0) return [];
      const found = await groups
        .find({ tenant: tenantId, 'folded.displayName': { $in: displayNames.map(fold) } })
        .toArray();
      return found.map(fromGroupDocument);
    }),
});

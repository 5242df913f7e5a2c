import type { RoleMappingReader } from '../../api/role-mappings.js';
import { fold } from '../../domain/fold.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { fromRoleMappingDocument } from '../tables/role-mappings.js';
import { readCounter } from './tenant-counter.js';

export const mongoRoleMappingReader = (collections: Collections): RoleMappingReader => ({
  find: (tenantId, id) =>
    guardRead(async () => {
      const found = await collections.roleMappings.findOne({ _id: id, tenant: tenantId });
      return found ? fromRoleMappingDocument(found) : undefined;
    }),
  page: (tenantId, { offset, limit, groupDisplayName }) =>
    guardRead(async () => {
      const named =
        groupDisplayName === undefined
          ? undefined
          : { 'folded.groupDisplayName': fold(groupDisplayName) };
      const conditions = { tenant: tenantId, ...named };
      const [total, found] = await Promise.all([
        named
          ? collections.roleMappings.countDocuments(conditions)
          : readCounter(collections, tenantId, 'roleMappingCount'),
        collections.roleMappings
          .find(conditions)
          .sort({ createdAt: 1, _id: 1 })
          .skip(offset)
          .limit(limit)
          .toArray(),
      ]);
      return { mappings: found.map(fromRoleMappingDocument), total };
    }),
});

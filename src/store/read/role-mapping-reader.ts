import type { RoleMappingReader } from '../../api/role-mappings.js';
import { fold } from '../../domain/fold.js';
import { reading } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { fromRoleMappingDocument } from '../tables/role-mappings.js';

export const mongoRoleMappingReader = ({
  roleMappings,
  tenantState,
}: Collections): RoleMappingReader => ({
  find: (tenantId, id) =>
    reading(async () => {
      const found = await roleMappings.findOne({ _id: id, tenant: tenantId });
      return found ? fromRoleMappingDocument(found) : undefined;
    }),
  page: (tenantId, { offset, limit, groupDisplayName }) =>
    reading(async () => {
      const named =
        groupDisplayName === undefined
          ? undefined
          : { 'folded.groupDisplayName': fold(groupDisplayName) };
      const conditions = { tenant: tenantId, ...named };
      const [total, found] = await Promise.all([
        named
          ? roleMappings.countDocuments(conditions)
          : tenantState
              .findOne({ _id: tenantId }, { projection: { roleMappingCount: 1 } })
              .then((state) => state?.roleMappingCount ?? 0),
        roleMappings
          .find(conditions)
          .sort({ createdAt: 1, _id: 1 })
          .skip(offset)
          .limit(limit)
          .toArray(),
      ]);
      return { mappings: found.map(fromRoleMappingDocument), total };
    }),
});

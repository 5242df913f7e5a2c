import type { RoleMappingReader } from '../../api/role-mappings.js';
import { fold } from '../../domain/kernel/fold.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { fromRoleMappingDocument } from '../tables/role-mappings.js';
import { readOldestFirst } from './find-page.js';
import { readCounter } from './tenant-counter.js';

export const mongoRoleMappingReader = (collections: Collections): RoleMappingReader => ({
  find: (tenantId, id) =>
    guardRead(async () => {
      const found = await collections.roleMappings.findOne({ _id: id, tenant: tenantId });
      return found ? fromRoleMappingDocument(found) : undefined;
    }),
  page: (tenantId, { groupDisplayName: name, ...page }) =>
    guardRead(async () => {
      const named = name === undefined ? {} : { 'folded.groupDisplayName': fold(name) };
      const { found, total } = await readOldestFirst(
        collections.roleMappings,
        { tenant: tenantId, ...named },
        page,
        name === undefined
          ? () => readCounter(collections, tenantId, 'roleMappingCount')
          : undefined,
      );
      return { mappings: found.map(fromRoleMappingDocument), total };
    }),
});

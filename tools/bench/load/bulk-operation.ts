import { expectNewUsers } from './bulk-checks.js';
import type { Operation, OperationInput } from './operation.js';
import { bulkBodies } from './scim-bulk.js';

/** Bulk requests with this many creates of new users. */
export const bulk = (creates: number): ((input: OperationInput) => Operation) => {
  const bodyFor = bulkBodies(creates);
  const check = expectNewUsers(creates);
  return ({ run }) => {
    let number = 0;
    return () => [
      { method: 'POST', path: '/Bulk', body: bodyFor(`${run}b${(number += 1)}`), check },
    ];
  };
};

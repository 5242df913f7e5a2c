import { givesNewUsers } from './bulk-faults.js';
import type { Ground, Work } from './ground.js';
import { bulkBodies } from './scim-bulk.js';

/** One Bulk request after the other, each with so many creates of new users. */
export const bulk = (creates: number): ((ground: Ground) => Work) => {
  const bodyFor = bulkBodies(creates);
  const fault = givesNewUsers(creates);
  return ({ run }) => {
    let number = 0;
    return () => [
      { method: 'POST', path: '/Bulk', body: bodyFor(`${run}b${(number += 1)}`), fault },
    ];
  };
};

import { scimUser } from './scim-user.js';

const BULK_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

export const bulkIdOf = (number: number): string => `u${number}`;

const bulkOf = (prefix: string, creates: number) => ({
  schemas: [BULK_SCHEMA],
  Operations: Array.from({ length: creates }, (_, index) => ({
    method: 'POST',
    path: '/Users',
    bulkId: bulkIdOf(index + 1),
    data: scimUser(prefix, index + 1),
  })),
});

const PREFIX = '{prefix}';

/**
 * Bodies with this many creates, from a template: serialising a thousand users for each request
 * would take as long as the fastest peer takes to store them.
 */
export const bulkBodies = (creates: number): ((prefix: string) => string) => {
  const template = JSON.stringify(bulkOf(PREFIX, creates));
  return (prefix) => template.replaceAll(PREFIX, prefix);
};

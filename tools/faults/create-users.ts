import { fileURLToPath } from 'node:url';
import type { ApiClient } from '../shared/api-client.js';
import { type Child, type Methods, startChild } from '../shared/child.js';
import type { Run } from '../shared/faults/scenario.js';

const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const CHUNK = 1_000;

/** Creates `user-<n>@example.com` for n from 0, by Bulk requests; returns the ids. */
export const createScimUsers = async (
  scim: ApiClient,
  count: number,
  attributes: (number: number) => object = () => ({}),
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let from = 0; from < count; from += CHUNK) {
    const Operations = Array.from({ length: Math.min(CHUNK, count - from) }, (_, at) => ({
      method: 'POST',
      path: '/Users',
      bulkId: `${from + at}`,
      data: {
        schemas: [USER],
        userName: `user-${from + at}@example.com`,
        ...attributes(from + at),
      },
    }));
    const response = await scim.expect(200, 'POST', '/Bulk', { schemas: [BULK], Operations });
    const created = response.json() as { Operations: readonly { readonly location: string }[] };
    ids.push(...created.Operations.map(({ location }) => location.split('/').at(-1) ?? ''));
  }
  return ids;
};

/** Creates one user after the other in the native API, each with another address. */
export const userCreator = (client: ApiClient): (() => Promise<string>) => {
  const run = Date.now().toString(36);
  let number = 0;
  return () => client.create('/users', { email: `${run}-${(number += 1)}@example.com` });
};

/** Starts a script of this folder in a process of its own. */
export const startClient = <Of extends Methods<Of>>(
  script: string,
  { cleanup }: Run,
): Child<Of> => {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const client = startChild<Of>(path, ['--import', 'tsx']);
  cleanup.defer(client.stop);
  return client;
};

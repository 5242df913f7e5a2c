import { setTimeout as sleep } from 'node:timers/promises';
import { createApiClient } from '../shared/api-client.js';
import type { Attack } from './hostile-attacks.js';

const PARALLEL = 120;
/** Together below the default rate limit of a key. */
const BURSTS = 4;

const uploadOf = (number: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations: [
    {
      method: 'POST',
      path: '/Users',
      bulkId: `${number}`,
      data: { externalId: `${number}`, userName: `upload-${number}@example.com` },
    },
  ],
});

/** One key sends small uploads to the connector `payroll`, all at once, again and again. */
export const parallelUploads: Attack = {
  name: `${PARALLEL} parallel uploads with one key`,
  run: async ({ gateway, tenant, operator, milliseconds }) => {
    const created = await operator.expect(201, 'POST', `/tenants/${tenant.slug}/api-keys`, {
      description: 'uploads',
      scopes: ['connectors:push'],
    });
    const { key } = created.json() as { readonly key: string };
    const client = createApiClient(() => `${gateway}/v1/${tenant.slug}`, key);
    const path = '/connectors/payroll/bulkUpload';
    const upload = async (_: unknown, at: number): Promise<number> =>
      (await client.send('POST', path, { body: uploadOf(at) })).status;
    const statuses: number[] = [];
    let slowest = 0;
    for (let burst = 0; burst < BURSTS; burst += 1) {
      const began = performance.now();
      statuses.push(...(await Promise.all(Array.from({ length: PARALLEL }, upload))));
      const took = performance.now() - began;
      slowest = Math.max(slowest, took);
      await sleep(Math.max(0, milliseconds / BURSTS - took));
    }
    const stored = statuses.filter((status) => status === 202).length;
    const problem =
      stored < statuses.length ? `${stored} of ${statuses.length} were stored` : undefined;
    return { summary: `${stored}×202, ${slowest.toFixed(0)} ms for ${PARALLEL}`, problem };
  },
};

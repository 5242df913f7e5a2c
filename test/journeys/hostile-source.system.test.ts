import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { RunView } from '../../plugins/connectors/operate/views.js';
import { eventually } from '../support/eventually.js';
import { createResource, TestGateway } from '../support/gateway.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-hostile-source-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = join(folder, 'rollgate.yaml');
const connectors = {
  hr: {
    use: 'csv',
    tenant: 'tenant-1',
    settings: { folder, files: 'people.csv', ready: 'renamed' },
    map: { displayName: { jsonata: '$string($count([1..$number(years)]))' } },
    onError: { maxFailedPercent: 100 },
  },
};
// JSON is YAML.
writeFileSync(config, JSON.stringify({ connectors }));
writeFileSync(
  join(folder, 'people.csv'),
  `employeeId,firstName,lastName,email,years
1,Ada,Lovelace,ada@example.com,36
2,Bob,Bomb,bob@example.com,9999999
3,Cid,Cobol,cid@example.com,9999999
4,Dan,Dart,dan@example.com,4
`,
);

const gateway = TestGateway.use(() => ({ ROLLGATE_CONFIG: config }));

it('a record that breaks an expression is put aside, and everybody else is served', async () => {
  const operator = await gateway.operator();
  const [tenant, other] = [await gateway.tenant(), await gateway.tenant()];
  const base = '/tenants/tenant-1/connectors/hr';
  const started = await operator<RunView>('POST', `${base}/runs`, {});
  expect(started).toMatchObject({ status: 201 });
  let created = 0;
  const run = await eventually(async () => {
    created += 1;
    await createResource(other.native, '/users', { email: `user${created}@example.org` });
    const { body } = await operator<RunView>('GET', `${base}/runs/${started.body.id}`);
    expect(['done', 'failed']).toContain(body.state);
    return body;
  });
  expect(run).toMatchObject({ state: 'done', read: 4, applied: 2, failed: 2 });
  expect(await operator('GET', `${base}/quarantine`)).toMatchObject({
    body: {
      records: ['2', '3'].map((id) => ({
        record: id,
        message: expect.stringMatching(
          /^displayName: the expression (took longer than 1000 ms|needs more than 64 MiB of memory)\.$/,
        ) as string,
      })),
    },
  });
  expect(await tenant.native('GET', '/users?email=ada@example.com')).toMatchObject({
    body: { users: [{ display_name: '36' }] },
  });
  expect(created).toBeGreaterThan(0);
});

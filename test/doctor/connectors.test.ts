import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { checkConnectors } from '../../src/doctor/checks/configuration.js';
import { tenants } from '../../src/store/tables/tenants.js';
import { createTestDatabase } from '../support/database.js';
import { runCheck, temporaryFolder } from '../support/doctor.js';

const { uri } = createTestDatabase();

const check = async (connectors: Readonly<Record<string, object>>) => {
  const cwd = await temporaryFolder();
  const file = join(cwd, 'rollgate.yaml');
  writeFileSync(file, JSON.stringify({ mongodb: { uri }, connectors }));
  return runCheck(checkConnectors, { cwd, env: { ROLLGATE_CONFIG: file } });
};

it('names each enabled connector whose tenant does not exist', async () => {
  const client = new mongo.MongoClient(uri);
  await tenants
    .in(client.db())
    .insertOne({ _id: 'one', slug: 'acme', name: 'Acme', createdAt: new Date() });
  await client.close();
  const hr = { use: 'csv', tenant: 'acme' };
  expect(await check({ hr, old: { use: 'csv', tenant: 'nowhere', enabled: false } })).toMatchObject(
    {
      status: 'OK',
    },
  );
  expect(await check({ hr, lost: { use: 'csv', tenant: 'nowhere' } })).toMatchObject({
    status: 'WARN',
    message: 'Connectors without their tenant: lost (nowhere).',
    details: { connectors: [{ name: 'lost', tenant: 'nowhere' }] },
  });
  await expect(check({})).resolves.toMatchObject({ status: 'SKIP' });
});

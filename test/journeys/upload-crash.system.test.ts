import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startBuilt } from '../support/built-gateway.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ADMIN_TOKEN, createClient } from '../support/gateway.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-upload-crash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'config'));
writeFileSync(
  join(folder, 'config/rollgate.yaml'),
  'connectors:\n  payroll: { use: push, tenant: acme, settings: { settle: 0s } }\n',
);

const UPLOADS = 3;
const PEOPLE = 50;

const person = (id: string) => ({
  method: 'POST',
  bulkId: id,
  path: '/Users',
  data: {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    externalId: id,
    userName: `${id}@example.com`,
    displayName: id,
    emails: [{ value: `${id}@example.com`, type: 'work', primary: true }],
    active: true,
  },
});

it('nothing of an upload is lost if the gateway is killed right after its 202', async () => {
  const { uri } = createTestDatabase();
  const env = {
    ROLLGATE_MONGODB_URI: uri,
    ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    ROLLGATE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    ROLLGATE_DATA_DIR: join(folder, 'data'),
  };
  let gateway = await startBuilt(folder, env);
  const operator = () => createClient(`${gateway.url}/admin/v1`, ADMIN_TOKEN);
  expect((await operator()('POST', '/tenants', { slug: 'acme', name: 'Acme' })).status).toBe(201);
  const scopes = ['connectors:push', 'api:users:read'];
  const { body } = await operator()<{ key: string }>('POST', '/tenants/acme/api-keys', {
    description: 'payroll',
    scopes,
  });
  const tenant = () => createClient(`${gateway.url}/v1/acme`, body.key);

  const uploads: string[] = [];
  for (let at = 0; at < UPLOADS; at += 1) {
    const people = Array.from({ length: PEOPLE }, (_, index) => person(`p${at}-${index}`));
    const accepted = await tenant()<{ id: string }>('POST', '/connectors/payroll/bulkUpload', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: people,
    });
    await gateway.kill();
    expect(accepted.status).toBe(202);
    uploads.push(accepted.body.id);
    gateway = await startBuilt(folder, env);
  }

  await eventually(async () => {
    for (const id of uploads)
      expect(await tenant()('GET', `/connectors/payroll/uploads/${id}`)).toMatchObject({
        status: 200,
        body: { state: 'done', problems: [] },
      });
  });
  expect(await tenant()('GET', '/users?active=true&limit=1')).toMatchObject({
    body: { total: UPLOADS * PEOPLE },
  });
  expect(await gateway.stop()).toBe(0);
}, 300_000);

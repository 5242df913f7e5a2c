import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mongo } from 'mongoose';
import { type Cleanup, runWithCleanup, temporaryFolder } from '../shared/cleanup.js';
import {
  kill,
  openContext,
  operatorClient,
  scimClient,
  tenantClient,
} from '../shared/faults/context.js';
import { openDatabase, startDatabase } from '../shared/start-database.js';
import { waitUntil } from '../shared/wait-until.js';

/**
 * npm run upgrade-fixture -- <name>
 *
 * Runs this version's gateway, gives each of its collections something to store, kills it in the
 * middle of its work, and writes the database to test/fixtures/upgrade/<name>.ndjson, for the tests
 * of later versions. Run it once for each release, at the commit of its tag.
 */
const FIXTURES = fileURLToPath(new URL('../../test/fixtures/upgrade/', import.meta.url));
const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** Enough for a job, which the kill interrupts. */
const NUMBERS = 1_010;

const EMPLOYEES = [
  'employeeId,firstName,lastName,email,department,startDate,endDate',
  '1001,Barbara,Liskov,barbara@ferry.example,Dispatch,2021-02-01,',
  '1002,Edsger,Dijkstra,edsger@ferry.example,Fleet,2021-02-01,',
];

interface Id {
  readonly id: string;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const writeConnector = async (cleanup: Cleanup): Promise<string> => {
  const folder = await temporaryFolder('upgrade', cleanup);
  const files = join(folder, 'hr');
  await mkdir(files);
  await writeFile(join(files, 'employees.csv'), `${EMPLOYEES.join('\n')}\n`);
  const path = join(folder, 'rollgate.yaml');
  const settings = { folder: files, ready: 'renamed' };
  const connectors = {
    hr: { use: 'csv', tenant: 'ferry', settings, groups: [{ path: 'department' }] },
  };
  await writeFile(path, JSON.stringify({ connectors }));
  return path;
};

const main = async (name: string, cleanup: Cleanup): Promise<void> => {
  const { uri } = await startDatabase(cleanup);
  const database = openDatabase(uri, cleanup);
  const context = await openContext(uri, cleanup);
  const gateway = await context.startGateway({
    ROLLGATE_CONFIG: await writeConnector(cleanup),
    ROLLGATE_WEBHOOKS_RETRY: '5s,30s,2m,10m,1h,6h,24h',
  });
  const operator = operatorClient(gateway.url);
  const acme = await context.createTenant(gateway.url, 'acme', {
    seat_capacity: 100,
    room_provisioning: 'automatic',
  });
  const native = tenantClient(() => gateway.url, acme);
  const scim = scimClient(() => gateway.url, acme);

  // Rooms, roles, users from both interfaces, and a user who has left.
  await operator.create('/tenants/acme/rooms', { name: 'Dispatch' });
  const mapping = { group_display_name: 'Dispatchers', role: 'dispatcher', priority: 10 };
  await operator.expect(201, 'POST', '/tenants/acme/role-mappings', mapping);
  const people: string[] = [];
  for (const name of ['ada', 'grace', 'alan', 'leaver'])
    people.push(
      await scim.create('/Users', {
        schemas: [USER_URN],
        userName: `${name}@acme.example`,
        externalId: `ext-${name}`,
        displayName: name,
      }),
    );
  const [ada, grace, alan, leaver] = people as [string, string, string, string];
  const members = [ada, grace].map((value) => ({ value }));
  await scim.create('/Groups', { schemas: [GROUP_URN], displayName: 'Dispatch', members });
  await scim.create('/Groups', {
    schemas: [GROUP_URN],
    displayName: 'Dispatchers',
    members: [{ value: ada }],
  });
  await scim.expect(204, 'DELETE', `/Users/${leaver}`);
  await native.send('POST', '/users', {
    body: { email: 'tony@acme.example', display_name: 'Tony' },
    headers: { 'idempotency-key': 'fixture-1' },
  });
  await native.expect(200, 'PATCH', `/users/${alan}`, { active: false });
  // A deleted tenant that is not purged yet.
  await context.createTenant(gateway.url, 'closed');
  await operator.expect(204, 'DELETE', '/tenants/closed');

  // A registration that works, and one whose deliveries are pending.
  const works = await context.subscribe(gateway.url, acme, '/works');
  context.receiver.setBehaviour({ kind: 'answer', status: 200 });
  await native.expect(200, 'PATCH', `/users/${grace}`, { display_name: 'Grace Hopper' });
  await context.receiver.received(1);
  const { webhooks } = (await native.expect(200, 'GET', '/webhooks')).json() as {
    readonly webhooks: readonly Id[];
  };
  await native.expect(202, 'POST', `/webhooks/${webhooks[0]!.id}/recover`, {
    since: new Date(Date.now() - 60_000).toISOString(),
  });
  context.receiver.setBehaviour({ kind: 'answer', status: 503 });
  const fails = await context.subscribe(gateway.url, acme, '/fails');
  await native.expect(200, 'PATCH', `/users/${grace}`, { display_name: 'Rear Admiral Hopper' });
  await waitUntil(
    async () => (await database.collection('deliveries').countDocuments({ st: 'p' })) > 0,
    () => 'No failed attempt was stored.',
  );

  // A run of a connector.
  await context.createTenant(gateway.url, 'ferry', { room_provisioning: 'automatic' });
  await operator.expect(201, 'POST', '/tenants/ferry/connectors/hr/runs', {});
  await waitUntil(
    async () =>
      (await operator.send('GET', '/tenants/ferry/users')).text.includes('barbara@ferry.example'),
    () => 'The connector has not read its file.',
  );

  // Written once a minute.
  await waitUntil(
    async () => (await database.collection('api_key_uses').countDocuments()) > 0,
    () => 'The use of a key was not stored.',
  );

  // A list, and a change of it that the kill interrupts.
  const list = await native.create('/sms-lists', { name: 'Night shift', external_id: 'roster-7' });
  const numbers = Array.from({ length: NUMBERS }, (_, at) => ({
    phone_number: `+4915${String(at).padStart(9, '0')}`,
  }));
  await native.expect(200, 'POST', `/sms-lists/${list}/members`, { members: numbers.slice(0, 3) });
  native
    .send('PUT', `/sms-lists/${list}/members`, { body: { members: numbers } })
    .catch(() => undefined);
  await waitUntil(
    async () => (await database.collection('jobs').findOne({ finishedAt: null })) !== null,
    () => 'The job did not start.',
  );
  await kill(gateway);

  const lines: string[] = [];
  const { EJSON } = mongo.BSON;
  const counts: Record<string, number> = {};
  for (const { name: collection } of await database.listCollections().toArray()) {
    const documents = await database.collection(collection).find().toArray();
    counts[collection] = documents.length;
    for (const document of documents)
      lines.push(EJSON.stringify({ collection, document }, { relaxed: false }));
  }
  const facts = {
    written_at: new Date().toISOString(),
    receiver: context.receiver.url,
    api_key: acme.key,
    secrets: { works: works.secret, fails: fails.secret },
    ids: { ada, grace, alan, leaver, list },
    counts,
  };
  await mkdir(FIXTURES, { recursive: true });
  await writeFile(join(FIXTURES, `${name}.ndjson`), `${lines.join('\n')}\n`);
  await writeFile(join(FIXTURES, `${name}.json`), `${JSON.stringify(facts, null, 2)}\n`);
  print(JSON.stringify(counts, null, 2));
};

const [name] = process.argv.slice(2);
if (name === undefined) {
  print('Usage: npm run upgrade-fixture -- <name>, such as v0.1.0');
  process.exitCode = 2;
} else await runWithCleanup(print, (cleanup) => main(name, cleanup));

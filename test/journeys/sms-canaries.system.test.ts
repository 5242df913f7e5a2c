import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { type Gateway, startGateway } from '../../src/start/compose.js';
import { createLogger } from '../../src/process/logger.js';
import mongoose from 'mongoose';
import { type Canaries, createCanaries, type Leak } from '../support/canaries.js';
import { createTestDatabase } from '../support/database.js';
import { dumpDatabase } from '../support/dump-database.js';
import { ALL_SCOPES, useReceiver } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';
import { eventually } from '../support/eventually.js';

/** The only source that may contain numbers: responses to a key with the read scope. */
const SHOWN = 'a response that shows numbers';
const LOG = 'the log';
const RESPONSE = 'any other response';
const DELIVERY = 'a delivery';
const COMMAND = 'the command line';

const { uri } = createTestDatabase();
const receiver = useReceiver();
const canaries: Canaries = createCanaries();
const outputs: { readonly source: string; readonly text: string }[] = [];
let dataDir: string;
let gateway: Gateway;
let key: string;

/** As a client writes it. Neither this nor the stored format nor the digits may appear. */
const numberOf = (at: number): string => `+49 1512 ${String(7_310_000 + at)}`;
/** Searched for in every encoding; the others only unencoded. */
const SEARCHED = [0, 1, 3, 499, 1_500, 2_999];
const ANY_NUMBER = /49\D{0,3}1512\D{0,3}731\d{4}/;
const digitsOf = (number: string): string => number.replaceAll(/\D/g, '');

beforeAll(async () => {
  await receiver.open();
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-sms-canaries-'));
  const env = {
    ROLLGATE_PORT: '0',
    ROLLGATE_DATA_DIR: dataDir,
    ROLLGATE_MONGODB_URI: uri,
    ROLLGATE_SMS_REMOVE_ENDED_AFTER: '1s',
    ...receiver.env(),
  };
  const log = createLogger('trace', {
    write: (line) => void outputs.push({ source: LOG, text: line }),
  });
  gateway = await startGateway({ loaded: loadConfig({ env, cwd: dataDir }), log, env });
  for (const at of SEARCHED) {
    canaries.add(`number ${at}`, digitsOf(numberOf(at)), SHOWN);
    canaries.add(`number ${at} as given`, numberOf(at));
  }
});

afterAll(async () => {
  await gateway.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

interface RecordedResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const send = async (
  method: string,
  path: string,
  { body, headers = {}, token = key }: RequestOptions = {},
): Promise<RecordedResponse> => {
  const response = await fetch(gateway.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isOperator = path.startsWith('/admin/');
  const showsNumbers =
    method === 'GET' && response.ok && !isOperator && /members|recipients/.test(path);
  const source = showsNumbers ? SHOWN : RESPONSE;
  outputs.push({ source, text: `${JSON.stringify([...response.headers])} ${text}` });
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    body: (isJson ? JSON.parse(text) : {}) as RecordedResponse['body'],
  };
};

const BASE = '/v1/canary-row';

const createTenant = async (): Promise<void> => {
  const admin = { token: gateway.adminToken };
  await send('POST', '/admin/v1/tenants', { ...admin, body: { slug: 'canary-row', name: 'C' } });
  const created = await send('POST', '/admin/v1/tenants/canary-row/api-keys', {
    ...admin,
    body: { description: 'all', scopes: ALL_SCOPES },
  });
  key = created.body.key as string;
  const url = `${receiver.receiver().url}/hook`;
  await send('POST', `${BASE}/webhooks`, { body: { url, events: ['*'] } });
};

const members = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ phone_number: numberOf(from + at) }));

const createList = async (name: string): Promise<string> => {
  const { body } = await send('POST', `${BASE}/sms-lists`, { body: { name } });
  return `${BASE}/sms-lists/${body.id as string}`;
};

/** Sends all requests on a list, valid and invalid. */
const useList = async (): Promise<void> => {
  const list = await createList('Canaries');
  const path = `${list}/members`;
  const expectStatus = async (status: number, response: Promise<RecordedResponse>) =>
    expect((await response).status).toBe(status);
  const headers = { 'idempotency-key': 'one-of-many' };
  for (let time = 0; time < 2; time += 1)
    await expectStatus(200, send('POST', path, { body: { members: members(0, 500) }, headers }));
  await expectStatus(409, send('POST', path, { body: { members: members(0, 9) }, headers }));
  await expectStatus(
    200,
    send('POST', `${path}?dry_run=true`, { body: { members: members(400, 600) } }),
  );
  await expectStatus(200, send('GET', `${path}?limit=500`));
  await expectStatus(200, send('GET', `${list}/recipients`));
  await expectStatus(
    200,
    send('POST', `${path}/remove`, { body: { phone_numbers: [numberOf(3)] } }),
  );
  await expectStatus(200, send('PUT', path, { body: { members: members(0, 3_000) } }));
  const stale = { members: members(0, 9), headers: { 'if-match': 'W/"1"' } };
  await expectStatus(
    412,
    send('POST', path, { body: { members: stale.members }, headers: stale.headers }),
  );

  const one = numberOf(0);
  for (const body of [
    { members: [{ phone_number: `${one}99999` }] },
    { members: [{ phone_number: `${one} please` }] },
    { members: [{ phone_number: one }, { phone_number: one }] },
    { members: [{ phone_number: one, valid_from: one }] },
    { members: [{ phone_number: '', [one]: true }] },
    { members: [{ phone_number: Number(digitsOf(one)) }] },
    {
      members: [
        {
          phone_number: one,
          valid_from: '2027-01-01T00:00:00Z',
          valid_until: '2026-01-01T00:00:00Z',
        },
      ],
    },
    `{"members":[{"phone_number":"${one}"},]}`,
    `{"members":[{"phone_number":"${one}\\u0000"}]}`,
  ])
    await expectStatus(400, send('POST', path, { body }));
  await expectStatus(400, send('POST', `${path}/remove`, { body: { phone_numbers: [`${one}x`] } }));
};

const waitForSweep = async (): Promise<void> => {
  const list = await createList('Swept');
  const ended = { valid_until: '2020-01-01T00:00:00Z' };
  const body = { members: members(0, 20).map((member) => ({ ...member, ...ended })) };
  await send('POST', `${list}/members`, { body });
  await eventually(async () => expect((await send('GET', list)).body.member_count).toBe(0));
};

const importByCli = async (): Promise<void> => {
  await createList('Imported');
  const lines = [
    'phone_number',
    ...members(0, 5).map(({ phone_number }) => phone_number),
    `${numberOf(0)}99999`,
  ];
  await writeFile(join(dataDir, 'roster.csv'), lines.join('\n'));
  const env = { ROLLGATE_URL: gateway.url, ROLLGATE_API_KEY: key };
  const words = ['sms', 'import', 'canary-row', 'Imported', 'roster.csv', '--skip-bad-lines'];
  const { stdout, stderr } = await runCli(words, { env, cwd: dataDir });
  outputs.push({ source: COMMAND, text: stdout + stderr });
};

/** Operators read the same responses with masked numbers. */
const readAsOperator = async (): Promise<void> => {
  const admin = '/admin/v1/tenants/canary-row';
  const options = { token: gateway.adminToken };
  const lists = await send('GET', `${admin}/sms-lists`, options);
  let masked = 0;
  for (const { id } of lists.body.sms_lists as readonly { readonly id: string }[])
    for (const part of ['', '/members?limit=500', '/recipients?limit=500']) {
      const response = await send('GET', `${admin}/sms-lists/${id}${part}`, options);
      expect(response.status).toBe(200);
      masked += JSON.stringify(response.body).match(/"\+49•{7}\d\d"/g)?.length ?? 0;
    }
  expect(masked).toBeGreaterThan(100);
};

const collectOutputs = async (): Promise<void> => {
  await send('GET', `${BASE}/events?limit=500`);
  await send('GET', '/admin/v1/tenants/canary-row/commands?limit=500', {
    token: gateway.adminToken,
  });
  await send('GET', '/admin/v1/tenants/canary-row/jobs', { token: gateway.adminToken });
  await readAsOperator();
  await send('GET', '/metrics');
  for (const delivery of receiver.receiver().requests)
    outputs.push({
      source: DELIVERY,
      text: JSON.stringify(delivery.headers) + delivery.body.toString(),
    });
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  try {
    outputs.push(...(await dumpDatabase(client.db(), client)));
  } finally {
    await client.close();
  }
};

it('phone numbers appear only in responses that are meant to show them', async () => {
  await createTenant();
  await useList();
  await waitForSweep();
  await importByCli();
  await collectOutputs();

  const leaks: readonly Leak[] = outputs.flatMap(({ source, text }) =>
    canaries.findIn(source, text),
  );
  expect(leaks.slice(0, 5)).toEqual([]);
  const others = outputs.filter(({ source, text }) => source !== SHOWN && ANY_NUMBER.test(text));
  expect(others.slice(0, 2)).toEqual([]);
  // The search works: all sources were searched, and numbers are found where they belong.
  const sources = new Set(outputs.map(({ source }) => source));
  for (const source of [LOG, RESPONSE, DELIVERY, COMMAND, SHOWN]) expect(sources).toContain(source);
  for (const name of [
    'sms_members',
    'sms_job_parts',
    'command_log',
    'remembered_answers',
    'events',
  ])
    expect(sources).toContain(`collection ${name}`);
  const shown = outputs.filter(({ source }) => source === SHOWN).map(({ text }) => text);
  expect(shown.some((text) => text.includes(digitsOf(numberOf(0))))).toBe(true);
}, 120_000);

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { type Gateway, startGateway } from '../../src/compose.js';
import { SCOPES } from '../../src/domain/scopes.js';
import { createLogger } from '../../src/logger.js';
import mongoose from 'mongoose';
import { type Canaries, createCanaries, type Sighting } from '../support/canaries.js';
import { createTestDatabase } from '../support/database.js';
import { dumpDatabase } from '../support/dump-database.js';
import { useReceiver } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';

/** The one place where a number may be seen: what the API answers to a key that may read. */
const SHOWN = 'an answer that shows numbers';
const LOG = 'the log';
const ANSWER = 'an answer that shows none';
const DELIVERY = 'a delivery';
const COMMAND = 'the command line';

const { uri } = createTestDatabase();
const receiver = useReceiver();
const canaries: Canaries = createCanaries();
const seen: { readonly place: string; readonly text: string }[] = [];
let dataDir: string;
let gateway: Gateway;
let key: string;

/** As a client writes it, and as the product keeps it: neither may be seen, nor their digits. */
const numberOf = (at: number): string => `+49 1512 ${String(7_310_000 + at)}`;
/** These in every encoding; all in plain writing. */
const LOOKED_FOR = [0, 1, 3, 499, 1_500, 2_999];
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
    write: (line) => void seen.push({ place: LOG, text: line }),
  });
  gateway = await startGateway({ loaded: loadConfig({ env, cwd: dataDir }), log, env });
  for (const at of LOOKED_FOR) {
    canaries.add(`number ${at}`, digitsOf(numberOf(at)), SHOWN);
    canaries.add(`number ${at} as it was given`, numberOf(at));
  }
});

afterAll(async () => {
  await gateway.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const ask = async (method: string, path: string, asked: Asked = {}): Promise<Answered> => {
  const { body, headers = {}, token = key } = asked;
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
  const shows = method === 'GET' && response.ok && !isOperator && /members|recipients/.test(path);
  const place = shows ? SHOWN : ANSWER;
  seen.push({ place, text: `${JSON.stringify([...response.headers])} ${text}` });
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, body: (isJson ? JSON.parse(text) : {}) as Answered['body'] };
};

const BASE = '/v1/canary-row';

const openTenant = async (): Promise<void> => {
  const admin = { token: gateway.adminToken };
  await ask('POST', '/admin/v1/tenants', { ...admin, body: { slug: 'canary-row', name: 'C' } });
  const made = await ask('POST', '/admin/v1/tenants/canary-row/api-keys', {
    ...admin,
    body: { description: 'all', scopes: SCOPES },
  });
  key = made.body.key as string;
  const url = `${receiver.receiver().url}/hook`;
  await ask('POST', `${BASE}/webhooks`, { body: { url, events: ['*'] } });
};

const members = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ phone_number: numberOf(from + at) }));

const makeList = async (name: string): Promise<string> => {
  const { body } = await ask('POST', `${BASE}/sms-lists`, { body: { name } });
  return `${BASE}/sms-lists/${body.id as string}`;
};

/** Everything that a list can be asked, well and badly. */
const useList = async (): Promise<void> => {
  const list = await makeList('Canaries');
  const path = `${list}/members`;
  const expectStatus = async (status: number, asked: Promise<Answered>) =>
    expect((await asked).status).toBe(status);
  const headers = { 'idempotency-key': 'one-of-many' };
  for (let time = 0; time < 2; time += 1)
    await expectStatus(200, ask('POST', path, { body: { members: members(0, 500) }, headers }));
  await expectStatus(409, ask('POST', path, { body: { members: members(0, 9) }, headers }));
  await expectStatus(
    200,
    ask('POST', `${path}?dry_run=true`, { body: { members: members(400, 600) } }),
  );
  await expectStatus(200, ask('GET', `${path}?limit=500`));
  await expectStatus(200, ask('GET', `${list}/recipients`));
  await expectStatus(
    200,
    ask('POST', `${path}/remove`, { body: { phone_numbers: [numberOf(3)] } }),
  );
  await expectStatus(200, ask('PUT', path, { body: { members: members(0, 3_000) } }));
  const stale = { members: members(0, 9), headers: { 'if-match': 'W/"1"' } };
  await expectStatus(
    412,
    ask('POST', path, { body: { members: stale.members }, headers: stale.headers }),
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
    await expectStatus(400, ask('POST', path, { body }));
  await expectStatus(400, ask('POST', `${path}/remove`, { body: { phone_numbers: [`${one}x`] } }));
};

const sweepAway = async (): Promise<void> => {
  const list = await makeList('Swept');
  const ended = { valid_until: '2020-01-01T00:00:00Z' };
  const body = { members: members(0, 20).map((member) => ({ ...member, ...ended })) };
  await ask('POST', `${list}/members`, { body });
  await vi.waitFor(async () => expect((await ask('GET', list)).body.member_count).toBe(0), {
    timeout: 10_000,
    interval: 100,
  });
};

const useCommand = async (): Promise<void> => {
  await makeList('Commanded');
  const lines = [
    'phone_number',
    ...members(0, 5).map(({ phone_number }) => phone_number),
    `${numberOf(0)}99999`,
  ];
  await writeFile(join(dataDir, 'roster.csv'), lines.join('\n'));
  const env = { ROLLGATE_URL: gateway.url, ROLLGATE_TENANT: 'canary-row', ROLLGATE_API_KEY: key };
  const words = ['sms', 'import', 'roster.csv', '--list', 'Commanded', '--skip-bad-lines'];
  const { out, notes } = await runCli(words, { env, cwd: dataDir });
  seen.push({ place: COMMAND, text: out + notes });
};

/** What operators read of lists: each number masked, in the same place and shape. */
const readAsOperator = async (): Promise<void> => {
  const admin = '/admin/v1/tenants/canary-row';
  const asked = { token: gateway.adminToken };
  const lists = await ask('GET', `${admin}/sms-lists`, asked);
  let masked = 0;
  for (const { id } of lists.body.sms_lists as readonly { readonly id: string }[])
    for (const part of ['', '/members?limit=500', '/recipients?limit=500']) {
      const answer = await ask('GET', `${admin}/sms-lists/${id}${part}`, asked);
      expect(answer.status).toBe(200);
      masked += JSON.stringify(answer.body).match(/"\+49•{7}\d\d"/g)?.length ?? 0;
    }
  expect(masked).toBeGreaterThan(100);
};

const lookAround = async (): Promise<void> => {
  await ask('GET', `${BASE}/events?limit=500`);
  await ask('GET', '/admin/v1/tenants/canary-row/commands?limit=500', {
    token: gateway.adminToken,
  });
  await ask('GET', '/admin/v1/tenants/canary-row/jobs', { token: gateway.adminToken });
  await readAsOperator();
  await ask('GET', '/metrics');
  for (const delivery of receiver.receiver().requests)
    seen.push({
      place: DELIVERY,
      text: JSON.stringify(delivery.headers) + delivery.body.toString(),
    });
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  try {
    seen.push(...(await dumpDatabase(client.db(), client)));
  } finally {
    await client.close();
  }
};

it('shows no number anywhere but in the answers that are for numbers', async () => {
  await openTenant();
  await useList();
  await sweepAway();
  await useCommand();
  await lookAround();

  const sightings: readonly Sighting[] = seen.flatMap(({ place, text }) =>
    canaries.findIn(place, text),
  );
  expect(sightings.slice(0, 5)).toEqual([]);
  const others = seen.filter(({ place, text }) => place !== SHOWN && ANY_NUMBER.test(text));
  expect(others.slice(0, 2)).toEqual([]);
  // The search sees: numbers stand where they belong, and everything that was to be searched came.
  const places = new Set(seen.map(({ place }) => place));
  for (const place of [LOG, ANSWER, DELIVERY, COMMAND, SHOWN]) expect(places).toContain(place);
  for (const name of [
    'sms_members',
    'sms_job_parts',
    'command_log',
    'remembered_answers',
    'events',
  ])
    expect(places).toContain(`collection ${name}`);
  const shown = seen.filter(({ place }) => place === SHOWN).map(({ text }) => text);
  expect(shown.some((text) => text.includes(digitsOf(numberOf(0))))).toBe(true);
}, 120_000);

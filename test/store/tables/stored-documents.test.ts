import { mongo } from 'mongoose';
import { describe, expect, it } from 'vitest';
import type {
  ApiKeyId,
  CommandId,
  EventId,
  JobId,
  OperatorId,
  PasskeyId,
  RecordId,
  SessionId,
  SmsListId,
  SmsMemberId,
} from '../../../src/domain/kernel/ids.js';
import type {
  Operator,
  OperatorSession,
  SignInLink,
} from '../../../src/domain/operator/operator.js';
import type { Passkey } from '../../../src/domain/operator/passkey.js';
import type { SmsList, SmsMember } from '../../../src/domain/sms/sms-list.js';
import type { Entities } from '../../../src/domain/tables.js';
import type { DomainEvent } from '../../../src/domain/events.js';
import type { CommandLogEntry } from '../../../src/pipeline/commit-store.js';
import type { CapturedRequest } from '../../../src/ports/command-log.js';
import type { OperatorLogEntry } from '../../../src/ports/operator-log.js';
import { openSessionPool } from '../../../src/store/commit/session-pool.js';
import { mongoOperatorLog } from '../../../src/store/operator-log.js';
import { mongoSignInStores } from '../../../src/store/operators.js';
import { capturedCodec } from '../../../src/store/tables/captured-requests.js';
import { collectionsOf, STORED_TABLES } from '../../../src/store/tables/collections.js';
import {
  fromCommandLogDocument,
  toCommandLogDocument,
} from '../../../src/store/tables/command-log.js';
import { fromEventDocument, toEventDocument } from '../../../src/store/tables/events.js';
import { smsListCodec } from '../../../src/store/tables/sms-lists.js';
import { fromTenantState, toTenantFields } from '../../../src/store/tables/tenants.js';
import { fromUserDocument, toUserDocument } from '../../../src/store/tables/users.js';
import {
  aGroup,
  aMapping,
  aMember,
  aRoom,
  aTenant,
  aUser,
  idOf,
  NOW,
  ROOM_ID,
  TENANT_ID,
} from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';
import { noSeal } from '../../support/stored-documents.js';

/**
 * What is stored stays byte for byte: the snapshot has each document with its types and the order of
 * its fields. A difference needs an upgrade of the databases that exist.
 */
const SNAPSHOT = '../../fixtures/stored-documents.ndjson';

const DAY = 24 * 3_600_000;
const LATER = new Date(NOW.getTime() + 3 * DAY);
const database = useDatabase();

const list: SmsList = {
  id: idOf<SmsListId>(0xe001),
  tenantId: TENANT_ID,
  name: 'Night  Shift',
  externalId: null,
  validFrom: null,
  validUntil: LATER,
  memberCount: 2,
  nextPlace: 3,
  version: 4,
  pendingJob: null,
  createdAt: NOW,
  updatedAt: NOW,
};
const member: SmsMember = {
  id: idOf<SmsMemberId>(0xe101),
  tenantId: TENANT_ID,
  listId: list.id,
  number: { key: 'hash', sealed: 'secret' },
  displayName: 'Ada',
  place: 2,
  validFrom: null,
  validUntil: LATER,
  createdAt: NOW,
};
const job: Entities['jobs'] = {
  id: idOf<JobId>(0xf001),
  tenantId: TENANT_ID,
  work: { kind: 'roles.recompute', rosterId: ROOM_ID },
  cursor: '0',
  total: 1_200,
  readableBy: ['api:rooms:read'],
  requestId: 'request-1',
  done: 500,
  createdAt: NOW,
  updatedAt: NOW,
  finishedAt: null,
};
const key: Entities['apiKeys'] = {
  id: idOf<ApiKeyId>(0xabc),
  tenantId: TENANT_ID,
  hash: 'sha256',
  prefix: 'rg_12345678',
  description: 'Entra',
  scopes: ['api:users:read', 'scim:read'],
  createdAt: NOW,
};
const [ada, alan] = [
  aUser(1, {
    displayName: 'Ada King',
    externalId: 'X-1',
    emails: [{ value: 'Ada@Example.com', type: 'work', primary: true }],
    enterprise: { department: 'Dispatch', employeeNumber: 'E-7' },
    custom: { badge: 'B-1', shifts: ['Early'], level: 3 },
  }),
  { ...aUser(2), role: 'dispatcher', deactivatedBy: null },
];

/** Of each table, entities with all the fields that make a difference. */
const ENTITIES: {
  readonly [
    T in Exclude<keyof Entities, 'users' | 'userIds' | 'tenants' | 'smsLists'>
  ]: readonly Entities[T][];
} = {
  rooms: [aRoom(), aRoom({ name: 'Ａｄａ Room', memberCount: 2, pendingJob: job.id })],
  groups: [aGroup(), aGroup({ roomId: null, externalId: 'G-1', pendingJob: job.id })],
  memberships: [aMember(1), aMember(2, { txPermission: true })],
  roleMappings: [aMapping()],
  smsMembers: [member, { ...member, displayName: null, validFrom: NOW, validUntil: null }],
  smsJobParts: [
    {
      id: `${job.id}:0`,
      tenantId: TENANT_ID,
      entries: [
        { memberId: member.id, after: member },
        { memberId: idOf<SmsMemberId>(0xe102), after: null },
      ],
    },
  ],
  jobs: [
    job,
    { ...job, restartedBy: idOf<CommandId>(0xc0de), finishedAt: LATER },
    { ...job, work: { kind: 'sms-list.clear', listId: list.id } },
  ],
  jobParts: [
    {
      id: `${job.id}:0`,
      tenantId: TENANT_ID,
      entries: [
        { userId: ada.id, action: 'join', txPermission: true },
        { userId: alan.id, action: 'leave', txPermission: false },
      ],
    },
  ],
  apiKeys: [key, { ...key, expiresAt: LATER }],
  pluginRecords: [
    {
      id: idOf<RecordId>(0x9001),
      tenantId: TENANT_ID,
      plugin: 'webhooks',
      data: { url: 'https://example.com' },
      version: 2,
      createdAt: NOW,
    },
  ],
  rememberedAnswers: [
    {
      id: 'hash',
      fingerprint: 'print',
      tenantId: TENANT_ID,
      at: NOW,
      result: { at: NOW },
      jobs: [],
    },
  ],
};

const event: DomainEvent = {
  name: 'user.created',
  resource: { kind: 'user', id: ada.id },
  data: { user: { id: ada.id } },
  custom: { badge: 'B-1' },
  id: idOf<EventId>(0xeeee),
  tenantId: TENANT_ID,
  tenantSlug: 'acme',
  seq: 7,
  at: NOW,
  apiKeyId: key.id,
};
const entry: CommandLogEntry = {
  id: idOf<CommandId>(0xc0de),
  tenantId: TENANT_ID,
  at: NOW,
  actor: `api-key:${key.id}`,
  actorName: 'Entra',
  source: 'scim',
  type: 'user.create',
  subject: { kind: 'user', id: ada.id, name: 'Ada' },
  affected: [],
  affectedCount: 0,
  changes: [{ path: 'role', before: null, after: 'lead' }],
  changeCount: 1,
  keys: ['u:ada'],
  outcome: 'applied',
  refusal: null,
  events: [7, 8],
  deliveries: 2,
  durationMs: 12,
  requestId: 'request-1',
};
const captured: CapturedRequest = {
  id: idOf(0xca97),
  tenantId: TENANT_ID,
  at: NOW,
  method: 'POST',
  path: '/Users',
  status: 201,
  keyId: key.id,
  userAgent: null,
  durationMs: 12,
  requestId: 'request-1',
  bytes: 24,
  request: { headers: { accept: '*/*' }, body: '{"userName":"ada"}', isCut: false },
  response: { headers: {}, body: null, isCut: false },
  obstacle: null,
};
const operator: Operator = {
  id: idOf<OperatorId>(0x0b01),
  name: 'Ada',
  email: null,
  role: 'owner',
  tenants: ['acme'],
  source: 'oidc',
  subject: 'https://id.example.com ada',
  createdAt: NOW,
  disabledAt: null,
  lastSignInAt: null,
};
const other: Operator = {
  ...operator,
  id: idOf<OperatorId>(0x0b02),
  tenants: null,
  source: 'link',
  subject: null,
};
const passkey: Passkey = {
  id: idOf<PasskeyId>(0x0b11),
  credentialId: 'credential',
  operatorId: other.id,
  name: 'Laptop',
  publicKey: 'key',
  counter: 0,
  createdAt: NOW,
  lastUsedAt: null,
};
const session: OperatorSession = {
  id: idOf<SessionId>(0x0b21),
  hash: 'session',
  subject: { kind: 'operator', operatorId: other.id, by: 'passkey', passkeyId: passkey.id },
  createdAt: NOW,
  authenticatedAt: null,
  lastSeenAt: NOW,
  // The database deletes what has expired.
  endsAt: new Date('9999-01-01'),
  idleMs: 100_000_000_000_000,
  userAgent: 'Firefox',
};
const guest: OperatorSession = {
  ...session,
  id: idOf<SessionId>(0x0b22),
  hash: 'guest',
  subject: { kind: 'setup', tenant: 'acme', linkHash: 'setup' },
};
const expiresAt = new Date('9999-01-01');
const links: readonly SignInLink[] = [
  { hash: 'first', expiresAt, kind: 'first-owner' },
  { hash: 'operator', expiresAt, kind: 'operator', operatorId: other.id },
  {
    ...{ hash: 'setup', expiresAt, kind: 'setup', tenant: 'acme', provider: 'entra' },
    ...{ keyId: null, hasIntegrations: true },
  },
  {
    ...{ hash: 'plain', expiresAt, kind: 'setup', tenant: 'acme', provider: 'okta' },
    ...{ keyId: null, hasIntegrations: false },
  },
];
const line: OperatorLogEntry = {
  id: idOf(0x1091),
  at: NOW,
  actor: { id: operator.id, name: 'Ada' },
  action: 'createApiKey',
  text: 'created the API key',
  about: 'Entra',
  subject: other.id,
  tenant: 'acme',
  refusal: null,
};

const { EJSON } = mongo.BSON;

const written = (collection: string, document: object): string =>
  EJSON.stringify({ collection, document }, { relaxed: false });

/** As the driver reads it. */
const readBack = (document: object): mongo.BSON.Document =>
  mongo.BSON.deserialize(mongo.BSON.serialize(document));

/** The documents of what passes a codec, each checked to be read as what was written. */
const encoded = (): readonly string[] => {
  const lines: string[] = [];
  const write = (name: string, document: object, read: (stored: never) => unknown, of: object) => {
    lines.push(written(name, document));
    expect(read(readBack(document) as never)).toEqual(of);
  };
  for (const [name, entities] of Object.entries(ENTITIES)) {
    const table = STORED_TABLES[name as keyof typeof ENTITIES];
    for (const entity of entities)
      write(
        table.name,
        table.toDocument!(entity as never, noSeal),
        (stored) => table.fromDocument(stored, noSeal),
        entity,
      );
  }
  write('users', toUserDocument(ada, 0), fromUserDocument, ada);
  write('users', toUserDocument(alan, 1), fromUserDocument, alan);
  for (const each of [list, { ...list, externalId: 'L-1', validFrom: NOW }])
    write('sms_lists', smsListCodec.toDocument(each), smsListCodec.fromDocument, each);
  const tenant = aTenant({ captureUntil: LATER, seatCapacity: 10 });
  write('tenant_state', { _id: tenant.id, ...toTenantFields(tenant) }, fromTenantState, tenant);
  write('events', toEventDocument(event, DAY), fromEventDocument, event);
  const { custom: _custom, ...plain } = event;
  write('events', toEventDocument(plain), fromEventDocument, plain);
  write('command_log', toCommandLogDocument(entry, DAY), fromCommandLogDocument, entry);
  const more = {
    ...entry,
    skipped: { ids: ['x'], count: 1 },
    unappliedSeq: 3,
    answer: { id: 'x' },
  };
  write('command_log', toCommandLogDocument(more, DAY), fromCommandLogDocument, more);
  write(
    'captured_requests',
    capturedCodec.toDocument(captured),
    capturedCodec.fromDocument,
    captured,
  );
  return lines;
};

/** The documents of what the sign-in stores write themselves. */
const stored = async (): Promise<readonly string[]> => {
  const collections = collectionsOf(await database.open());
  const stores = mongoSignInStores(collections, openSessionPool(collections.client, 2));
  const log = mongoOperatorLog(collections, DAY * 365 * 1_000);
  for (const each of [operator, other]) {
    await stores.operators.create(each);
    expect(await stores.operators.find(each.id)).toEqual(each);
  }
  await stores.passkeys.create(passkey);
  expect(await stores.passkeys.find(passkey.credentialId)).toEqual(passkey);
  for (const each of links) {
    await stores.links.create(each);
    expect(await stores.links.find(each.hash)).toEqual(each);
  }
  for (const each of [session, guest]) {
    await stores.sessions.create(each);
    expect((await stores.sessions.find(each.hash))?.session).toEqual(each);
  }
  await log.append(line);
  expect(await log.page({ limit: 1 })).toEqual([line]);
  const { operators, passkeys, operatorSessions, signInLinks, operatorLog } = collections;
  const documents = await Promise.all(
    [operators, passkeys, operatorSessions, signInLinks, operatorLog].map(async (each) => {
      const found = await collections.database
        .collection(each.collectionName)
        .find()
        .sort({ _id: 1 })
        .toArray();
      return found.map((document) => written(each.collectionName, document));
    }),
  );
  return documents.flat();
};

describe('stored documents', () => {
  it('are byte for byte those of the version before, and read as what was written', async () => {
    const lines = [...encoded(), ...(await stored())];
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(SNAPSHOT);
  });
});

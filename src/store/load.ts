import type { mongo } from 'mongoose';
import type { TenantId, UserId } from '../domain/ids.js';
import { each, type Pieces } from '../domain/in-pieces.js';
import { readRosterPageKey } from '../domain/membership.js';
import { readEndedSmsPageKey, readSmsPageKey } from '../domain/sms-member.js';
import type { Entities, Need, TableName } from '../domain/tables.js';
import { type Loaded, TurnTaken } from '../pipeline/commit-store.js';
import { inTurns } from '../pipeline/in-turns.js';
import { createPace } from '../pipeline/pace.js';
import { fromApiKeyDocument } from './api-key-document.js';
import type { Collections } from './collections.js';
import { slicesOf } from './in-slices.js';
import { fromJobDocument, fromJobPartDocument } from './job-document.js';
import { fromPluginRecordDocument } from './plugin-record-document.js';
import { fromRememberedAnswerDocument, type Seal } from './remembered-answer-document.js';
import {
  fromGroupDocument,
  fromMembershipDocument,
  fromRoleMappingDocument,
  fromRoomDocument,
} from './room-document.js';
import {
  fromSmsJobPartDocument,
  fromSmsListDocument,
  fromSmsMemberDocument,
} from './sms-document.js';
import { fromTenantState } from './tenant-document.js';
import type { KnownState } from './documents.js';
import type { TenantStates } from './tenant-states.js';
import { fromUserDocument, USER_PROJECTION } from './user-document.js';

type Session = mongo.ClientSession;

/** Where each index of a table stands in the documents. */
const FIELDS: { readonly [T in TableName]: Readonly<Record<string, string>> } = {
  users: { id: '_id', userName: 'folded.userName', email: 'folded.email' },
  userIds: { id: '_id' },
  rooms: { id: '_id', name: 'folded.name' },
  groups: { id: '_id', displayName: 'folded.displayName', roster: 'roster' },
  memberships: { id: '_id', roster: 'roster', user: 'user' },
  roleMappings: { id: '_id', displayName: 'folded.groupDisplayName' },
  smsLists: { id: '_id', name: 'folded.name', externalId: 'externalId' },
  smsMembers: { id: '_id', number: 'key', list: 'list' },
  smsJobParts: { id: '_id' },
  jobs: { id: '_id', subject: 'subject' },
  jobParts: { id: '_id' },
  apiKeys: { id: '_id' },
  pluginRecords: { id: '_id', plugin: 'plugin' },
  rememberedAnswers: { id: '_id' },
  tenants: { id: '_id', slug: 'slug' },
};

type Loaders = {
  readonly [T in TableName]: (
    context: LoadContext,
    query: object,
    page: PageOptions,
  ) => Promise<readonly Entities[T][]>;
};

interface PageOptions {
  readonly sort?: mongo.Sort;
  readonly limit?: number;
}

/** Documents that come in one go. */
const BATCH_SIZE = 2_000;
/** Keys that are asked for in one go: encoding more would hold the event loop. */
const KEYS_AT_ONCE = 2_000;

/** How a collection's documents are found and read; `options` go to the driver as they are. */
const loaderOf =
  <Document extends mongo.BSON.Document, Entity>(
    collectionOf: (collections: Collections) => mongo.Collection<Document>,
    read: (document: Document) => Entity,
    options: mongo.FindOptions = {},
  ) =>
  async (
    { collections, session }: LoadContext,
    query: object,
    page: PageOptions,
  ): Promise<readonly Entity[]> => {
    const found: Entity[] = [];
    const cursor = collectionOf(collections).find(query as mongo.Filter<Document>, {
      ...options,
      ...page,
      session,
      batchSize: BATCH_SIZE,
    });
    // The driver decodes a document when it is asked for, so the loop can be given back in between.
    const pace = createPace();
    for await (const document of cursor) {
      found.push(read(document as Document));
      await pace();
    }
    return found;
  };

const LOADERS: Loaders = {
  users: loaderOf(({ users }) => users, fromUserDocument, { projection: USER_PROJECTION }),
  userIds: loaderOf(
    ({ users }) => users,
    ({ _id }) => ({ id: _id as UserId }),
    {
      projection: { _id: 1 },
    },
  ),
  rooms: loaderOf(({ rooms }) => rooms, fromRoomDocument),
  groups: loaderOf(({ groups }) => groups, fromGroupDocument),
  memberships: loaderOf(({ memberships }) => memberships, fromMembershipDocument),
  roleMappings: loaderOf(({ roleMappings }) => roleMappings, fromRoleMappingDocument),
  smsLists: loaderOf(({ smsLists }) => smsLists, fromSmsListDocument, {
    projection: { stretches: 0 },
  }),
  smsMembers: loaderOf(({ smsMembers }) => smsMembers, fromSmsMemberDocument),
  smsJobParts: loaderOf(({ smsJobParts }) => smsJobParts, fromSmsJobPartDocument),
  jobs: loaderOf(({ jobs }) => jobs, fromJobDocument),
  jobParts: loaderOf(({ jobParts }) => jobParts, fromJobPartDocument),
  apiKeys: loaderOf(({ apiKeys }) => apiKeys, fromApiKeyDocument),
  pluginRecords: loaderOf(({ pluginRecords }) => pluginRecords, fromPluginRecordDocument, {
    sort: { createdAt: 1, _id: 1 },
  }),
  rememberedAnswers: (context, query, page) =>
    loaderOf(
      ({ rememberedAnswers }) => rememberedAnswers,
      (document) => fromRememberedAnswerDocument(document, context.seal),
    )(context, query, page),
  tenants: async (context, query, page) => {
    const found = await loaderOf(
      ({ tenants }) => tenants,
      ({ _id, slug }) => ({ id: _id as TenantId, slug }),
    )(context, query, page);
    return found.flatMap(({ id, slug }) => (slug === undefined ? [] : [{ id, slug }]));
  },
};

/** Questions to one table, asked one after the other; nothing answers two of them. */
interface Query {
  readonly table: TableName;
  readonly conditions: readonly object[];
  readonly page: PageOptions;
}

const smsPageQueryFor = (tenantId: TenantId, { index, key }: Need): Query | undefined => {
  const table = 'smsMembers';
  if (index === 'first') {
    const { listId, limit } = readSmsPageKey(key);
    const conditions = [{ tenant: tenantId, list: listId }];
    return { table, conditions, page: { sort: { place: 1 }, limit } };
  }
  if (index !== 'ended') return undefined;
  const { listId, limit, endedBy } = readEndedSmsPageKey(key);
  const conditions = [{ tenant: tenantId, list: listId, ends: { $lte: endedBy } }];
  return { table, conditions, page: { sort: { ends: 1 }, limit } };
};

/** Questions for a page of an order, which no key answers. */
const pageQueryFor = (tenantId: TenantId, need: Need): Query | undefined => {
  const { table, index, key } = need;
  if (table === 'smsMembers') return smsPageQueryFor(tenantId, need);
  if (table === 'memberships' && index === 'page') {
    const { rosterId, after, limit } = readRosterPageKey(key);
    const conditions = [{ tenant: tenantId, roster: rosterId, user: { $gt: after } }];
    return { table, conditions, page: { sort: { user: 1 }, limit } };
  }
  if (table !== 'users' || index !== 'withDefaultRole') return undefined;
  const { after, limit } = readRosterPageKey(key);
  const conditions = [{ tenant: tenantId, role: null, _id: { $gt: after } }];
  return { table, conditions, page: { sort: { _id: 1 }, limit } };
};

/** All that is asked for by one field. */
interface Asked {
  readonly table: TableName;
  readonly field: string;
  readonly keys: string[];
}

const keyQueryFor = (tenantId: TenantId, { table, field, keys }: Asked): Query => ({
  table,
  conditions: [...slicesOf(keys, KEYS_AT_ONCE)].map((some) => ({
    // A slug is unique over all tenants: the one look-up that leaves the tenant.
    ...(table === 'tenants' ? {} : { tenant: tenantId }),
    [field]: some.length === 1 ? some[0] : { $in: some },
  })),
  page: {},
});

/** One query for each table and index that is asked, whatever the number of keys. */
const queriesFor = function* (
  tenantId: TenantId,
  needs: readonly Need[],
): Pieces<readonly Query[]> {
  const queries: Query[] = [];
  const keys = new Map<string, Asked>();
  yield* each(needs, (need) => {
    const paged = pageQueryFor(tenantId, need);
    if (paged) {
      queries.push(paged);
      return;
    }
    const { table, index, key } = need;
    const field = FIELDS[table][index] ?? index;
    const place = `${table}.${field}`;
    const asked = keys.get(place);
    if (asked) asked.keys.push(key);
    else keys.set(place, { table, field, keys: [key] });
  });
  return [...queries, ...[...keys.values()].map((asked) => keyQueryFor(tenantId, asked))];
};

const answerTo = async (
  context: LoadContext,
  { table, conditions, page }: Query,
): Promise<TableResult> => {
  const entities: Entities[TableName][] = [];
  for (const one of conditions)
    for (const entity of await LOADERS[table](context, one, page)) entities.push(entity);
  return { table, entities };
};

export interface LoadContext {
  readonly collections: Collections;
  readonly session: Session;
  /** This instance. */
  readonly own: string;
  readonly seal: Seal;
  readonly states: TenantStates;
  /** The database server's time, as steady clocks carry it on between two looks at it. */
  readonly clock: () => Date;
}

/**
 * Takes the tenant first (its version and the server's time), as this instance's last commit left
 * it or else from the database, and then reads what is needed, in one causally consistent session:
 * what is read is at least as new as the version, and a commit that checks the version sees whether
 * anything was newer (pipeline-rules.md 3).
 */
export const load = async (
  context: LoadContext,
  tenantId: TenantId,
  needs: readonly Need[],
): Promise<Loaded> => {
  const { collections, session, own, states, clock } = context;
  const known = states.find(tenantId);
  if (known?.asOf) session.advanceOperationTime(known.asOf);
  const state = known
    ? { ...known.state, now: clock() }
    : await readState(collections, session, tenantId);
  if (state && isTurnOfAnother(state, own)) throw new TurnTaken();
  if (state && !known && !state.deleted)
    states.keep({ state: withoutTime(state), asOf: session.operationTime });
  const queries = await inTurns(queriesFor(tenantId, needs));
  const results = await allOf(queries.map((query) => answerTo(context, query)));
  return {
    tenant: state && !state.deleted ? fromTenantState(state) : undefined,
    version: {
      v: state?.v ?? 0,
      seq: state?.seq ?? 0,
      nextOrdinal: state?.nextOrdinal ?? 0,
    },
    now: state
      ? laterOf(state.now, new Date(state.at.getTime() + 1))
      : await serverTime(collections),
    entities: gatherByTable(results),
  };
};

/** Rejects only when none is under way any more: the session is another batch's then. */
const allOf = async <Result>(work: readonly Promise<Result>[]): Promise<readonly Result[]> => {
  await Promise.allSettled(work);
  return Promise.all(work);
};

const withoutTime = ({ now: _now, ...state }: TimedState): KnownState => state;

const isTurnOfAnother = ({ turn, now }: TimedState, own: string): boolean =>
  turn !== undefined && turn.own !== own && turn.until > now;

const laterOf = (one: Date, other: Date): Date => (one > other ? one : other);

const serverTime = async ({ database }: Collections): Promise<Date> =>
  (await database.command({ hello: 1 })).localTime as Date;

type TimedState = KnownState & { readonly now: Date };

const readState = (
  { tenantState }: Collections,
  session: Session,
  tenantId: TenantId,
): Promise<TimedState | null> =>
  tenantState
    .aggregate<TimedState>(
      [{ $match: { _id: tenantId } }, { $addFields: { now: '$$NOW' } }, { $unset: 'stretches' }],
      { session },
    )
    .next();

interface TableResult {
  readonly table: TableName;
  readonly entities: readonly Entities[TableName][];
}

/** An entity that was found by two queries is one entity. */
const gatherByTable = (results: readonly TableResult[]): Loaded['entities'] => {
  const byTable = new Map<TableName, TableResult['entities'][]>();
  for (const { table, entities } of results) {
    const known = byTable.get(table);
    if (known) known.push(entities);
    else byTable.set(table, [entities]);
  }
  return Object.fromEntries([...byTable].map(([table, found]) => [table, together(found)]));
};

const together = (found: readonly TableResult['entities'][]): TableResult['entities'] => {
  const [only, ...more] = found;
  if (only && more.length === 0) return only;
  return [...new Map(found.flat().map((entity) => [entity.id, entity])).values()];
};

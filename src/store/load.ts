import type { mongo } from 'mongoose';
import type { TenantId } from '../domain/ids.js';
import type { Entities, Need, TableName } from '../domain/tables.js';
import { type Loaded, TurnTaken } from '../pipeline/commit-store.js';
import { fromApiKeyDocument } from './api-key-document.js';
import type { Collections } from './collections.js';
import { fromPluginRecordDocument } from './plugin-record-document.js';
import { fromRememberedAnswerDocument, type Seal } from './remembered-answer-document.js';
import { fromTenantState } from './tenant-document.js';
import type { KnownState } from './documents.js';
import type { TenantStates } from './tenant-states.js';
import { fromUserDocument, USER_PROJECTION } from './user-document.js';

type Session = mongo.ClientSession;

/** Where each index of a table stands in the documents. */
const FIELDS: { readonly [T in TableName]: Readonly<Record<string, string>> } = {
  users: { id: '_id', userName: 'folded.userName', email: 'folded.email' },
  apiKeys: { id: '_id' },
  pluginRecords: { id: '_id', plugin: 'plugin' },
  rememberedAnswers: { id: '_id' },
  tenants: { id: '_id', slug: 'slug' },
};

type Loaders = {
  readonly [T in TableName]: (
    context: LoadContext,
    query: object,
  ) => Promise<readonly Entities[T][]>;
};

const LOADERS: Loaders = {
  users: async ({ collections: { users }, session }, query) => {
    const found = await users.find(query, { session, projection: USER_PROJECTION }).toArray();
    return found.map(fromUserDocument);
  },
  apiKeys: async ({ collections: { apiKeys }, session }, query) => {
    const found = await apiKeys.find(query, { session }).toArray();
    return found.map(fromApiKeyDocument);
  },
  pluginRecords: async ({ collections: { pluginRecords }, session }, query) => {
    const sort = { createdAt: 1, _id: 1 } as const;
    const found = await pluginRecords.find(query, { session, sort }).toArray();
    return found.map(fromPluginRecordDocument);
  },
  rememberedAnswers: async ({ collections: { rememberedAnswers }, session, seal }, query) => {
    const found = await rememberedAnswers.find(query, { session }).toArray();
    return found.map((document) => fromRememberedAnswerDocument(document, seal));
  },
  tenants: async ({ collections: { tenants }, session }, query) => {
    const found = await tenants.find(query, { session }).toArray();
    return found.flatMap(({ _id, slug }) =>
      slug === undefined ? [] : [{ id: _id as TenantId, slug }],
    );
  },
};

/** One query for each table and index that is asked, whatever the number of keys. */
const queriesFor = (
  tenantId: TenantId,
  needs: readonly Need[],
): readonly (readonly [TableName, object])[] => {
  const keys = new Map<string, { table: TableName; field: string; keys: string[] }>();
  for (const { table, index, key } of needs) {
    const field = FIELDS[table][index] ?? index;
    const place = `${table}.${field}`;
    const asked = keys.get(place);
    if (asked) asked.keys.push(key);
    else keys.set(place, { table, field, keys: [key] });
  }
  return [...keys.values()].map(({ table, field, keys: wanted }) => [
    table,
    {
      // A slug is unique over all tenants: the one look-up that leaves the tenant.
      ...(table === 'tenants' ? {} : { tenant: tenantId }),
      [field]: wanted.length === 1 ? wanted[0] : { $in: wanted },
    },
  ]);
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
  const results = await allOf(
    queriesFor(tenantId, needs).map(async ([table, query]) => ({
      table,
      entities: await LOADERS[table](context, query),
    })),
  );
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

/** An entity that was found by two keys is one entity. */
const gatherByTable = (results: readonly TableResult[]): Loaded['entities'] => {
  const byTable = new Map<TableName, Map<string, Entities[TableName]>>();
  for (const { table, entities } of results) {
    const known = byTable.get(table) ?? new Map<string, Entities[TableName]>();
    for (const entity of entities) known.set(entity.id, entity);
    byTable.set(table, known);
  }
  return Object.fromEntries(
    [...byTable].map(([table, entities]) => [table, [...entities.values()]]),
  );
};

import type { KeptKeys } from '../../src/store/kept-keys.js';
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { afterAll, beforeAll } from 'vitest';
import type { CommandOf, CommandType } from '../../src/domain/commands.js';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import type { Limits, Rules } from '../../src/domain/kernel/decider.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import type { CommitStore } from '../../src/pipeline/commit-store.js';
import { newId, type Outcome, resultOf } from '../../src/pipeline/submit.js';
import { type Pipeline, startPipeline } from '../../src/pipeline/pipeline.js';
import {
  type Collections,
  collectionsOf,
  ensureCollections,
} from '../../src/store/tables/collections.js';
import { connect } from '../../src/store/connect.js';
import { mongoCommitStore } from '../../src/store/commit/mongo-commit-store.js';
import { openSessionPool } from '../../src/store/commit/session-pool.js';
import { createTestDatabase } from './database.js';
import { PASSIVE_RULES } from './no-plugins.js';

const SILENT = { warn: () => undefined, error: () => undefined };

/** One gateway instance with only pipeline and store, over a real database. */
export class PipelineInstance {
  readonly store: CommitStore;
  readonly pipeline: Pipeline;
  readonly collections: Collections;
  readonly keptKeys: KeptKeys = new Map();

  constructor(
    readonly connection: mongo.MongoClient,
    parts: {
      readonly rules?: Partial<Rules>;
      readonly wrap?: (store: CommitStore) => CommitStore;
      readonly patienceMs?: number;
      readonly largestBatch?: number;
      readonly changeLimits?: Limits;
      readonly clock?: () => Date;
      readonly elapsed?: () => number;
    } = {},
  ) {
    this.collections = collectionsOf(connection);
    const store = mongoCommitStore({
      collections: this.collections,
      instanceId: randomUUID(),
      clock: parts.clock ?? (() => new Date()),
      sessions: openSessionPool(this.collections.client, 8),
      keepEventsMs: 86_400_000,
      keepLogMs: 86_400_000,
      seal: { seal: (plain) => plain, unseal: (sealed) => sealed },
      keptKeys: this.keptKeys,
    });
    this.store = parts.wrap ? parts.wrap(store) : store;
    this.pipeline = startPipeline({
      store: this.store,
      rules: { ...PASSIVE_RULES, ...parts.rules },
      log: SILENT,
      ...(parts.patienceMs === undefined ? {} : { maxWaitMs: parts.patienceMs }),
      ...(parts.largestBatch === undefined ? {} : { maxBatchWeight: parts.largestBatch }),
      ...(parts.elapsed && { elapsed: parts.elapsed }),
      ...(parts.changeLimits && { changeLimits: parts.changeLimits }),
    });
  }

  submit<Type extends CommandType>(
    tenantId: TenantId,
    command: CommandOf<Type>,
  ): Promise<Outcome<Type>> {
    return this.pipeline.submit<Type>({
      tenantId,
      command,
      actor: { kind: 'operator', name: 'test' },
      source: 'admin',
      requestId: 'request-1',
    });
  }

  async createTenant(more: Partial<CommandOf<'tenant.create'>> = {}): Promise<Tenant> {
    const tenantId = newId<TenantId>();
    const outcome = await this.submit<'tenant.create'>(tenantId, {
      type: 'tenant.create',
      slug: `t-${tenantId.slice(0, 8)}`,
      name: 'Acme',
      seatCapacity: null,
      defaultRole: 'member',
      roomProvisioning: 'manual',
      ...more,
    });
    return resultOf(outcome);
  }
}

/** A database with all collections and indexes. Call it in a file or `describe`. */
export const useDatabase = (): {
  readonly open: (more?: { monitorCommands?: boolean }) => Promise<mongo.MongoClient>;
} => {
  const { uri } = createTestDatabase();
  const opened: mongo.MongoClient[] = [];
  const open = async (more: { monitorCommands?: boolean } = {}) => {
    const connection = await connect(uri, more);
    opened.push(connection);
    return connection;
  };
  beforeAll(async () => {
    await ensureCollections(await open());
  });
  afterAll(() => Promise.all(opened.map((connection) => connection.close())));
  return { open };
};

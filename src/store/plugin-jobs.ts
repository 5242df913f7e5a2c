import type * as mongo from 'mongodb';
import type {
  JobQuery,
  JobUpdate,
  PluginJob,
  PluginJobState,
  PluginJobStore,
} from '../ports/plugin-storage.js';
import type { TenantId } from '../domain/kernel/ids.js';
import { isDuplicateKey, guardRead } from './database-errors.js';
import { requireLease } from './leases.js';
import { type SessionPool, inTransaction } from './commit/session-pool.js';
import { BY_DUE, type PluginJobDocument, pluginJobs } from './tables/plugins.js';
import { MAJORITY_WRITE } from './concerns.js';

const KEPT_MS = 7 * 86_400_000;
const MAX_LISTED = 100;

const keyOf = (plugin: string, id: string): string => `${plugin}:${id}`;

const toJob = (document: PluginJobDocument): PluginJob => ({
  id: document._id.slice(document.plugin.length + 1),
  kind: document.kind,
  tenantId: document.tenant === '' ? null : (document.tenant as TenantId),
  input: document.input,
  checkpoint: document.checkpoint,
  state: document.state,
  done: document.done,
  total: document.total,
  error: document.error,
  failures: document.failures,
  createdAt: document.createdAt,
  finishedAt: document.finishedAt,
});

const ended = (state: PluginJobState) => ({
  state,
  finishedAt: '$$NOW',
  expireAt: { $add: ['$$NOW', KEPT_MS] },
});

const changesOf = (update: JobUpdate): object => {
  if (update.kind === 'failed')
    return {
      error: { $literal: update.error },
      failures: { $add: ['$failures', 1] },
      ...(update.retryInMs === null
        ? ended('failed')
        : { dueAt: { $add: ['$$NOW', update.retryInMs] } }),
    };
  const { checkpoint, isDone, done, total } = update;
  return {
    checkpoint: { $literal: checkpoint },
    error: null,
    failures: 0,
    dueAt: '$$NOW',
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
    ...(isDone && ended('done')),
  };
};

const filterOf = ({ tenantId, kind, state }: JobQuery): mongo.Filter<PluginJobDocument> => ({
  ...(tenantId !== undefined && { tenant: tenantId ?? '' }),
  ...(kind !== undefined && { kind }),
  ...(state !== undefined && { state }),
});

export const mongoPluginJobStore = (database: mongo.Db, sessions: SessionPool): PluginJobStore => {
  const jobs = pluginJobs.in(database);

  return {
    start: (plugin, { kind, tenantId, input, id }) =>
      guardRead(async () => {
        const _id = keyOf(plugin, id);
        const fresh = {
          plugin,
          kind,
          tenant: tenantId ?? '',
          input: { $literal: input },
          checkpoint: null,
          state: 'running',
          done: 0,
          total: null,
          error: null,
          failures: 0,
          dueAt: '$$NOW',
          createdAt: '$$NOW',
          finishedAt: null,
          expireAt: null,
        };
        await jobs
          .updateOne({ _id, createdAt: { $exists: false } }, [{ $set: fresh }], {
            upsert: true,
            ...MAJORITY_WRITE,
          })
          .catch((error: unknown) => {
            if (!isDuplicateKey(error)) throw error;
          });
        const kept = await jobs.findOne({ _id });
        if (!kept) throw new Error('The database has not kept the job.');
        return toJob(kept);
      }),
    find: (plugin, id) =>
      guardRead(async () => {
        const found = await jobs.findOne({ _id: keyOf(plugin, id) });
        return found ? toJob(found) : undefined;
      }),
    list: (plugin, query) =>
      guardRead(() =>
        jobs
          .find({ plugin, ...filterOf(query) })
          .sort({ createdAt: -1, _id: 1 })
          .limit(MAX_LISTED)
          .map(toJob)
          .toArray(),
      ),
    cancel: (plugin, id) =>
      guardRead(async () => {
        const { matchedCount } = await jobs.updateOne(
          { _id: keyOf(plugin, id), state: 'running' },
          [{ $set: ended('cancelled') }],
          MAJORITY_WRITE,
        );
        return matchedCount === 1;
      }),
    due: async (plugin, kinds, limit) => {
      const found = await jobs
        .find(
          {
            plugin,
            kind: { $in: [...kinds] },
            state: 'running',
            $expr: { $lte: ['$dueAt', '$$NOW'] },
          },
          { hint: BY_DUE },
        )
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray();
      return found.map(toJob);
    },
    update: (plugin, id, { update, fence }) =>
      inTransaction(sessions, async (session) => {
        await requireLease(database, fence, session);
        const changed = await jobs.findOneAndUpdate(
          { _id: keyOf(plugin, id), state: 'running' },
          [{ $set: changesOf(update) }],
          { returnDocument: 'after', session },
        );
        return changed ? toJob(changed) : undefined;
      }),
  };
};

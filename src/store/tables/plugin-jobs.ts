import type { PluginJobState } from '../../api/plugin-storage.js';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import { defineCollection, MIXED } from './collection.js';

export const BY_DUE = { plugin: 1, dueAt: 1 } as const;

/** A job of a plugin and how far it is. */
export interface PluginJobDocument {
  /** `<plugin>:<id>` */
  readonly _id: string;
  readonly plugin: string;
  readonly kind: string;
  /** Empty for a job that belongs to no tenant. */
  readonly tenant: string;
  readonly input: JsonObject;
  readonly checkpoint: JsonValue;
  readonly state: PluginJobState;
  readonly done: number;
  readonly total: number | null;
  readonly error: string | null;
  readonly failures: number;
  /** When the next step may run. */
  readonly dueAt: Date;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly expireAt: Date | null;
}

export const pluginJobs = defineCollection<PluginJobDocument>({
  name: 'plugin_jobs',
  fields: {
    _id: String,
    plugin: String,
    kind: String,
    tenant: String,
    input: MIXED,
    checkpoint: MIXED,
    state: String,
    done: Number,
    total: Number,
    error: String,
    failures: Number,
    dueAt: Date,
    createdAt: Date,
    finishedAt: Date,
    expireAt: Date,
  },
  indexes: [
    { key: BY_DUE, partialFilterExpression: { state: 'running' } },
    { key: { plugin: 1, createdAt: -1, _id: 1 } },
    { key: { tenant: 1 } },
    {
      key: { expireAt: 1 },
      expireAfterSeconds: 0,
      partialFilterExpression: { expireAt: { $type: 'date' } },
    },
  ],
  purge: 'by tenant',
});

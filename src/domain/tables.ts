import type { ApiKey } from './api-key.js';
import { emailKey, type User, userNameKey } from './user.js';
import type { PluginRecord } from './plugin-record.js';
import type { RememberedAnswer } from './remembered-answer.js';
import { fold } from './fold.js';
import type { Tenant } from './tenant.js';

/** The kinds of entity that commands change, by the name of their table. */
export interface Entities {
  readonly users: User;
  readonly apiKeys: ApiKey;
  readonly pluginRecords: PluginRecord;
  readonly rememberedAnswers: RememberedAnswer;
  /** All tenants by slug: the only look-up that leaves the tenant, for a slug is unique over all. */
  readonly tenants: Pick<Tenant, 'id' | 'slug'>;
}

export type TableName = keyof Entities;

interface Index<Entity> {
  /** The key under which the entity is found, or null where it stands under none. */
  readonly keyOf: (entity: Entity) => string | null;
  /** Whether at most one entity of the tenant stands under a key. */
  readonly unique: boolean;
}

type Indexes = { readonly [T in TableName]: Readonly<Record<string, Index<Entities[T]>>> };

/**
 * How each table can be asked. The workspace keeps these keys current while a batch decides, and
 * the store loads by the same ones; the unique ones are unique indexes in the database too.
 */
export const TABLES = {
  users: {
    id: { keyOf: (user) => user.id, unique: true },
    userName: { keyOf: userNameKey, unique: true },
    email: { keyOf: emailKey, unique: true },
  },
  apiKeys: {
    id: { keyOf: (key) => key.id, unique: true },
  },
  pluginRecords: {
    id: { keyOf: (record) => record.id, unique: true },
    plugin: { keyOf: (record) => record.plugin, unique: false },
  },
  rememberedAnswers: {
    id: { keyOf: (answer) => answer.id, unique: true },
  },
  tenants: {
    id: { keyOf: (tenant) => tenant.id, unique: true },
    slug: { keyOf: (tenant) => fold(tenant.slug), unique: true },
  },
} as const satisfies Indexes;

export type IndexName<T extends TableName> = Extract<keyof (typeof TABLES)[T], string>;

/** A question to a table: whatever stands under this key of this index. */
export type Need = {
  readonly [T in TableName]: {
    readonly table: T;
    readonly index: IndexName<T>;
    readonly key: string;
  };
}[TableName];

/** An entity that comes to be (before is null), changes, or goes (after is null). */
export type Change =
  | {
      readonly [T in TableName]: {
        readonly table: T;
        readonly before: Entities[T] | null;
        readonly after: Entities[T] | null;
      };
    }[TableName]
  | { readonly table: 'tenant'; readonly before: Tenant | null; readonly after: Tenant | null };

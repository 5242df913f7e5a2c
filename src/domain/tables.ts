import type { ApiKey, Tenant } from './tenant/tenant.js';
import { type Group, groupNameKey, rosterOf } from './group/group.js';
import { type Job, type JobPart, jobSubjectOf, type RosterEntry } from './job/job.js';
import { type Membership, parseRosterPageKey, type Room, roomNameKey } from './room/room.js';
import { emailKey, type User, userNameKey } from './user/user.js';
import type { PluginRecord } from './plugin/plugin-record.js';
import type { StoredResponse } from './kernel/stored-response.js';
import { mappingNameKey, type RoleMapping } from './role/role-mapping.js';
import { fold } from './kernel/names.js';
import {
  type SmsList,
  smsListNameKey,
  parseEndedSmsPageKey,
  parseSmsPageKey,
  type SmsEntry,
  type SmsMember,
} from './sms/sms-list.js';

/** The entities that commands change, by table. */
export interface Entities {
  readonly users: User;
  /** Ids of users, for lists of members that are too long to load whole users. */
  readonly userIds: Pick<User, 'id'>;
  readonly rooms: Room;
  readonly groups: Group;
  readonly memberships: Membership;
  readonly roleMappings: RoleMapping;
  readonly smsLists: SmsList;
  readonly smsMembers: SmsMember;
  readonly smsJobParts: JobPart<SmsEntry>;
  readonly jobs: Job;
  readonly jobParts: JobPart<RosterEntry>;
  readonly apiKeys: ApiKey;
  readonly pluginRecords: PluginRecord;
  readonly rememberedAnswers: StoredResponse;
  /** All tenants: the only lookup beyond the tenant, because slugs are unique over all of them. */
  readonly tenants: Pick<Tenant, 'id' | 'slug'>;
}

export type TableName = keyof Entities;

interface Index<Entity> {
  /** The entity's key; null if it has none. */
  readonly keyOf: (entity: Entity) => string | null;
  /** Whether a key belongs to at most one entity of the tenant. */
  readonly unique: boolean;
  /**
   * For an index whose key describes a page. The result is what was loaded, without later changes of
   * the batch: only for commands that run alone.
   */
  readonly select?: (key: string, entities: readonly Entity[]) => readonly Entity[];
}

type Indexes = { readonly [T in TableName]: Readonly<Record<string, Index<Entities[T]>>> };

/** A page of a roster, in the order of user ids. */
const selectMembers = (key: string, memberships: readonly Membership[]): readonly Membership[] => {
  const { rosterId, after, limit } = parseRosterPageKey(key);
  return memberships
    .filter((membership) => membership.rosterId === rosterId && membership.userId > after)
    .sort((one, other) => (one.userId < other.userId ? -1 : 1))
    .slice(0, limit);
};

/** A page of the users without a mapped role, in the order of their ids. */
const selectUsers = (key: string, users: readonly User[]): readonly User[] => {
  const { after, limit } = parseRosterPageKey(key);
  return users
    .filter(({ id, role }) => role === null && id > after)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, limit);
};

const byPlace = (one: SmsMember, other: SmsMember): number => one.place - other.place;

/** The first members of an SMS list. */
const selectSmsMembers = (key: string, members: readonly SmsMember[]): readonly SmsMember[] => {
  const { listId, limit } = parseSmsPageKey(key);
  return members
    .filter((member) => member.listId === listId)
    .sort(byPlace)
    .slice(0, limit);
};

/** The first members of an SMS list whose window has ended. */
const selectEndedSmsMembers = (
  key: string,
  members: readonly SmsMember[],
): readonly SmsMember[] => {
  const { listId, limit, endedBy } = parseEndedSmsPageKey(key);
  return members
    .filter(
      (member) =>
        member.listId === listId && member.validUntil !== null && member.validUntil <= endedBy,
    )
    .sort(byPlace)
    .slice(0, limit);
};

const noKey = (): null => null;

/**
 * The indexes of each table. The workspace keeps them current while it applies changes, and the store
 * loads by them; unique ones are unique indexes in the database.
 */
export const TABLES = {
  users: {
    id: { keyOf: (user) => user.id, unique: true },
    userName: { keyOf: userNameKey, unique: true },
    email: { keyOf: emailKey, unique: true },
    withDefaultRole: { keyOf: noKey, unique: false, select: selectUsers },
  },
  userIds: {
    id: { keyOf: (user) => user.id, unique: true },
  },
  rooms: {
    id: { keyOf: (room) => room.id, unique: true },
    name: { keyOf: roomNameKey, unique: true },
  },
  groups: {
    id: { keyOf: (group) => group.id, unique: true },
    displayName: { keyOf: groupNameKey, unique: true },
    roster: { keyOf: rosterOf, unique: true },
  },
  memberships: {
    id: { keyOf: (membership) => membership.id, unique: true },
    roster: { keyOf: (membership) => membership.rosterId, unique: false },
    user: { keyOf: (membership) => membership.userId, unique: false },
    page: { keyOf: noKey, unique: false, select: selectMembers },
  },
  roleMappings: {
    id: { keyOf: (mapping) => mapping.id, unique: true },
    displayName: { keyOf: mappingNameKey, unique: true },
  },
  smsLists: {
    id: { keyOf: (list) => list.id, unique: true },
    name: { keyOf: smsListNameKey, unique: true },
    externalId: { keyOf: (list) => list.externalId, unique: true },
  },
  smsMembers: {
    id: { keyOf: (member) => member.id, unique: true },
    number: { keyOf: (member) => member.number.key, unique: true },
    list: { keyOf: (member) => member.listId, unique: false },
    first: { keyOf: noKey, unique: false, select: selectSmsMembers },
    ended: { keyOf: noKey, unique: false, select: selectEndedSmsMembers },
  },
  smsJobParts: {
    id: { keyOf: (part) => part.id, unique: true },
  },
  jobs: {
    id: { keyOf: (job) => job.id, unique: true },
    subject: { keyOf: jobSubjectOf, unique: true },
  },
  jobParts: {
    id: { keyOf: (part) => part.id, unique: true },
  },
  apiKeys: {
    id: { keyOf: (key) => key.id, unique: true },
  },
  pluginRecords: {
    id: { keyOf: (record) => record.id, unique: true },
    plugin: { keyOf: (record) => record.plugin, unique: false },
  },
  rememberedAnswers: {
    id: { keyOf: (response) => response.id, unique: true },
  },
  tenants: {
    id: { keyOf: (tenant) => tenant.id, unique: true },
    slug: { keyOf: (tenant) => fold(tenant.slug), unique: true },
  },
} as const satisfies Indexes;

export type IndexName<T extends TableName> = Extract<keyof (typeof TABLES)[T], string>;

/** A lookup of the entities under a key of an index. */
export type Lookup = {
  readonly [T in TableName]: {
    readonly table: T;
    readonly index: IndexName<T>;
    readonly key: string;
  };
}[TableName];

/** An entity that is created (before is null), changed, or deleted (after is null). */
export type Change =
  | {
      readonly [T in TableName]: {
        readonly table: T;
        readonly before: Entities[T] | null;
        readonly after: Entities[T] | null;
      };
    }[TableName]
  | { readonly table: 'tenant'; readonly before: Tenant | null; readonly after: Tenant | null };

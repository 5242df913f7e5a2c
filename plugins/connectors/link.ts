import { hash } from 'node:crypto';
import type { GroupId, JsonObject, JsonValue, UserId } from '../../src/plugin/api.js';
import type { IsoDate } from './iso-date.js';

/**
 * The stored state of one record: which user it stands for and what was applied of it. Written
 * only after the commands that it describes.
 */
export interface Link {
  readonly sourceId: string;
  /** Null: there is no user yet, such as of a future hire. */
  readonly userId: UserId | null;
  readonly state: 'future' | 'active' | 'left';
  /**
   * Whether this connector deactivated the user, where the user does not say so: only users that were
   * deactivated before `deactivatedBy` was stored.
   */
  readonly deactivatedHere: boolean;
  /** Counts what was applied, from 1; part of the key of each command. */
  readonly rev: number;
  /**
   * The run that made the link; part of the key of each command, because `rev` starts again with each
   * link of a record. Absent: older than this field.
   */
  readonly life?: string;
  /** The user's version after the last command: as long as it stays, no other interface changed them. */
  readonly userVersion?: number;
  /** Of `data` and the options: another hash means another plan. */
  readonly hash: string;
  /** The fields of the record that the options use, for the days on which dates change something. */
  readonly data: JsonObject;
  /** As last applied; an attribute that differs was changed by another interface. */
  readonly applied: JsonObject;
  /** From how many complete reads in a row it was missing. */
  readonly missing: number;
  /** Which exports these were, if the source says so. */
  readonly missingIn: readonly string[];
  /** The next day on which it changes by its dates. */
  readonly changesOn: IsoDate | null;
  /** Groups of which this connector made the user a member. */
  readonly groups: readonly LinkedGroup[];
  /** Names of groups that did not exist. */
  readonly unmet: readonly string[];
  /** Record id of the manager that was set. */
  readonly manager: string | null;
  /** The manager that had no user yet. */
  readonly unmetManager: string | null;
  /** For people: the display name, else the user name. */
  readonly label: string;
  /** The record has ended, but its user is still active. */
  readonly deferred?: Deferral;
}

/** A deactivation that waits, because another record claims the user and cannot be used yet. */
export interface Deferral {
  /** The run that would have deactivated the user, and when. */
  readonly run: string;
  readonly at: string;
  /** It is carried out then, or as soon as the claim ends. */
  readonly until: string;
  /** The id of the other record. */
  readonly record: string;
  readonly why: string;
}

export const withoutDeferral = ({ deferred: _deferred, ...link }: Link): Link => link;

/** What a link without a user has, and most others too. */
export const NO_LINK = {
  userId: null,
  state: 'future',
  deactivatedHere: false,
  applied: {},
  missing: 0,
  missingIn: [],
  groups: [],
  unmet: [],
  manager: null,
  unmetManager: null,
} as const satisfies Partial<Link>;

/** What says whether anything has to be done for a record: a third of the link, and a quarter of the time to read it. */
const STATE_FIELDS = [
  ...(['sourceId', 'userId', 'state', 'rev', 'life', 'userVersion', 'hash'] as const),
  ...(['missing', 'missingIn', 'changesOn', 'unmet', 'manager', 'unmetManager'] as const),
  'deferred',
] as const satisfies readonly (keyof Link)[];
export type LinkState = Pick<Link, (typeof STATE_FIELDS)[number]>;
export const LINK_STATE: readonly string[] = STATE_FIELDS;

export interface LinkedGroup {
  readonly id: GroupId;
  readonly name: string;
  /** When the membership began: another one is not this connector's. Absent: linked by version 0.1.0. */
  readonly addedAt?: string;
}

const canonical = (value: JsonValue | undefined): string => {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => canonical(item)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join()}}`;
};

/** A hash that does not depend on the order of keys. */
export const hashOf = (...values: readonly (JsonValue | undefined)[]): string =>
  hash('sha256', values.map(canonical).join(), 'base64url');

/** The fields that the options use; null: all. Others never cause a change and are not kept. */
export const projectRecord = (data: JsonObject, fields: readonly string[] | null): JsonObject =>
  fields === null
    ? data
    : Object.fromEntries(
        fields.flatMap((field) => (Object.hasOwn(data, field) ? [[field, data[field]]] : [])),
      );

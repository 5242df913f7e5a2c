import {
  type SecretBox,
  EVENT_NAMES,
  INCLUDABLE,
  type EventName,
  parseRecordId,
  type PluginRecord,
  type RecordId,
  type Clock,
  type PluginRecords,
  systemClock,
  type TenantId,
} from '../../src/plugin/api.js';
import { z } from 'zod';
import { NextSecret, PreviousSecret } from './signing.js';
import { LRUCache } from 'lru-cache';

/** An address as it is kept: the query, which often holds a token, is sealed. */
export interface StoredUrl {
  /** Without the query; in registrations of before, with it. */
  readonly url: string;
  /** Sealed, with its question mark and whatever follows it; null where there is none. */
  readonly query: string | null;
}

/** Where the query or the fragment begins; the end where there is neither. */
const endOfPath = (url: string): number => {
  const at = url.search(/[?#]/);
  return at === -1 ? url.length : at;
};

/** Whether the query stands in the open, as it did in registrations of before. */
export const hasPlainQuery = ({ url }: Pick<StoredUrl, 'url'>): boolean =>
  endOfPath(url) < url.length;

export const sealUrl = (url: string, { seal }: Pick<SecretBox, 'seal'>): StoredUrl => {
  const end = endOfPath(url);
  const query = url.slice(end);
  return { url: url.slice(0, end), query: query === '' ? null : seal(query) };
};

export const openUrl = ({ url, query }: StoredUrl, unseal: (sealed: string) => string): string =>
  query === null ? url : url + unseal(query);

/** For logs and for what is kept of attempts. */
export const hideQuery = ({ url, query }: StoredUrl): string =>
  query === null && !hasPlainQuery({ url }) ? url : `${url.slice(0, endOfPath(url))}?***`;

/** Headers that a registration may have sent along with every delivery. */
export const MAX_HEADERS = 10;

/** RFC 9110, 5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** RFC 9110, 5.5, without what is obsolete there. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,2046}[\x21-\x7e])?$/;

/** Those of a connection (RFC 9110, 7.6.1), and those that say what a delivery is. */
const RESERVED = new Set([
  'connection',
  'date',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const RESERVED_PREFIXES = ['accept-', 'content-', 'proxy-', 'webhook-', 'x-service-'];

const isAllowed = (name: string): boolean => {
  const lower = name.toLowerCase();
  return !RESERVED.has(lower) && !RESERVED_PREFIXES.some((family) => lower.startsWith(family));
};

const name = z
  .string()
  .regex(TOKEN, 'must be the name of a header')
  .refine(isAllowed, 'is a header that deliveries set themselves');

const value = z
  .string()
  .regex(VALUE, 'must be 1 to 2,048 printable ASCII characters, none of them a space at an end');

const isEachOnce = (headers: Readonly<Record<string, unknown>>): boolean => {
  const names = Object.keys(headers).map((each) => each.toLowerCase());
  return new Set(names).size === names.length && names.length <= MAX_HEADERS;
};

const eachOnce = `must name each header once, and ${MAX_HEADERS} at most`;
const about = 'Values are stored encrypted and never returned.';

/** What a new registration is to send along. */
export const StaticHeaders = z
  .record(name, value)
  .refine(isEachOnce, eachOnce)
  .describe(`Headers to send with every delivery, such as Authorization. ${about}`);

/** RFC 7396: null removes a header; headers that are not named stay. */
export const StaticHeaderChanges = z
  .record(name, value.nullable())
  .refine(isEachOnce, eachOnce)
  .describe(`Headers to add or replace, or to remove (null). ${about}`);

/** A header as a registration keeps it: its value sealed. */
const SealedHeader = z.object({ name: z.string(), value: z.string() });
export type SealedHeader = z.output<typeof SealedHeader>;

/** Changes whose values are sealed; a name is one in whichever case it is written. */
export const mergeHeaders = (
  before: readonly SealedHeader[],
  changes: Readonly<Record<string, string | null>>,
): SealedHeader[] => {
  const changed = new Set(Object.keys(changes).map((each) => each.toLowerCase()));
  const added = Object.entries(changes).flatMap(([each, sealed]) =>
    sealed === null ? [] : [{ name: each, value: sealed }],
  );
  return [...before.filter((header) => !changed.has(header.name.toLowerCase())), ...added];
};

/** All events about one kind of thing: `room.*`. */
const FAMILIES = ['user.*', 'room.*', 'group.*', 'sms_list.*'] as const;

/** What a registration may subscribe to: events by name, a family of them, or all by `*`. */
export const SUBSCRIBABLE = [...EVENT_NAMES, ...FAMILIES, '*'] as const;
type Subscribable = (typeof SUBSCRIBABLE)[number];

/** The events that it stands for. */
const eventsIn = (subscribed: Subscribable): readonly EventName[] =>
  subscribed.endsWith('*')
    ? EVENT_NAMES.filter((name) => name.startsWith(subscribed.slice(0, -1)))
    : EVENT_NAMES.filter((name) => name === subscribed);

/** The registration's part of its record: what the rules write and everyone else reads. */
export const RegistrationData = z.object({
  /** Without its query; of registrations made before queries were sealed, with it. */
  url: z.string(),
  /** Sealed: it often holds a token. Null where the address has none. */
  query: z.string().nullable().default(null),
  events: z.array(z.enum(SUBSCRIBABLE)),
  /**
   * The end of the log when it was created or last enabled: later events are for it. Null: by a
   * version that did not keep it.
   */
  after: z.int().nullable().default(null),
  /** The same for events that were added since. */
  addedAfter: z.partialRecord(z.enum(EVENT_NAMES), z.int()).default({}),
  status: z.enum(['active', 'disabled']),
  /** Why the gateway itself has disabled it; null where it has not. */
  disabledReason: z.string().nullable().default(null),
  /**
   * Incremented with each change of status. It is part of the delivery key, so that deliveries
   * pending before a registration was disabled are dropped.
   */
  epoch: z.int(),
  description: z.string().nullable(),
  /** Sealed: the plain secret is in no record, no command and no log. */
  secret: z.string(),
  /** Sealed, newest first. */
  previous: z.array(PreviousSecret).default([]),
  /** Sealed; null where none is to take over. */
  next: NextSecret.nullable().default(null),
  headers: z.array(SealedHeader).default([]),
  /** What its deliveries contain beyond the document's data. */
  include: z.array(z.enum(INCLUDABLE)).default([]),
  /** Made by the administrator of the customer, by a setup link, who sees no others. */
  isCustomers: z.boolean().default(false),
});

export type RegistrationData = z.output<typeof RegistrationData>;

export interface Registration extends RegistrationData {
  readonly id: RecordId;
  readonly createdAt: Date;
  readonly version: number;
}

export const readRegistration = ({ id, data, createdAt, version }: PluginRecord): Registration => ({
  ...RegistrationData.parse(data),
  id,
  createdAt,
  version,
});

interface Address {
  readonly id: string;
  readonly epoch: number;
}

/** The engine's key of a registration. */
export const keyOf = ({ id, epoch }: Address): string => `${id}:${epoch}`;

/** The registration's id in a key. */
export const idOfKey = (key: string): string => key.slice(0, key.indexOf(':'));

/** How often a registration may be disabled and enabled before its oldest deliveries are no longer shown. */
const MAX_KEYS = 100;

/** The keys that it has and had: those of its deliveries, old ones among them. */
export const allKeysOf = ({ id, epoch }: Address): readonly string[] =>
  Array.from({ length: Math.min(epoch, MAX_KEYS) }, (_, back) =>
    keyOf({ id, epoch: epoch - back }),
  );

/** Those under which nothing is sent any more (decisions.md 7: disabling drops what is pending). */
export const endedKeysOf = (registration: Registration): readonly string[] =>
  allKeysOf(registration).filter((key) => !isActive(registration) || key !== keyOf(registration));

/** The registration of a key, if the key still has pending deliveries. */
export const registrationFor = (
  registrations: ReadonlyMap<RecordId, Registration>,
  key: string,
): Registration | undefined => {
  const id = parseRecordId(idOfKey(key));
  const registration = id && registrations.get(id);
  return registration && isActive(registration) && keyOf(registration) === key
    ? registration
    : undefined;
};

export const isActive = ({ status }: Registration): boolean => status === 'active';

/** All events that it subscribes to. */
export const subscribedEvents = ({
  events,
}: Pick<RegistrationData, 'events'>): ReadonlySet<EventName> => new Set(events.flatMap(eventsIn));

type RegistrationsById = ReadonlyMap<RecordId, Registration>;

/** The registrations of tenants, read whole: there are at most a hundred. */
export interface Registrations {
  /** From the database, and remembered for `recent`. */
  readonly read: (tenantId: TenantId) => Promise<RegistrationsById>;
  /**
   * As they were at most a second ago, so that a busy registration costs no read a delivery and a
   * disabled one gets no attempt later than that (decisions.md 7).
   */
  readonly recent: (tenantId: TenantId) => Promise<RegistrationsById>;
  /** As they were read last: the event stream says when they must be read again. */
  readonly last: (tenantId: TenantId) => Promise<RegistrationsById>;
}

/** How old what is known of a registration may be when something is sent to it. */
export const RECENT_MS = 1_000;
const MAX_TENANTS = 1_000;

interface Reading {
  /** When the query began. */
  readonly startedAt: number;
  readonly result: Promise<RegistrationsById>;
}

export const createRegistrations = (
  records: Pick<PluginRecords, 'list'>,
  clock: Clock = systemClock,
  /** Called with all registrations that were read. */
  onRead: (tenantId: TenantId, registrations: Iterable<Registration>) => void = () => undefined,
): Registrations => {
  const readings = new LRUCache<TenantId, Reading>({ max: MAX_TENANTS });

  const load = async (tenantId: TenantId): Promise<RegistrationsById> => {
    const list = await records.list(tenantId);
    const read = new Map(list.map((record) => [record.id, readRegistration(record)]));
    onRead(tenantId, read.values());
    return read;
  };

  const read = (tenantId: TenantId): Promise<RegistrationsById> => {
    const reading = { startedAt: clock.now(), result: load(tenantId) };
    readings.set(tenantId, reading);
    // The failure rejects this caller only; later callers read again.
    reading.result.catch(() => {
      if (readings.get(tenantId) === reading) readings.delete(tenantId);
    });
    return reading.result;
  };

  return {
    read,
    recent: (tenantId) => {
      const reading = readings.get(tenantId);
      const isRecent = reading !== undefined && clock.now() - reading.startedAt < RECENT_MS;
      return isRecent ? reading.result : read(tenantId);
    },
    last: (tenantId) => readings.get(tenantId)?.result ?? read(tenantId),
  };
};

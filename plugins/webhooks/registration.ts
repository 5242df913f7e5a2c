import { z } from 'zod';
import {
  EVENT_NAMES,
  type EventName,
  parseRecordId,
  type PluginRecord,
  type RecordId,
} from '../../src/plugin/api.js';
import { NextSecret, PreviousSecret } from './signing-secrets.js';
import { SealedHeader } from './static-headers.js';

/** All events about one kind of thing: `room.*`. */
const FAMILIES = ['user.*', 'room.*', 'group.*', 'sms_list.*'] as const;

/** What a registration may subscribe to: events by name, a family of them, or all by `*`. */
export const SUBSCRIBABLE = [...EVENT_NAMES, ...FAMILIES, '*'] as const;
export type Subscribable = (typeof SUBSCRIBABLE)[number];

/** The events that it stands for. */
export const eventsIn = (subscribed: Subscribable): readonly EventName[] =>
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
  const id = parseRecordId(key.slice(0, key.indexOf(':')));
  const registration = id && registrations.get(id);
  return registration && isActive(registration) && keyOf(registration) === key
    ? registration
    : undefined;
};

export const isActive = ({ status }: Registration): boolean => status === 'active';

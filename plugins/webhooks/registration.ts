import { z } from 'zod';
import { EVENT_NAMES } from '../../src/domain/events.js';
import { parseRecordId, type RecordId } from '../../src/domain/ids.js';
import type { PluginRecord } from '../../src/domain/plugin-record.js';

/** What a registration may subscribe to: each event by name, or `*` for all (decisions.md 7). */
export const SUBSCRIBABLE = [...EVENT_NAMES, '*'] as const;
export type Subscribable = (typeof SUBSCRIBABLE)[number];

/** The registration's part of its record: what the rules write and everyone else reads. */
export const RegistrationData = z.object({
  url: z.string(),
  events: z.array(z.enum(SUBSCRIBABLE)),
  status: z.enum(['active', 'disabled']),
  /**
   * Moves whenever the status does. It is part of the key that deliveries are owed to, so that
   * what was owed before a registration was disabled is owed to nobody afterwards.
   */
  epoch: z.int(),
  description: z.string().nullable(),
  /** Sealed: the plain secret is in no record, no command and no log. */
  secret: z.string(),
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

/** What the engine knows a registration by. */
export const keyOf = ({ id, epoch }: Pick<Registration, 'id' | 'epoch'>): string =>
  `${id}:${epoch}`;

/** The registration that a key stands for, where deliveries are still owed under it. */
export const servedBy = (
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

import { LRUCache } from 'lru-cache';
import {
  type Clock,
  type PluginRecords,
  type RecordId,
  systemClock,
  type TenantId,
} from '../../src/plugin/api.js';
import { readRegistration, type Registration } from './registration.js';

export type RegistrationsById = ReadonlyMap<RecordId, Registration>;

/** The registrations of tenants, read whole: there are at most a hundred. */
export interface Registrations {
  /** From the database, and remembered for `recent`. */
  readonly read: (tenantId: TenantId) => Promise<RegistrationsById>;
  /**
   * As they were at most a second ago, so that a busy registration costs no read a delivery and a
   * disabled one gets no attempt later than that (decisions.md 7).
   */
  readonly recent: (tenantId: TenantId) => Promise<RegistrationsById>;
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
  };
};

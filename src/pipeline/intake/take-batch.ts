import { COMMANDS } from '../../domain/command-catalogue.js';
import type { Arrival } from '../batch.js';

/** Maximum weight of a batch: what one transaction handles well (pipeline-rules.md 1). */
const MAX_WEIGHT = 500;
/**
 * Maximum weight while others are active: each command of other tenants waits for whole batches of
 * this tenant (pipeline-rules.md 9), and each of its own for whole batches of a connector.
 */
const MAX_SHARED_WEIGHT = 24;

/** After so many batches without the oldest command of a connector, the next one takes it first. */
const MAX_PASSED_OVER = 9;

/** Commands of connectors are not urgent: the tenant's other commands go first, most of the time. */
export const isBackground = ({ envelope: { source } }: Arrival): boolean => source === 'connector';

const isForeground = (arrival: Arrival): boolean => !isBackground(arrival);

/** Moves one kind to the end; both kinds stay in order. */
const putLast = (queue: Arrival[], isLast: (arrival: Arrival) => boolean): void => {
  const first = queue.findIndex(isLast);
  if (first === -1 || queue.slice(first).every(isLast)) return;
  const later = queue.splice(first);
  queue.push(...later.filter((one) => !isLast(one)), ...later.filter(isLast));
};

const runsAlone = ({ envelope }: Arrival): boolean =>
  COMMANDS[envelope.command.type].runsAlone === true;

/** Number of commands at the front that may run together; a heavier one runs alone. */
const lengthOf = (queue: readonly Arrival[], maxWeight: number): number => {
  let weight = 0;
  for (const [at, arrival] of queue.entries()) {
    weight += arrival.weight;
    if (at > 0 && (weight > maxWeight || runsAlone(arrival))) return at;
    if (runsAlone(arrival)) return 1;
  }
  return queue.length;
};

/**
 * Takes the commands that may be committed together off the front of a tenant's queue. `isShared`:
 * others would wait for the whole batch.
 */
export const takeBatch = (maxWeight = MAX_WEIGHT, maxSharedWeight = MAX_SHARED_WEIGHT) => {
  const passedOver = new WeakMap<Arrival, number>();
  return (queue: Arrival[], isShared = false): readonly Arrival[] => {
    const oldest = queue.find(isBackground);
    const passed = (oldest && passedOver.get(oldest)) ?? 0;
    putLast(queue, passed < MAX_PASSED_OVER ? isBackground : isForeground);
    const limit = isShared ? Math.min(maxWeight, maxSharedWeight) : maxWeight;
    const batch = queue.splice(0, lengthOf(queue, limit));
    if (oldest && !batch.includes(oldest)) passedOver.set(oldest, passed + 1);
    return batch;
  };
};

/** A tenant counts as active for this long after its last batch, in milliseconds. */
const ACTIVE_MS = 1_000;

interface LastBatch {
  readonly tenant: string;
  readonly at: number;
}

interface TenantActivity {
  /** Records a batch of this tenant. Returns whether another tenant ran one recently. */
  readonly otherTenantsActive: (tenant: string) => boolean;
}

/** Remembers the last batches of two tenants, which is enough to find another one for any tenant. */
export const createTenantActivity = (now: () => number): TenantActivity => {
  let latest: LastBatch | undefined;
  let previous: LastBatch | undefined;
  return {
    otherTenantsActive: (tenant) => {
      const at = now();
      const other = latest?.tenant === tenant ? previous : latest;
      if (latest?.tenant !== tenant) previous = latest;
      latest = { tenant, at };
      return other !== undefined && at - other.at <= ACTIVE_MS;
    },
  };
};

interface Foreground {
  /**
   * Records a batch of this tenant by what waits for it. Returns whether commands other than a
   * connector's came recently beside a connector's.
   */
  readonly isBesideBackground: (tenant: string, background: number, others: number) => boolean;
}

interface Shared {
  backgroundAt: number;
  othersAt: number;
}

/** Remembers when each kind came last; only for tenants whose connectors are at work. */
export const createForeground = (now: () => number): Foreground => {
  const tenants = new Map<string, Shared>();
  return {
    isBesideBackground: (tenant, background, others) => {
      const at = now();
      const last = tenants.get(tenant) ?? { backgroundAt: -Infinity, othersAt: -Infinity };
      if (background > 0) last.backgroundAt = at;
      if (others > 0) last.othersAt = at;
      if (at - last.backgroundAt > ACTIVE_MS) {
        tenants.delete(tenant);
        return false;
      }
      tenants.set(tenant, last);
      return background > 0 && at - last.othersAt <= ACTIVE_MS;
    },
  };
};

/** A tenant counts as active for this long after its last batch, in milliseconds. */
const ACTIVE_MS = 1_000;

interface LastBatch {
  readonly tenant: string;
  readonly at: number;
}

export interface TenantActivity {
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

export interface Foreground {
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

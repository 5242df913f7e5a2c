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
